// Lists that are kept with the state they are made of, the filtered ones too: a page of them costs
// what the page costs, however long the list is.
import type { AssuranceState } from './state.ts';

/** Items with keys that rise. */
export interface KeyedList<T> {
  keys: readonly number[];
  items: readonly T[];
}

const KEPT = 32;
const lists = new WeakMap<AssuranceState, Map<string, unknown>>();

/**
 * What passes of a list.
 *
 * @param name - of the list and its filters; the same name must mean the same
 * @param passes - undefined where everything does
 */
export function filteredList<T>(
  state: AssuranceState,
  name: string,
  list: KeyedList<T>,
  passes: ((item: T) => boolean) | undefined,
): KeyedList<T> {
  if (!passes) return list;
  return keptList(state, name, () => {
    const keys: number[] = [];
    const items: T[] = [];
    for (const [at, item] of list.items.entries()) {
      if (!passes(item)) continue;
      keys.push(list.keys[at] ?? 0);
      items.push(item);
    }
    return { keys, items };
  });
}

/** A list of a state that is made once, and made again where others were asked for since. */
export function keptList<L>(state: AssuranceState, name: string, make: () => L): L {
  const kept = lists.get(state) ?? new Map<string, unknown>();
  lists.set(state, kept);
  const known = kept.get(name) as L | undefined;
  if (known) return known;
  const made = make();
  kept.set(name, made);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return made;
}

/** The entries whose keys lie from one key up to another, without that. */
export function rangeOf<T>({ keys, items }: KeyedList<T>, from: number, to: number): KeyedList<T> {
  const [first, end] = [firstBehind(keys, from - 1), firstBehind(keys, to - 1)];
  return { keys: keys.slice(first, end), items: items.slice(first, end) };
}

/** The place of the first key that is greater; keys are whole numbers. */
function firstBehind(keys: readonly number[], key: number): number {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((keys[middle] ?? 0) > key) to = middle;
    else from = middle + 1;
  }
  return from;
}
