// Pages of lists that are kept in memory: from a place on, the next items that pass.
import { createHash } from 'node:crypto';

/** The items from a place on that pass: a page of them, and one more where there are more. */
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

/** In bytes of JSON: as much as an anchor of a cursor may have, less its quotes. */
const MOST = 118;
const CUTS = [95, 31];
/** So many fit whatever they are: JSON needs six bytes a character at most. */
const SHORTEST_CUT = 15;
const DIGEST = 22;

/**
 * What a route is sorted by: template and method. Of a long template it is the start, and then a
 * digest of all, so that two routes differ in it however long they are.
 */
export function sortText(template: string, method: string): string {
  const text = `${template} ${method}`;
  if (bytesOf(text) <= MOST) return text;
  const digest = createHash('sha256').update(JSON.stringify(text)).digest('base64url');
  const cut = CUTS.find((one) => bytesOf(text.slice(0, one)) <= MOST - DIGEST - 1);
  return `${text.slice(0, cut ?? SHORTEST_CUT)} ${digest.slice(0, DIGEST)}`;
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
