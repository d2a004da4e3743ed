// Caches give back what nobody has asked for in a while.
import { collectNow } from './worker.ts';

const IDLE_MS = 20_000;
const TOGETHER_MS = 1000;

let collection: ReturnType<typeof setTimeout> | undefined;

/** Once for all caches that have dropped something meanwhile: it takes time by all that is kept. */
function collectSoon(): void {
  collection ??= setTimeout(() => {
    collection = undefined;
    collectNow();
  }, TOGETHER_MS);
  collection.unref?.();
}

/**
 * Drops entries from a cache that were not used for so long, or twice that.
 * @returns to be called with an entry when it is used
 */
export function dropIdle<T extends object>(cached: Map<unknown, T>): (one: T) => void {
  let used = new WeakSet<T>();
  let isWaiting = false;
  function sweep() {
    const before = cached.size;
    for (const [key, one] of cached) if (!used.has(one)) cached.delete(key);
    used = new WeakSet();
    isWaiting = false;
    if (cached.size > 0) wait();
    // Of a process in which nothing else happens nobody else would.
    if (cached.size < before) collectSoon();
  }
  function wait() {
    if (!isWaiting) setTimeout(sweep, IDLE_MS).unref?.();
    isWaiting = true;
  }
  return (one) => {
    used.add(one);
    wait();
  };
}
