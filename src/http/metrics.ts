// Counts of requests, for the Prometheus page.

const BUCKETS_MS = [1, 5, 25, 100, 500, 2500];

interface Series {
  status: number;
  sumMs: number;
  /** How many took no longer than each bound and longer than the one before; the last, the rest. */
  within: number[];
}

export interface Metrics {
  /** What counts the answered requests of an operation. */
  counterOf(operation: string): (status: number, ms: number) => void;
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
  const all = new Map<string, Series[]>();
  let answered = 0;
  return {
    get answered() {
      return answered;
    },
    counterOf(operation) {
      const own = all.get(operation) ?? [];
      all.set(operation, own);
      return (status, ms) => {
        answered += 1;
        const series = seriesOf(own, status);
        series.sumMs += ms;
        let at = 0;
        while (at < BUCKETS_MS.length && ms > (BUCKETS_MS[at] as number)) at += 1;
        series.within[at] = (series.within[at] ?? 0) + 1;
      };
    },
    series() {
      return [...all].flatMap(([operation, own]) =>
        own.map(({ status, sumMs, within }) => ({
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

function seriesOf(own: Series[], status: number): Series {
  // By index: every answer is counted, and an iterator costs more than this search.
  for (let at = 0; at < own.length; at += 1) {
    const one = own[at];
    if (one?.status === status) return one;
  }
  const series = { status, sumMs: 0, within: [...BUCKETS_MS, 0].map(() => 0) };
  own.push(series);
  return series;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
