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
  const isClosed = isFixed || RESERVED.has(text.toLowerCase()) || /^v\d/i.test(text);
  return { id, text, isClosed, isPlural: isPlural(text) };
}

/** What comes next, by word. */
type Branches<T> = ReadonlyMap<Word, readonly Node<T>[]>;
/** What a word leads to, and how often. */
type Leads = ReadonlyMap<number, number>;

/** Levels below a word that are compared. */
const DEPTH = 4;
const STEP = 16;
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
  const branches = new Map<Word, Node<T>[]>();
  for (const { next } of nodes) {
    for (const node of next.values()) {
      const same = branches.get(node.word);
      if (same) same.push(node);
      else branches.set(node.word, [node]);
    }
  }
  return branches;
}

function leadsOf<T>(some: readonly Node<T>[], levels: readonly ReadonlySet<Word>[]): Leads {
  const leads = new Map<number, number>();
  let leadsOn = false;
  for (const node of some) {
    if (node.ends.length > 0) leads.set(END, 1);
    leadsOn ||= node.next.size > 0;
    follow(node, 0);
  }
  if (levels.length === 0 && leadsOn) leads.set(ON, 2);
  return leads;

  function follow({ next }: Node<T>, level: number): void {
    const values = levels[level];
    if (!values) return;
    for (const node of next.values()) {
      follow(node, level + 1);
      if (node.word === VALUE || values.has(node.word)) continue;
      const feature = node.word.id * DEPTH + level;
      leads.set(feature, (leads.get(feature) ?? 0) + Math.max(1, node.ends.length));
    }
  }
}

interface Found {
  /** Those of the values that lead to the same. */
  alike: ReadonlySet<Word>;
  values: ReadonlySet<Word>;
  /** From 0 to 1: how sure it is that the values are some, and the doubtful words none. */
  certainty: number;
  certaintyOfWord: number;
  doubtful: ReadonlySet<Word>;
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
    levels.push(yield* alikeAmong(below.all, ENOUGH, 2), ...below.levels);
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
function* alikeAmong(all: ReadonlyMap<Word, Leads>, least: number, need: number): Steps<Set<Word>> {
  const holders = new Map<number, number>();
  const isShared = (feature: number) => (holders.get(feature) ?? 0) > 1;
  let some = [...all].filter(([word]) => !word.isClosed && !word.isPlural);
  for (let before = -1; before !== some.length; ) {
    before = some.length;
    if (before > STEP) yield;
    holders.clear();
    for (const [, leads] of some) {
      for (const feature of leads.keys()) holders.set(feature, (holders.get(feature) ?? 0) + 1);
    }
    some = some.filter(([word, leads]) => word === VALUE || isAlike(leads, isShared));
  }
  if (some.length > STEP) yield;
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

interface Surroundings {
  /** The word that they stand behind; null behind a value and at the top. */
  parent: Word | null;
  /** Whether what they stand behind was seen by itself. */
  isSeen: boolean;
  /** Words that are values elsewhere. */
  known: ReadonlySet<Word>;
}

/** The values among words that stand at one place, and how sure that is of them and of the doubtful others. */
export function* valuesAmong<T>(
  branches: Branches<T>,
  { parent, isSeen, known }: Surroundings,
): Steps<Found> {
  const isCollection = parent?.isPlural === true;
  const hasForm = branches.has(VALUE);
  const least = isCollection && isSeen ? 2 : ENOUGH;
  const { all } = yield* compare(branches, branches.size + (hasForm ? 1 : 0) < least ? 0 : DEPTH);
  const alike = yield* alikeAmong(all, least, isCollection ? 1 : 2);
  const shared = new Set<number>();
  for (const [word, leads] of all) {
    if (word === VALUE || alike.has(word)) for (const feature of leads.keys()) shared.add(feature);
  }
  // Words that lead nowhere, or where values lead.
  const plain = [...all].flatMap(([word, leads]) => {
    const isNone = word === VALUE || word.isClosed || alike.has(word);
    const leadsOn = ([feature, count]: [number, number]) =>
      feature !== END && count > 1 && !shared.has(feature);
    return isNone || [...leads].some(leadsOn) ? [] : word;
  });
  const plurals = plain.filter((word) => word.isPlural).length;
  const areFew = plurals < PLURALS * (plain.length + alike.size);
  const open = plain.filter((word) => areFew || !word.isPlural);
  const elsewhere = plain.filter((word) => known.has(word));
  const isLast = [...all.values()].every((leads) => leads.size === 1 && leads.has(END));
  const enough = isCollection ? (isSeen && !hasForm ? ENOUGH : UNSEEN) : MANY;
  const values = new Set(alike);
  if (alike.size > 0) {
    if (parent || alike.size > open.length) add(open);
  } else {
    if (parent && (isCollection || isLast) && open.length >= enough) add(open);
    if (hasForm) add(open.filter(({ text }) => /[^a-z]/.test(text)));
    if (elsewhere.length > plain.length / 2) add(elsewhere);
  }
  const certainty = (alike.size + PLAIN * (values.size - alike.size)) / (values.size + 1);
  const ofWord = isCollection ? 0.3 : isLast ? 0.6 : 0.8;
  return {
    alike,
    values,
    certainty,
    doubtful: new Set(plain),
    certaintyOfWord: parent ? ofWord : 1,
  };

  function add(words: readonly Word[]): void {
    for (const word of words) values.add(word);
  }
}
