// Which of the words that stand at one place of many paths are values: those that lead to the same as
// others do. What they lead to is compared some levels down, without what are values there.
import type { Steps } from '../../runtime/scheduler.ts';
import { isPlural, RESERVED } from './forms.ts';

/** A segment of the trie of all paths; values by their form are one. */
export interface Node<T> {
  word: Word;
  next: Map<string, Node<T>>;
  ends: T[];
}

export interface Word {
  id: number;
  text: string;
  /** A part of the route for sure: the catalog says so, or the field does. */
  isClosed: boolean;
  isPlural: boolean;
}

export const VALUE: Word = { id: 0, text: '', isClosed: false, isPlural: false };

export function wordOf(text: string, id: number, isFixed: boolean): Word {
  const isClosed = isFixed || RESERVED.has(text.toLowerCase()) || /\d/.test(text);
  return { id, text, isClosed, isPlural: isPlural(text) };
}

/** What comes next, by word. */
type Branches<T> = ReadonlyMap<Word, readonly Node<T>[]>;
/** What a word leads to, and at how many nodes. */
type Leads = ReadonlyMap<number, number>;

/** Levels below a word that are compared. */
const DEPTH = 4;
const STEP = 64;
const [END, ON] = [-1, -2];
/** So many words are values: as a rule, behind a plural that was not seen alone, behind another word. */
const [ENOUGH, UNSEEN, MANY] = [3, 5, 12];
/** How many words lead to one thing that they lead to, in the mean. */
const HOLDERS = 2;
/** The part of plurals among words that lead nowhere, from which on those are no values. */
const PLURALS = 0.25;
/** What a value that leads nowhere counts beside one that leads to the same as others. */
const PLAIN = 0.75;

export function branchesOf<T>(nodes: readonly Node<T>[]): Branches<T> {
  return Map.groupBy(
    nodes.flatMap(({ next }) => [...next.values()]),
    ({ word }) => word,
  );
}

function leadsOf<T>(some: readonly Node<T>[], levels: readonly ReadonlySet<Word>[]): Leads {
  const leads = new Map<number, number>();
  if (some.some(({ ends }) => ends.length > 0)) leads.set(END, 1);
  if (levels.length === 0 && some.some(({ next }) => next.size > 0)) leads.set(ON, 2);
  let nodes = some;
  for (const [level, values] of levels.entries()) {
    nodes = nodes.flatMap(({ next }) => [...next.values()]);
    for (const { word } of nodes) {
      if (word === VALUE || values.has(word)) continue;
      const feature = word.id * DEPTH + level;
      leads.set(feature, (leads.get(feature) ?? 0) + 1);
    }
  }
  return leads;
}

interface Comparison {
  all: ReadonlyMap<Word, Leads>;
  levels: readonly ReadonlySet<Word>[];
}

/** What each word leads to, and the values at the levels below, as if these words were all one. */
function* compare<T>(branches: Branches<T>, depth: number): Steps<Comparison> {
  const nodes = [...branches.values()].flat();
  const levels: ReadonlySet<Word>[] = [];
  if (depth > 0 && nodes.length > 0) {
    const below = yield* compare(branchesOf(nodes), depth - 1);
    levels.push(alikeAmong(below.all, ENOUGH, 2), ...below.levels);
  }
  const all = new Map<Word, Leads>();
  for (const [word, some] of branches) {
    if (all.size % STEP === STEP - 1) yield;
    all.set(word, leadsOf(some, levels));
  }
  return { all, levels };
}

/** Whether a word leads to more that is shared than is its own; what is there once says nothing. */
function isAlike(leads: Leads, isShared: (feature: number) => boolean): boolean {
  let balance = 0;
  for (const [feature, count] of leads) {
    if (feature === END) continue;
    if (isShared(feature)) balance += 1;
    else if (count > 1) balance -= 1;
  }
  return balance > 0;
}

