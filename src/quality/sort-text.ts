// What routes are sorted by, short enough that a cursor holds it.
import { createHash } from 'node:crypto';

/** In bytes of JSON: as much as an anchor of a cursor may have, less its quotes. */
const MOST = 118;
/** A long text keeps as many characters of its start as fit before the digest. */
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

/** Orders texts by their characters' codes. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
