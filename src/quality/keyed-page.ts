// Pages of lists that are kept in memory: from a place on, the next items that pass.

/**
 * The items from a place on that pass: a page of them, and one more where there are more.
 *
 * @param from - the first place that may be on the page
 */
export function passing<T>(
  items: readonly T[],
  from: number,
  limit: number,
  passes: (item: T, at: number) => boolean,
): { at: number; item: T }[] {
  const found: { at: number; item: T }[] = [];
  for (let at = Math.max(from, 0); at < items.length && found.length <= limit; at += 1) {
    const item = items[at] as T;
    if (passes(item, at)) found.push({ at, item });
  }
  return found;
}

/**
 * The first place whose item sorts behind the one that was seen last.
 *
 * @param end - how many places there are: what is given where nothing is behind
 * @param isBehind - of the item at a place; from the first that is, all must be
 */
export function firstBehind(end: number, isBehind: (at: number) => boolean, start = 0): number {
  let [from, to] = [start, end];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBehind(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/**
 * The revision in which a list goes on: the one that the cursor names, to its end, whatever was
 * imported meanwhile; undefined for the latest.
 */
export function revisionOfCursor(anchor: string | undefined, latest: number): number | undefined {
  const number = Number(anchor);
  return Number.isInteger(number) && number > 0 && number < latest ? number : undefined;
}
