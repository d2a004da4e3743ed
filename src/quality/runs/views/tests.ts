// What the newest runs say of tests: those that flake, with the groups that fail together, and the slowest.
import type { Static } from '@sinclair/typebox';
import type { Db } from '../../../store/database.ts';
import { percentile } from '../../commands/stats.ts';
import { flakinessOf, isFailing } from '../flaky.ts';
import { type FailingGroup, type Flakiness, FlakyTest, SlowTest, Test } from '../model.ts';
import type { RunFilters } from '../query.ts';
import { shareOf } from '../share.ts';
import { failingGroups } from './groups.ts';
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
