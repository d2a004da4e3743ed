// Durations counted in buckets, cheap enough for every request; `/metrics` reads them when asked.

export interface Histogram {
  /** Counts a duration in milliseconds. */
  observe(ms: number): void;
  snapshot(): {
    count: number;
    sumMs: number;
    /** Upper bounds in milliseconds, and how many took no longer. */
    buckets: [number, number][];
  };
}

/** @param boundsMs - upper bounds of the buckets, ascending */
export function createHistogram(boundsMs: readonly number[]): Histogram {
  const within = [...boundsMs, 0].map(() => 0);
  let sumMs = 0;
  return {
    observe(ms) {
      sumMs += ms;
      let at = 0;
      while (at < boundsMs.length && ms > (boundsMs[at] as number)) at += 1;
      within[at] = (within[at] ?? 0) + 1;
    },
    snapshot() {
      let count = 0;
      const buckets = boundsMs.map((bound, at): [number, number] => {
        count += within[at] ?? 0;
        return [bound, count];
      });
      return { count: count + (within.at(-1) ?? 0), sumMs, buckets };
    },
  };
}
