// Counts of requests, for the Prometheus page.

const BUCKETS_MS = [1, 5, 25, 100, 500, 2500];

interface Series {
  count: number;
  sumMs: number;
  buckets: number[];
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
        series = { count: 0, sumMs: 0, buckets: BUCKETS_MS.map(() => 0) };
        byStatus.set(status, series);
      }
      series.count += 1;
      series.sumMs += ms;
      for (let index = 0; index < BUCKETS_MS.length; index += 1) {
        if (ms <= (BUCKETS_MS[index] as number))
          series.buckets[index] = (series.buckets[index] ?? 0) + 1;
      }
    },
    series() {
      return [...all].flatMap(([operation, byStatus]) =>
        [...byStatus].map(([status, { count, sumMs, buckets }]) => ({
          operation,
          status,
          count,
          sumMs,
          buckets: BUCKETS_MS.map((ms, index): [number, number] => [ms, buckets[index] ?? 0]),
        })),
      );
    },
  };
}
