// Keyset pages: a cursor names the last row that was seen, under a version and the filters it was
// made for, so that it cannot be carried to another list.
import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';

const VERSION = 1;
const OF_PAGES = ['cursor', 'limit', 'count'];
export const PAGE_DEFAULT = 50;
export const MAX_PAGE_SIZE = 200;

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Of a list as a whole: how many items it has, `more` where it has more than are counted. */
export interface Total {
  total?: number;
  more?: true;
}

/** A short hash of what a list was filtered by; any of some values is the same in any order. */
export function filterHash(operation: string, filters: Record<string, unknown>): string {
  const named = Object.entries(filters)
    .filter(([name, value]) => value !== undefined && !OF_PAGES.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].sort() : value]);
  return createHash('sha256')
    .update(JSON.stringify([operation, named]))
    .digest('base64url')
    .slice(0, 12);
}

const ANCHOR_BYTES = 120;

/**
 * A cursor behind the row with this key.
 * @param anchor - what else names the place of the row, where the key alone does not
 * @throws for an anchor that is too long: without it the next page would begin anywhere
 */
export function encodeCursor(filters: string, key: number, anchor?: string): string {
  if (anchor !== undefined && Buffer.byteLength(JSON.stringify(anchor)) > ANCHOR_BYTES)
    throw new Error('the anchor of a cursor is too long');
  const parts = [VERSION, filters, key, ...(anchor === undefined ? [] : [anchor])];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * Reads a cursor.
 * @returns the key of the last row seen, or undefined where there is no cursor
 * @throws Problem `invalid` when it is not one of ours or belongs to other filters
 */
export function decodeCursor(filters: string, cursor: string | undefined): number | undefined {
  return decodeAnchored(filters, cursor)?.key;
}

/** The same with what else names the place of the last row seen, as far as the cursor says. */
export function decodeAnchored(
  filters: string,
  cursor: string | undefined,
): { key: number; anchor: string | undefined } | undefined {
  if (cursor === undefined) return undefined;
  const [version, hash, key, anchor] = parse(cursor);
  if (version !== VERSION || typeof key !== 'number' || !Number.isSafeInteger(key)) {
    throw invalid('/cursor', 'is not a cursor of this service');
  }
  if (hash !== filters) throw invalid('/cursor', 'belongs to a list with other filters');
  return { key, anchor: typeof anchor === 'string' ? anchor : undefined };
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/**
 * Makes a page of rows that were read with one more than the limit.
 * @param rows - at most `limit + 1` rows
 * @param keyOf - the row's key, by which the list is ordered
 * @param anchorOf - what else names the place of a row, where the key alone does not
 */
export function pageOf<R, T>(
  rows: R[],
  limit: number,
  filters: string,
  keyOf: (row: R) => number,
  itemOf: (row: R) => T,
  anchorOf?: (row: R) => string,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  const nextCursor = more ? encodeCursor(filters, keyOf(last), anchorOf?.(last)) : null;
  return { items: shown.map(itemOf), nextCursor };
}
