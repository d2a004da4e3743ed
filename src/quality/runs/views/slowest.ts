// The tests that take longest over the newest runs.
import type { Db } from '../../../store/database.ts';
import { percentile } from '../../commands/stats.ts';
import { inTurns, type Steps } from '../../turns.ts';
import type { RunFilters } from '../query.ts';
import { type Share, shareOf } from '../share.ts';
import { TESTS_LISTED } from './flaky-tests.ts';
import { createTop } from './top.ts';
import { openWindow, resultsOf, type WindowSize } from './window.ts';

const A_STEP = 100;

export interface SlowTest {
  testSeq: number;
  /** Runs that tell how long it took. */
  runs: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
  /** Milliseconds of all that the tests of the window took. */
  time: Share;
}

export interface SlowestView {
  window: WindowSize;
  /** How many tests there are with a duration; the slowest are listed. */
  total: number;
  tests: SlowTest[];
}

/** Looks for slow tests in the newest runs that count. What was skipped took no time. */
export async function findSlowest(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<SlowestView> {
  const window = await openWindow(db, projectId, filters);
  const durations = new Map<number, number[]>();
  let total = 0;
  for await (const { results } of resultsOf(db, window)) {
    for (const [testSeq, status, , durationMs] of results) {
      if (durationMs === null || status === 'skipped' || status === 'unknown') continue;
      total += durationMs;
      const known = durations.get(testSeq);
      if (known === undefined) durations.set(testSeq, [durationMs]);
      else known.push(durationMs);
    }
  }
  const tests = await inTurns(slowOnes(durations, total));
  return { window: window.size, total: durations.size, tests };
}

function* slowOnes(
  durations: ReadonlyMap<number, readonly number[]>,
  total: number,
): Steps<SlowTest[]> {
  const top = createTop<SlowTest>(TESTS_LISTED, slowestFirst);
  let looked = 0;
  for (const [testSeq, times] of durations) {
    looked += 1;
    if (looked % A_STEP === 0) yield;
    const sum = times.reduce((so, ms) => so + ms, 0);
    top.add({
      ...{ testSeq, runs: times.length },
      p50Ms: percentile(times, 0.5) ?? 0,
      p95Ms: percentile(times, 0.95) ?? 0,
      maxMs: Math.max(...times),
      time: shareOf(sum, total),
    });
  }
  return top.list();
}

function slowestFirst(a: SlowTest, b: SlowTest): number {
  return b.p50Ms - a.p50Ms || b.p95Ms - a.p95Ms || a.testSeq - b.testSeq;
}
