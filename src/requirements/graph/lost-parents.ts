// Items below one that has lost its id to another: they are no part of that other.
import type { SourceItem } from '../sources/model.ts';

/**
 * Items of which each is below what it stands in: where its parent has lost its id to another item,
 * below what that one is in.
 *
 * @param winners - the items that have their ids
 * @param sorted - all items, those that have lost their ids too, in the order in which they stand
 */
export function withOwnParents(
  winners: readonly SourceItem[],
  sorted: readonly SourceItem[],
): readonly SourceItem[] {
  if (winners.length === sorted.length) return winners;
  const holders = new Map(winners.map((item) => [item.id, item]));
  const places = placesOfRepeated(sorted, holders);
  const placeOf = new Map(sorted.map((item, at) => [item, at]));

  /** The item without its id that another is below; undefined where its parent has its own. */
  function lostParentOf(child: SourceItem): SourceItem | undefined {
    const at = lastBefore(places.get(child.parentId ?? '') ?? [], placeOf.get(child) ?? 0);
    const parent = at === undefined ? undefined : sorted[at];
    const isLost = parent?.path === child.path && holders.get(parent.id) !== parent;
    return isLost ? parent : undefined;
  }

  const above = new Map<SourceItem, string | null>();

  function parentOf(item: SourceItem): string | null {
    const passed: SourceItem[] = [];
    let child = item;
    // Each step leads to an item that stands before.
    while (!above.has(child)) {
      const next = lostParentOf(child);
      if (!next) break;
      passed.push(child);
      child = next;
    }
    const known = above.get(child);
    const parentId = known === undefined ? child.parentId : known;
    for (const one of passed) above.set(one, parentId);
    return parentId;
  }

  return winners.map((item) => {
    if (item.parentId === null || !places.has(item.parentId)) return item;
    return { ...item, parentId: parentOf(item) };
  });
}

/** Where the items stand that share their ids with others, by these, in their order. */
function placesOfRepeated(
  sorted: readonly SourceItem[],
  holders: ReadonlyMap<string, SourceItem>,
): Map<string, number[]> {
  const repeated = new Set(
    sorted.filter((item) => holders.get(item.id) !== item).map(({ id }) => id),
  );
  const places = new Map<string, number[]>();
  sorted.forEach(({ id }, at) => {
    if (!repeated.has(id)) return;
    const known = places.get(id);
    if (known) known.push(at);
    else places.set(id, [at]);
  });
  return places;
}

/** The last of ascending numbers that is below another. */
function lastBefore(ascending: readonly number[], bound: number): number | undefined {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ascending[middle] ?? 0) < bound) from = middle + 1;
    else to = middle;
  }
  return ascending[from - 1];
}
