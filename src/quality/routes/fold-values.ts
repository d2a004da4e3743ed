// Which segments of many paths are values: a trie from the top, whose siblings are merged where they
// vary much and lead to alike subtrees. Each pass looks at each segment once.
import type { Steps } from '../scheduler.ts';
import type { Segment } from './segment.ts';

export interface SeenPath {
  segments: readonly Segment[];
  count: number;
}

const PASSES = 2;
const STEP = 512;

/**
 * Finds the values in paths.
 *
 * @returns for each path, for each of its segments, whether it is a value (1) or a part of the route
 */
export function* valuesIn(paths: readonly SeenPath[]): Steps<Uint8Array[]> {
  let values: Uint8Array[] = paths.map(({ segments }) =>
    Uint8Array.from(segments, ({ type, weight }) => (type !== null || weight >= 1 ? 1 : 0)),
  );
  yield;
  for (let pass = 0; pass < PASSES; pass++) {
    const reading: Reading = {
      paths,
      shapes: yield* shapesOf(paths, values),
      values: paths.map(({ segments }) => new Uint8Array(segments.length)),
      left: STEP,
    };
    yield* divide(
      reading,
      paths.map((_, at) => at),
      0,
      { after: 'top', behindPlural: false },
    );
    values = reading.values;
  }
  return values;
}

interface Reading {
  paths: readonly SeenPath[];
  /** For each path and place in it, a number for the shape of what follows. */
  shapes: Int32Array[];
  values: Uint8Array[];
  /** Paths that are still looked at in this step. */
  left: number;
}

/** Numbers for shapes: equal where the same words and values follow in the same order. */
function* shapesOf(paths: readonly SeenPath[], values: readonly Uint8Array[]): Steps<Int32Array[]> {
  const known = new Map<string, number>();
  const all: Int32Array[] = [];
  for (const [path, { segments }] of paths.entries()) {
    if (path % STEP === STEP - 1) yield;
    const shapes = new Int32Array(segments.length + 1);
    for (let at = segments.length - 1; at >= 0; at--) {
      const word = values[path]?.[at] ? '' : segments[at]?.text;
      const key = `${shapes[at + 1]}/${word}`;
      let shape = known.get(key);
      if (shape === undefined) {
        shape = known.size + 1;
        known.set(key, shape);
      }
      shapes[at] = shape;
    }
    all.push(shapes);
  }
  return all;
}

interface Child extends Sibling {
  paths: number[];
}

function* divide(reading: Reading, members: number[], at: number, stand: Stand): Steps<void> {
  reading.left -= members.length;
  if (reading.left < 0) {
    yield;
    reading.left = STEP;
  }
  const values: number[] = [];
  const children = new Map<string, Child>();
  for (const path of members) {
    const seen = reading.paths[path];
    const segment = seen?.segments[at];
    if (!seen || !segment) continue;
    if (segment.type !== null) {
      values.push(path);
      continue;
    }
    let child = children.get(segment.text);
    if (!child) {
      const { text, weight } = segment;
      child = { text, weight, paths: [], count: 0, shapes: new Set() };
      children.set(segment.text, child);
    }
    child.paths.push(path);
    child.count += seen.count;
    child.shapes.add(reading.shapes[path]?.[at + 1] ?? 0);
  }
  const known = new Set(values.map((path) => reading.shapes[path]?.[at + 1] ?? 0));
  const merged = new Set(valuesAmong([...children.values()], known, stand));
  for (const child of children.values()) {
    if (merged.has(child)) for (const path of child.paths) values.push(path);
    else {
      const isStart = isPrefix(child.text) && stand.after === 'top';
      const next: Stand = { after: isStart ? 'top' : 'word', behindPlural: isPlural(child.text) };
      yield* divide(reading, child.paths, at + 1, next);
    }
  }
  for (const path of values) {
    const flags = reading.values[path];
    if (flags) flags[at] = 1;
  }
  if (values.length > 0)
    yield* divide(reading, values, at + 1, { after: 'value', behindPlural: false });
}

function isPrefix(text: string): boolean {
  return /^(?:api|apis|rest|v\d+.*)$/i.test(text);
}

export interface Sibling {
  text: string;
  /** How much it looks like a value by itself. */
  weight: number;
  /** How often it was seen. */
  count: number;
  /** Numbers for the shapes of what follows it. */
  shapes: Set<number>;
}

export interface Stand {
  after: 'top' | 'word' | 'value';
  /** Whether the word before is a plural: what stands behind it is a value more often. */
  behindPlural: boolean;
}

/** How much words that are seldom seen must look like values together. */
const ENOUGH: Record<Stand['after'], number> = { top: 40, word: 4.5, value: 4.5 };
const REPEATS = 2.5;
const MANY = 20;
const MOSTLY = 0.8;
const ALIKE = 3;
const COMMON = 6;
const COMMON_BESIDE = 4;
const PLURAL = 0.2;
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

const IRREGULAR: Record<string, string> = {
  people: 'person',
  children: 'child',
  indices: 'index',
  vertices: 'vertex',
  movies: 'movie',
  cookies: 'cookie',
};

export function singular(word: string): string {
  const lower = word.toLowerCase();
  if (IRREGULAR[lower]) return IRREGULAR[lower];
  if (/(?:ss|us|is|news|series|settings)$/.test(lower)) return word;
  if (/[^aeiou]ies$/.test(lower)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z|us)es$/.test(lower)) return word.slice(0, -2);
  return lower.endsWith('s') && lower.length > 2 ? word.slice(0, -1) : word;
}

export function isPlural(word: string): boolean {
  return singular(word) !== word;
}

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

function holdersOf(words: readonly Sibling[]): Map<number, number> {
  const holders = new Map<number, number>();
  for (const { shapes } of words) {
    for (const shape of shapes) holders.set(shape, (holders.get(shape) ?? 0) + 1);
  }
  return holders;
}

function repeats({ count, shapes }: Sibling): number {
  return count / shapes.size;
}
