// Lists: what they are cached under, and where a page of them begins.

import { hash } from 'node:crypto';
import type { Static, TObject } from '@sinclair/typebox';
import { evictOldest } from '../requirements/graph/effective.ts';
import type { Database } from '../store/database.ts';

/** Values by name, each as good as the key that it was made under: versions of what it is made of. */
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

/** The first place whose item is behind; from it on all must be. `end`: how many places there are. */
export function firstBehind(end: number, isBehind: (at: number) => boolean): number {
  let [from, to] = [0, end];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBehind(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The revision in which a list goes on: that of its cursor; undefined for the latest. */
export function revisionOfCursor(anchor: string | undefined, latest: number): number | undefined {
  const number = Number(anchor);
  return Number.isInteger(number) && number > 0 && number < latest ? number : undefined;
}

/** In bytes of JSON: as much as an anchor of a cursor may have. */
const MAX_BYTES = 120;

/** Template and method; of a long template the start, and a digest of all that tells two apart. */
export function sortText(template: string, method: string): string {
  const text = `${template} ${method}`;
  const json = JSON.stringify(text);
  if (Buffer.byteLength(json) <= MAX_BYTES) return text;
  return `${text.slice(0, 15)} ${hash('sha256', json, 'base64url').slice(0, 22)}`;
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
