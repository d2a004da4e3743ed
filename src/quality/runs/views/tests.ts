// The tests that flake over the newest runs, and the groups that fail together.
import type { Db } from '../../../store/database.ts';
import { percentile } from '../../commands/stats.ts';
import { runInSlices, type Steps } from '../../scheduler.ts';
import type { RunFilters } from '../query.ts';
import { type Share, shareOf } from '../share.ts';
import { coFailingSteps, type Failure } from './co-failing.ts';
import { createFlakinessTally, type Flakiness, type FlakinessTally, isFailing } from './flaky.ts';
import { openWindow, resultsOf, type WindowSize } from './window.ts';

export const TESTS_LISTED = 1000;
const NAMED = 20;
const STEP_SIZE = 100;

export interface FlakyTest extends Flakiness {
  testSeq: number;
}

export interface FailingGroup {
  /** How many tests there are in the group. */
  size: number;
  /** How many of them flake. */
  flaky: number;
  /** Runs in which at least half of them failed. */
  runs: number;
  /** The first of them. */
  testSeqs: number[];
}

export interface FlakyView {
  window: WindowSize;
  /** How many tests flake; the worst of them are listed. */
  total: number;
  tests: FlakyTest[];
  groups: FailingGroup[];
}

export async function findFlaky(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<FlakyView> {
  const window = await openWindow(db, projectId, filters);
  const tally = createFlakinessTally();
  const failures: Failure[] = [];
  for await (const { run, results } of resultsOf(db, window)) {
    const { commit, environment } = run;
    const runId = String(run.batch);
    for (const [testSeq, status, flaky] of results) {
      const testKey = String(testSeq);
      tally.add({ testKey, status, flaky: flaky === 1, commit, environment });
      if (isFailing(status)) failures.push({ testKey, runId });
    }
  }
  const { tests, flaky } = await runInSlices(flakyOnes(tally));
  const groups = await runInSlices(coFailingSteps(failures, { keys: Number.POSITIVE_INFINITY }));
  return {
    window: window.size,
    total: flaky.size,
    tests,
    groups: groups.map(({ testKeys, size, runs }) => ({
      size,
      runs,
      flaky: testKeys.filter((key) => flaky.has(key)).length,
      testSeqs: testKeys.slice(0, NAMED).map(Number),
    })),
  };
}

function* flakyOnes(tally: FlakinessTally): Steps<{ tests: FlakyTest[]; flaky: Set<string> }> {
  const top = createTop<FlakyTest>(TESTS_LISTED, worstFirst);
  const flaky = new Set<string>();
  let looked = 0;
  for (const known of tally.each()) {
    looked += 1;
    if (looked % STEP_SIZE === 0) yield;
    if (!known.flaky) continue;
    flaky.add(known.testKey);
    top.add({ ...known, testSeq: Number(known.testKey) });
  }
  return { tests: top.list(), flaky };
}

function worstFirst(a: FlakyTest, b: FlakyTest): number {
  return (
    (b.flipRate ?? 0) - (a.flipRate ?? 0) ||
    b.withinRun + b.acrossRuns - a.withinRun - a.acrossRuns ||
    b.runs - a.runs ||
    a.testSeq - b.testSeq
  );
}

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
  const tests = await runInSlices(slowOnes(durations, total));
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
    if (looked % STEP_SIZE === 0) yield;
    const sum = times.reduce((so, ms) => so + ms, 0);
    top.add({
      testSeq,
      runs: times.length,
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

export interface Top<T> {
  add(item: T): void;
  /** The first ones in order. */
  list(): T[];
}

/**
 * Keeps the first of what comes.
 *
 * @param compare - the order; no two items are alike in it
 */
export function createTop<T>(most: number, compare: (a: T, b: T) => number): Top<T> {
  let kept: T[] = [];
  const cut = () => {
    kept = kept.sort(compare).slice(0, most);
    return kept;
  };
  return {
    add(item) {
      kept.push(item);
      if (kept.length >= 4 * most) cut();
    },
    list: cut,
  };
}
