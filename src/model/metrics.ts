// Counts of requests and refusals. They are our own: an observation of prom-client costs a request
// forty times as much.

import type { ProblemCode } from '../errors.ts';
import { createHistogram, type Histogram } from '../histogram.ts';

const BUCKETS_MS = [1, 5, 25, 100, 500, 2500];

interface Series {
  status: number;
  durations: Histogram;
}

export interface Metrics {
  /** What counts the answered requests of an operation. */
  counterOf(operation: string): (status: number, ms: number) => void;
  /** Counts a refused or failed request by its reason. */
  refused(code: ProblemCode): void;
  /** Requests answered so far. */
  readonly answered: number;
  /** The durations so far, by operation and status. */
  series(): { operation: string; status: number; durations: Histogram }[];
  readonly refusals: ReadonlyMap<ProblemCode, number>;
}

export function createMetrics(): Metrics {
  const all = new Map<string, Series[]>();
  const refusals = new Map<ProblemCode, number>();
  let answered = 0;
  return {
    get answered() {
      return answered;
    },
    refusals,
    refused: (code) => void refusals.set(code, (refusals.get(code) ?? 0) + 1),
    counterOf(operation) {
      const own = all.get(operation) ?? [];
      all.set(operation, own);
      return (status, ms) => {
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
