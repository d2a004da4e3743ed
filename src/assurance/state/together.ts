// Work that is done for one thing at a time: what comes meanwhile waits, and is then done together.

/**
 * Makes a function that passes what it is given on to `work`, all of one key together, while no other
 * work for the key is under way.
 *
 * @param work - is given what has come for a key since it was last begun, the oldest first
 */
export function together<T>(
  work: (key: string, given: readonly T[]) => Promise<unknown>,
): (key: string, one: T) => Promise<void> {
  const underWay = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, { given: T[]; done: Promise<void> }>();

  async function next(key: string, given: readonly T[]): Promise<void> {
    await underWay.get(key)?.catch(() => {});
    waiting.delete(key);
    const doing = work(key, given);
    underWay.set(key, doing);
    try {
      await doing;
    } finally {
      if (underWay.get(key) === doing) underWay.delete(key);
    }
  }

  return (key, one) => {
    const known = waiting.get(key);
    if (known) {
      known.given.push(one);
      return known.done;
    }
    const given = [one];
    const entry = { given, done: Promise.resolve() };
    waiting.set(key, entry);
    entry.done = next(key, given);
    return entry.done;
  };
}
