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
  const listed = (own: WindowSample[]) => {
    const known = flakinessOf(own);
    if (!known.flaky) return undefined;
    flaky.add(own);
    return known;
  };
  const { first, total } = await firstTests(samples, listed, worstFirst);
  const groups: Static<typeof FailingGroup>[] = [];
  for (const { testSeqs, runs } of await failingGroups(failuresIn(samples))) {
    const flaking = testSeqs.filter((seq) => flaky.has(samples.get(seq) ?? []));
    const named = testSeqs.slice(0, NAMED).map((testSeq) => ({ testSeq }));
    const tests = (await withTests(db, Test, named)).map(({ item }) => item);
    groups.push({ size: testSeqs.length, runs, flaky: flaking.length, tests });
  }
  return { window, total, items: await withTests(db, FlakyTest, first), groups };
}

function* failuresIn(samples: ReadonlyMap<number, WindowSample[]>): Generator<[number, number[]]> {
  for (const [testSeq, own] of samples)
    yield [testSeq, own.flatMap(({ status, batch }) => (isFailing(status) ? batch : []))];
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
  for (const own of samples.values()) for (const ms of durationsOf(own)) all += ms;
  const timed = (own: WindowSample[]) => {
    const times = durationsOf(own);
    if (times.length === 0) return undefined;
    const sum = times.reduce((so, ms) => so + ms, 0);
    const [p50Ms, p95Ms] = [percentile(times, 0.5) ?? 0, percentile(times, 0.95) ?? 0];
    return { runs: times.length, p50Ms, p95Ms, maxMs: Math.max(...times), time: shareOf(sum, all) };
  };
  const { first, total } = await firstTests(
    samples,
    timed,
    (a, b) => b.p50Ms - a.p50Ms || b.p95Ms - a.p95Ms,
  );
  return { window, total, items: await withTests(db, SlowTest, first) };
}

function durationsOf(samples: readonly WindowSample[]): number[] {
  return samples.flatMap(({ status, durationMs }) =>
    durationMs === null || status === 'skipped' || status === 'unknown' ? [] : durationMs,
  );
}