/** The words that lead to the same: `least` or more, to `need` words or more. */
function alikeAmong(all: ReadonlyMap<Word, Leads>, least: number, need: number): Set<Word> {
  const holders = new Map<number, number>();
  const isShared = (feature: number) => (holders.get(feature) ?? 0) > 1;
  let some = [...all].filter(([word]) => !word.isClosed && !word.isPlural);
  for (let before = -1; before !== some.length; ) {
    before = some.length;
    holders.clear();
    for (const [, leads] of some) {
      for (const feature of leads.keys()) holders.set(feature, (holders.get(feature) ?? 0) + 1);
    }
    some = some.filter(([word, leads]) => word === VALUE || isAlike(leads, isShared));
  }
  const features = some.flatMap(([, leads]) =>
    [...leads].flatMap(([feature, count]) => (count > 1 || isShared(feature) ? feature : [])),
  );
  const kinds = new Set(features);
  const words = [...kinds].filter((feature) => feature !== END && isShared(feature)).length;
  const count = some.length + (all.has(VALUE) ? 1 : 0);
  if (count < least || words < need || features.length < HOLDERS * kinds.size) return new Set();
  const isOne = ([word, leads]: [Word, Leads]) =>
    word !== VALUE && !word.isClosed && isAlike(leads, isShared);
  return new Set([...all].filter(isOne).map(([word]) => word));
}

export interface Variety {
  /** Words that lead to the same. */
  alike: ReadonlySet<Word>;
  /** Words that lead nowhere, or where those lead. */
  plain: ReadonlySet<Word>;
  /** So many of them are values. */
  enough: number;
  /** How sure it is that one of them is none. */
  certaintyOfWord: number;
  /** Whether there are values by their form. */
  hasForm: boolean;
}

/**
 * @param parent - the word that they stand behind; null behind a value and at the top
 * @param isSeen - whether what they stand behind was seen by itself
 */
export function* varietyOf<T>(
  branches: Branches<T>,
  parent: Word | null,
  isSeen: boolean,
): Steps<Variety> {
  const isCollection = parent?.isPlural === true;
  const least = isCollection && isSeen ? 2 : ENOUGH;
  const hasForm = branches.has(VALUE);
  const { all } = yield* compare(branches, branches.size + (hasForm ? 1 : 0) < least ? 0 : DEPTH);
  const alike = alikeAmong(all, least, isCollection ? 1 : 2);
  const shared = new Set<number>();
  for (const [word, leads] of all) {
    if (word === VALUE || alike.has(word)) for (const feature of leads.keys()) shared.add(feature);
  }
  const isPlain = ([word, leads]: [Word, Leads]) =>
    word !== VALUE &&
    !word.isClosed &&
    !alike.has(word) &&
    [...leads].every(([feature, count]) => feature === END || count === 1 || shared.has(feature));
  const plain = new Set([...all].filter(isPlain).map(([word]) => word));
  const isLast = [...all.values()].every((leads) => leads.size === 1 && leads.has(END));
  if (!parent)
    return { alike, plain, enough: Number.POSITIVE_INFINITY, certaintyOfWord: 1, hasForm };
  if (isCollection) {
    const enough = isSeen && !hasForm ? ENOUGH : UNSEEN;
    return { alike, plain, enough, certaintyOfWord: 0.3, hasForm };
  }
  const enough = isLast ? MANY : Number.POSITIVE_INFINITY;
  return { alike, plain, enough, certaintyOfWord: isLast ? 0.6 : 0.8, hasForm };
}

/** @param known - words that are values elsewhere */
export function valuesAmong(
  { alike, plain, enough, certaintyOfWord, hasForm }: Variety,
  known: ReadonlySet<Word>,
) {
  const plurals = [...plain].filter((word) => word.isPlural).length;
  const areFew = plurals < PLURALS * (plain.size + alike.size);
  const open = [...plain].filter((word) => areFew || !word.isPlural);
  const elsewhere = [...plain].filter((word) => known.has(word));
  let more: readonly Word[] = [];
  if (alike.size > 0) more = certaintyOfWord < 1 || alike.size > open.length ? open : [];
  else {
    more = open.length >= enough ? open : open.filter(({ text }) => hasForm && /[^a-z]/.test(text));
    if (elsewhere.length > plain.size / 2) more = [...more, ...elsewhere];
  }
  const values = new Set([...alike, ...more]);
  const added = values.size - alike.size;
  const certainty = (alike.size + PLAIN * added) / (values.size + 1);
  return { values, certainty, certaintyOfWord: added < plain.size ? certaintyOfWord : 1 };
}
