// Counts of requests and refusals, and durations in buckets. They are our own: an observation of prom-client costs a request
// forty times as much.
import type { ProblemCode } from '../errors.ts';

const BUCKETS_MS = [1, 5, 25, 100, 500, 2500];

interface Series {
  status: number;
  durations: Histogram;
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const all = new Map<string, Series[]>();
  const refusals = new Map<ProblemCode, number>();
  let answered = 0;
  return {
    /** Requests answered so far. */
    get answered(): number {
      return answered;
    },
    refusals: refusals as ReadonlyMap<ProblemCode, number>,
    refused: (code: ProblemCode) => void refusals.set(code, (refusals.get(code) ?? 0) + 1),
    /** What counts the answered requests of an operation. */
    counterOf(operation: string) {
      const own = all.get(operation) ?? [];
      all.set(operation, own);
      return (status: number, ms: number): void => {
        answered += 1;
        durationsOf(own, status).observe(ms);
      };
    },
    series: () => [...all].flatMap(([operation, own]) => own.map((one) => ({ operation, ...one }))),
  };
}

function durationsOf(own: Series[], status: number): Histogram {
  // By index: every answer is counted, and an iterator costs more than this search.
  for (let at = 0; at < own.length; at += 1) {
    const one = own[at];
    if (one?.status === status) return one.durations;
  }
  const durations = createHistogram(BUCKETS_MS);
  own.push({ status, durations });
  return durations;
}

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
