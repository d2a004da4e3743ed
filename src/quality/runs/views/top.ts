// The first of many by an order, without sorting all of them at once.

export interface Top<T> {
  add(item: T): void;
  /** The first ones in order. */
  list(): T[];
}

/**
 * Keeps the first of what comes.
 *
 * @param most - how many
 * @param compare - the order; no two items are alike in it
 */
export function createTop<T>(most: number, compare: (a: T, b: T) => number): Top<T> {
  let kept: T[] = [];
  const cut = () => {
    kept = kept.sort(compare).slice(0, most);
    return kept;
  };
  return {
    add(item) {
      kept.push(item);
      if (kept.length >= 4 * most) cut();
    },
    list: cut,
  };
}
