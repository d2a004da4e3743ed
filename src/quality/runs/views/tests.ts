// What the newest runs say of tests: those that flake, with the groups that fail together, and the slowest.
import type { Static } from '@sinclair/typebox';
import type { Db } from '../../../store/database.ts';
import { percentile } from '../../commands/stats.ts';
import { yieldToEventLoop } from '../../scheduler.ts';
import { flakinessOf, isFailing, shareOf } from '../flaky.ts';
import {
  type FailingGroup,
  type Flakiness,
  FlakyTest,
  type RunFilters,
  SlowTest,
  Test,
} from '../model.ts';
import { firstTests, readWindow, type WindowSample, withTests } from './window.ts';

const NAMED = 20;

export async function findFlaky(db: Db, projectId: string, filters: RunFilters) {
  const { window, samples } = await readWindow(db, projectId, filters);
  const flaky = new Set<WindowSample[]>();
  const failures = new Map<number, number[]>();
  const listed = (own: WindowSample[], testSeq: number) => {
    const failed = own.flatMap(({ status, batch }) => (isFailing(status) ? batch : []));
    if (failed.length > 0) failures.set(testSeq, failed);
    const known = flakinessOf(own);
    if (!known.flaky) return undefined;
    flaky.add(own);
    return known;
  };
  const { first, total } = await firstTests(samples, listed, worstFirst);
  const groups: Static<typeof FailingGroup>[] = [];
  for (const { testSeqs, runs } of await failingGroups(failures)) {
    const flaking = testSeqs.filter((seq) => flaky.has(samples.get(seq) ?? []));
    const named = testSeqs.slice(0, NAMED).map((testSeq) => ({ testSeq }));
    const tests = (await withTests(db, Test, named)).map(({ item }) => item);
    groups.push({ size: testSeqs.length, runs, flaky: flaking.length, tests });
  }
  return { window, total, items: await withTests(db, FlakyTest, first), groups };
}

function worstFirst(a: Flakiness, b: Flakiness): number {
  return (
    (b.flipRate.share ?? 0) - (a.flipRate.share ?? 0) ||
    b.withinRun + b.acrossRuns - a.withinRun - a.acrossRuns ||
    b.runs - a.runs
  );
}

export async function findSlowest(db: Db, projectId: string, filters: RunFilters) {
  const { window, samples } = await readWindow(db, projectId, filters);
  let all = 0;
  const timed = (own: WindowSample[]) => {
    const times = own.flatMap(({ status, durationMs }) =>
      durationMs === null || status === 'skipped' || status === 'unknown' ? [] : durationMs,
    );
    if (times.length === 0) return undefined;
    const sum = times.reduce((so, ms) => so + ms, 0);
    all += sum;
    const [p50Ms, p95Ms] = [percentile(times, 0.5) ?? 0, percentile(times, 0.95) ?? 0];
    return { runs: times.length, p50Ms, p95Ms, maxMs: Math.max(...times), sum };
  };
  type Times = NonNullable<ReturnType<typeof timed>>;
  const slowestFirst = (a: Times, b: Times) => b.p50Ms - a.p50Ms || b.p95Ms - a.p95Ms;
  const { first, total } = await firstTests(samples, timed, slowestFirst);
  const shared = first.map((one) => ({ ...one, time: shareOf(one.sum, all) }));
  return { window, total, items: await withTests(db, SlowTest, shared) };
}

/** How alike the runs of two tests are: the share of both in either (Jaccard). */
const SIMILARITY = 0.7;
/** Runs in which tests failed together before that says something. */
const SUPPORT = 2;
const GROUPS = 100;
/** Different sets of runs that are compared, those of the most tests. */
const COMPARED = 1000;
const STEP_SIZE = 20;

type Failures = readonly [testSeq: number, runs: readonly number[]];

/**
 * Finds the groups of tests that fail together, the largest first. Tests that failed in the same runs
 * are together; such a set joins the first larger one whose runs are much like its own.
 * @param failures - of each test the runs in which it failed, in their order
 */
export async function failingGroups(failures: Iterable<Failures>) {
  const often = [...failures].filter(([, runs]) => runs.length >= SUPPORT);
  const sets = [...Map.groupBy(often, ([, runs]) => runs.join()).values()];
  const groups: Failures[][] = [];
  for (const [at, set] of sets
    .sort((a, b) => b.length - a.length)
    .slice(0, COMPARED)
    .entries()) {
    if (at % STEP_SIZE === 0) await yieldToEventLoop();
    const near = groups.find(([first]) => similarity(first, set[0]) >= SIMILARITY);
    if (near) near.push(...set);
    else groups.push([...set]);
  }
  return groups
    .map((group) => ({
      testSeqs: group.map(([testSeq]) => testSeq).sort((a, b) => a - b),
      runs: sharedRuns(group),
    }))
    .filter(({ testSeqs, runs }) => testSeqs.length > 1 && runs >= SUPPORT)
    .sort((a, b) => b.testSeqs.length - a.testSeqs.length || b.runs - a.runs)
    .slice(0, GROUPS);
}

/** How many runs there are in which at least half of the tests failed. */
function sharedRuns(group: readonly Failures[]): number {
  const failed = Map.groupBy(
    group.flatMap(([, runs]) => runs),
    (run) => run,
  );
  return [...failed.values()].filter(({ length }) => 2 * length >= group.length).length;
}

function similarity([, one]: Failures = [0, []], [, other]: Failures = [0, []]): number {
  const runs = new Set(one);
  const both = other.filter((run) => runs.has(run)).length;
  return both / (one.length + other.length - both);
}
