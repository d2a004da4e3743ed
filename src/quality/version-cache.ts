// Values by name, each as good as the key that it was made under: versions of what it is made of.
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
