// Counts of requests, for the Prometheus page.

const BUCKETS_MS = [1, 5, 25, 100, 500, 2500];

interface Series {
  sumMs: number;
  /** How many took no longer than each bound and longer than the one before; the last, the rest. */
  within: number[];
}

export interface Metrics {
  /** Counts an answered request. */
  count(operation: string, status: number, ms: number): void;
  /** Requests answered so far. */
  readonly answered: number;
  /** Every series so far: operation, status, count, total milliseconds, cumulative buckets. */
  series(): {
    operation: string;
    status: number;
    count: number;
    sumMs: number;
    buckets: [number, number][];
  }[];
}

/** Makes empty counts. */
export function createMetrics(): Metrics {
  const all = new Map<string, Map<number, Series>>();
  let answered = 0;
  return {
    get answered() {
      return answered;
    },
    count(operation, status, ms) {
      answered += 1;
      let byStatus = all.get(operation);
      if (!byStatus) {
        byStatus = new Map();
        all.set(operation, byStatus);
      }
      let series = byStatus.get(status);
      if (!series) {
        series = { sumMs: 0, within: [...BUCKETS_MS, 0].map(() => 0) };
        byStatus.set(status, series);
      }
      series.sumMs += ms;
      let at = 0;
      while (at < BUCKETS_MS.length && ms > (BUCKETS_MS[at] as number)) at += 1;
      series.within[at] = (series.within[at] ?? 0) + 1;
    },
    series() {
      return [...all].flatMap(([operation, byStatus]) =>
        [...byStatus].map(([status, { sumMs, within }]) => ({
          ...{ operation, status, sumMs },
          count: sumOf(within),
          buckets: BUCKETS_MS.map((ms, at): [number, number] => [
            ms,
            sumOf(within.slice(0, at + 1)),
          ]),
        })),
      );
    },
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
