// Pages of lists that are kept in memory: behind a key, the next items that pass.

/** Items with whole numbers as keys, which rise. */
export interface KeyedItems<T> {
  keys: readonly number[];
  items: readonly T[];
}

/**
 * The items behind a key that pass: a page of them, and one more where there are more.
 *
 * @param behind - a key that need not be in the list any more
 */
export function passing<T>(
  { keys, items }: KeyedItems<T>,
  behind: number | undefined,
  limit: number,
  passes: (item: T) => boolean,
): { key: number; item: T }[] {
  const found: { key: number; item: T }[] = [];
  let at = behind === undefined ? 0 : firstBehind(keys, behind);
  for (; at < items.length && found.length <= limit; at += 1) {
    const item = items[at] as T;
    if (passes(item)) found.push({ key: keys[at] as number, item });
  }
  return found;
}

/** The place of the first key that is greater. */
function firstBehind(keys: readonly number[], key: number): number {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((keys[middle] ?? 0) > key) to = middle;
    else from = middle + 1;
  }
  return from;
}
