// Which of the words that stand at one place of many paths are values: those that lead to the same as
// others do, and words behind a plural.
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

/** Levels below a word that are compared. */
const DEPTH = 4;
const STEP = 16;
/** So many words are values: that lead to the same, or stand behind a plural; behind one not seen alone. */
const [ENOUGH, UNSEEN] = [3, 5];

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

/** The words some levels below, each with its level. */
function leadsOf<T>(nodes: readonly Node<T>[], level = 0, leads = new Set<number>()): Set<number> {
  for (const { next } of nodes) {
    for (const node of next.values()) {
      if (node.word !== VALUE) leads.add(node.word.id * DEPTH + level);
      if (level + 1 < DEPTH) leadsOf([node], level + 1, leads);
    }
  }
  return leads;
}

interface Found {
  values: ReadonlySet<Word>;
  /** From 0 to 1: how sure it is that these are values. */
  certainty: number;
  /** Other words that may as well be values: those behind a plural that lead nowhere. */
  doubtful: ReadonlySet<Word>;
}

/** @param isSeen - whether the `parent` that they stand behind was seen by itself */
export function* valuesAmong<T>(
  branches: Branches<T>,
  parent: Word | null,
  isSeen: boolean,
): Steps<Found> {
  const isCollection = parent?.isPlural === true;
  const all = new Map<Word, Set<number>>();
  const holders = new Map<number, number>();
  for (const [word, some] of branches) {
    if (all.size % STEP === STEP - 1) yield;
    if (word.isClosed || word.isPlural) continue;
    const leads = leadsOf(some);
    all.set(word, leads);
    for (const one of leads) holders.set(one, (holders.get(one) ?? 0) + 1);
  }
  const hasForm = all.delete(VALUE);
  const need = isCollection ? 1 : 2;
  const alike: Word[] = [];
  const plain: Word[] = [];
  for (const [word, leads] of all) {
    const shared = [...leads].filter((one) => (holders.get(one) ?? 0) > 1);
    if (shared.length >= need) alike.push(word);
    else if (leads.size === 0) plain.push(word);
  }
  // Words that stand among collections are parts of the route as those are.
  const plurals = [...branches.keys()].filter((word) => word.isPlural).length;
  const count = alike.length + (hasForm ? 1 : 0);
  const areAlike = count >= (isCollection && isSeen ? 2 : ENOUGH) && alike.length > plurals;
  const arePlain = isCollection && plain.length >= (isSeen && !hasForm ? ENOUGH : UNSEEN);
  const putTogether = (word: Word) => isCollection && hasForm && /[^a-z]/.test(word.text);
  const values = new Set([
    ...(areAlike ? alike : []),
    ...(arePlain || (areAlike && parent) ? plain : []),
    ...[...all.keys()].filter(putTogether),
  ]);
  const doubtful = new Set(isCollection ? plain : []);
  return { values, certainty: values.size / (values.size + 1), doubtful };
}
