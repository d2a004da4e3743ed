// Which of the words that stand in one place of many paths are values. It goes by how often each is
// seen, by what follows it, and by what stands before it.
import { singular } from './param-names.ts';

/** A word that stands in a place, with all that is seen behind it. */
export interface Sibling {
  text: string;
  /** How much it looks like a value by itself. */
  weight: number;
  /** How often it was seen. */
  count: number;
  /** Numbers for the shapes of what follows it. */
  shapes: Set<number>;
}

/** The place: at the top of all paths, after a part of the route, or after a value. */
export interface Stand {
  after: 'top' | 'word' | 'value';
  /** Whether the word before is a plural: what stands behind it is a value more often. */
  behindPlural: boolean;
}

/** How much words that are seldom seen must look like values together. */
const ENOUGH: Record<Stand['after'], number> = { top: 40, word: 4.5, value: 4.5 };
/** Such a word is seen less often than this before one and the same rest of a path. */
const REPEATS = 2.5;
/** So many values are no accident. */
const MANY = 20;
const MOSTLY = 0.8;
/** Words that lead to so much of the same are of one kind. */
const ALIKE = 3;
/** So many words that are often seen are values; fewer beside values that are seldom seen. */
const COMMON = 6;
const COMMON_BESIDE = 4;
/** What a plural counts of these: parts of routes are plurals, values seldom are. */
const PLURAL = 0.2;
/** So many of them lead to a shape for it to be one that they have in common. */
const CORE = 1 / 3;

/**
 * Those of some siblings that are values.
 *
 * @param known - the shapes of what follows their siblings that are values by their form
 */
export function valuesAmong<Word extends Sibling>(
  siblings: readonly Word[],
  known: ReadonlySet<number>,
  stand: Stand,
): Word[] {
  const found = seldomSeen(siblings, known, stand);
  const others = new Set(siblings).difference(new Set(found));
  const enough = found.length > 0 ? COMMON_BESIDE : COMMON;
  return [...found, ...oftenSeen([...others], enough, stand)];
}

/** Whether a word is an English plural, as well as its ending tells. */
export function isPlural(word: string): boolean {
  return singular(word) !== word;
}

/** Words that vary much: many that are seldom seen, before the same. */
function seldomSeen<Word extends Sibling>(
  siblings: readonly Word[],
  known: ReadonlySet<number>,
  { after }: Stand,
): Word[] {
  const rare = siblings.filter((child) => repeats(child) < REPEATS && child.weight >= 1);
  const holders = holdersOf(rare);
  const isAlike = ({ shapes }: Sibling) => [...shapes].some((one) => (holders.get(one) ?? 0) > 1);
  const weight = rare.filter(isAlike).reduce((sum, child) => sum + child.weight, 0);
  if (weight >= ENOUGH[after]) {
    return rare.length < MANY ? rare : [...rare, ...popular(siblings, rare, holders)];
  }
  return rare.filter(({ shapes }) => [...shapes].some((shape) => known.has(shape)));
}

/**
 * Among many values some are asked for often. They lead nowhere else than the others, and to
 * much of the same, or each is asked for not much more often than the one before.
 */
function popular<Word extends Sibling>(
  siblings: readonly Word[],
  rare: readonly Word[],
  holders: ReadonlyMap<number, number>,
): Word[] {
  const others = siblings
    .filter((child) => child.weight >= 1 && repeats(child) >= REPEATS)
    .sort((a, b) => repeats(a) - repeats(b));
  let most = rare.reduce((max, child) => Math.max(max, repeats(child)), 0);
  const found: Word[] = [];
  for (const child of others) {
    const shared = [...child.shapes].filter((shape) => holders.has(shape)).length;
    if (shared / child.shapes.size < MOSTLY) continue;
    const isNext = repeats(child) <= 2 * most;
    if (isNext) most = repeats(child);
    if (isNext || shared >= ALIKE) found.push(child);
  }
  return found;
}

/**
 * Values that are all asked for often: many words that lead to the same. Behind a plural that may be
 * nothing; elsewhere they must lead to much of it, for parts of a route lead to little alike.
 */
function oftenSeen<Word extends Sibling>(
  siblings: readonly Word[],
  enough: number,
  { after, behindPlural }: Stand,
): Word[] {
  if (after === 'top') return [];
  const words = siblings.filter(({ weight }) => weight >= 1);
  const holders = holdersOf(words);
  const most = Math.max(2, words.length * CORE);
  const alike = words.filter(({ shapes }) => {
    const shared = [...shapes].filter((shape) => (holders.get(shape) ?? 0) >= most).length;
    return shared / shapes.size >= MOSTLY && (behindPlural || shared >= ALIKE);
  });
  const strength = alike.reduce((sum, { text }) => sum + (isPlural(text) ? PLURAL : 1), 0);
  return strength >= enough ? alike : [];
}

/** How many of some words lead to each shape. */
function holdersOf(words: readonly Sibling[]): Map<number, number> {
  const holders = new Map<number, number>();
  for (const { shapes } of words) {
    for (const shape of shapes) holders.set(shape, (holders.get(shape) ?? 0) + 1);
  }
  return holders;
}

/** How often a word is seen before one and the same rest of a path. */
function repeats({ count, shapes }: Sibling): number {
  return count / shapes.size;
}
