// Which segments of many paths are values: a trie from the top, whose siblings are merged where they
// vary much and lead to alike subtrees. Each pass looks at each segment once.
import type { Steps } from '../turns.ts';
import { isPlural, type Sibling, type Stand, valuesAmong } from './fold-siblings.ts';
import type { Segment } from './segment.ts';

/** A path that was seen, with how often. */
export interface SeenPath {
  segments: readonly Segment[];
  count: number;
}

const PASSES = 2;
/** So many paths are looked at in one step. */
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

/** The paths that go on with the same word. */
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

/** What stands before all routes and says nothing of them. */
function isPrefix(text: string): boolean {
  return /^(?:api|apis|rest|v\d+.*)$/i.test(text);
}
