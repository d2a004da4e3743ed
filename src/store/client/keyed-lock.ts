// One thing at a time for each key: what keeps apart things that must not come between each other.

/** Runs work alone among all work of the same key, in the order of the calls. */
export type KeyedLock = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Makes a lock that remembers a key only while somebody holds it or waits for it. */
export function keyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const run = (tails.get(key) ?? Promise.resolve()).then(work);
    const tail = run.catch(() => undefined);
    tails.set(key, tail);
    try {
      return await run;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}
