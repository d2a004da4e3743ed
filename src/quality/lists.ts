// Values by name, each as good as the key that it was made under: versions of what it is made of.

import { hash } from 'node:crypto';
import type { Static, TObject } from '@sinclair/typebox';
import { evictOldest } from '../requirements/graph/effective.ts';
import type { Database } from '../store/database.ts';

/** Makes an empty cache; `sizeOf` counts what a value holds. */
export function createVersionCache<T>(
  database: Pick<Database, 'onRecovered'>,
  sizeOf: (value: T) => number,
) {
  const entries = new Map<string, { key: readonly unknown[]; value: Promise<T>; size: number }>();
  database.onRecovered(() => entries.clear());
  return {
    /** A value that is known under this key, or made now: one at a time of a name. */
    get(name: string, key: readonly unknown[], make: () => Promise<T>): Promise<T> {
      const known = entries.get(name);
      entries.delete(name);
      if (known?.key.every((one, at) => one === key[at])) {
        entries.set(name, known);
        return known.value;
      }
      const value = known ? known.value.then(make, make) : make();
      const entry = { key, value, size: known?.size ?? 0 };
      entries.set(name, entry);
      value.then(
        (made) => {
          entry.size = sizeOf(made);
          evictOldest(entries, ({ size }) => size);
        },
        () => {
          if (entries.get(name) === entry) entries.delete(name);
        },
      );
      return value;
    },
  };
}

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

/** In bytes of JSON: as much as an anchor of a cursor may have. */
const MAX_BYTES = 120;

/**
 * What a route is sorted by: template and method. Of a long template it is the start, and then a
 * digest of all, so that two routes differ in it however long they are.
 */
export function sortText(template: string, method: string): string {
  const fits = (one: string) => Buffer.byteLength(JSON.stringify(one)) <= MAX_BYTES;
  const text = `${template} ${method}`;
  if (fits(text)) return text;
  const digest = hash('sha256', JSON.stringify(text), 'base64url').slice(0, 22);
  const texts = [95, 31, 15].map((cut) => `${text.slice(0, cut)} ${digest}`);
  return texts.find(fits) ?? digest;
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Of some values those that a schema names, in its order: what it does not name is not answered. */
export function shownBy<S extends TObject>(schema: S, values: object): Static<S> {
  const shown: Record<string, unknown> = {};
  for (const name of Object.keys(schema.properties)) {
    const value = (values as Record<string, unknown>)[name];
    if (value !== undefined) shown[name] = value;
  }
  return shown as Static<S>;
}
