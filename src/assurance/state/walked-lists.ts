// Lists in the order of a walk, and what of them is behind a place.
import { firstBehind } from '../../quality/keyed-page.ts';
import { type KeyedList, keptList } from './filtered-lists.ts';
import type { AssuranceState } from './state.ts';
import type { Walk } from './walks.ts';

/** Where an item stands in a walk: by the key of its story, then by what it has beside others. */
export interface Standing {
  key: number;
  beside: number;
}

export interface WalkedList<T> {
  items: readonly T[];
  standingAt(at: number): Standing;
}

/**
 * A list in the order of a walk. In that of today it is the list as it is, which must be in that
 * order; in another one it is sorted once.
 *
 * @param name - of the list and its filters; the same name must mean the same
 * @param standingOf - undefined for what is in no such walk
 */
export function inWalk<T>(
  state: AssuranceState,
  name: string,
  walk: Walk,
  { keys, items }: KeyedList<T>,
  standingOf: (item: T, key: number) => Standing | undefined,
): WalkedList<T> {
  if (walk.isToday)
    return {
      items,
      standingAt: (at) => standingOf(items[at] as T, keys[at] ?? 0) ?? NOWHERE,
    };
  return keptList(state, `${name} ${walk.revisions.join('.')}`, () => {
    const placed = items.flatMap((item, at) => {
      const standing = standingOf(item, keys[at] ?? 0);
      return standing ? [{ item, standing }] : [];
    });
    placed.sort((a, b) => compareStandings(a.standing, b.standing));
    return {
      items: placed.map(({ item }) => item),
      standingAt: (at) => placed[at]?.standing ?? NOWHERE,
    };
  });
}

const NOWHERE: Standing = { key: Number.MAX_SAFE_INTEGER, beside: 0 };

/** Orders what stands in a walk. */
export function compareStandings(a: Standing, b: Standing): number {
  return a.key - b.key || a.beside - b.beside;
}

/**
 * The entries of a list behind a place: a page of them, and one more where there are more.
 *
 * @param behind - a place that need not be in the list any more
 */
export function sliceBehind<T>(
  { items, standingAt }: WalkedList<T>,
  behind: Standing | undefined,
  limit: number,
): { standing: Standing; item: T }[] {
  const from = behind
    ? firstBehind(items.length, (at) => compareStandings(standingAt(at), behind) > 0)
    : 0;
  return items
    .slice(from, from + limit + 1)
    .map((item, at) => ({ standing: standingAt(from + at), item }));
}
