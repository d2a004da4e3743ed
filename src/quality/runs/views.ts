// The views of test runs: cached until there are other results, a page of them at a time.
import type { Static } from '@sinclair/typebox';
import { eq, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { invalid } from '../../errors.ts';
import { pageOf } from '../../model/pages.ts';
import { readContentVersions } from '../../requirements/projects/projects.ts';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import type { Services } from '../../services.ts';
import { isListed } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { latestResults, testRuns } from '../../store/tables/quality.ts';
import { percentile } from '../commands/rows.ts';
import { createVersionCache } from '../lists.ts';
import { compareRuns } from './compare.ts';
import { flakinessOf, isFailing, shareOf } from './flaky.ts';
import {
  BATCH_SPAN,
  type FailingGroup,
  type Flakiness,
  FlakyTest,
  type RunFilters,
  type RunQuery,
  type RunView,
  SlowTest,
  Test,
  type TrendPoint,
  type TrendStep,
} from './model.ts';
import type { ResultBounds } from './results.ts';
import { newestRuns } from './runs.ts';
import { stripsOf } from './strips.ts';
import {
  firstTests,
  newestCounting,
  readWindow,
  type View,
  type WindowSample,
  withTests,
} from './window.ts';

const VIEWS: Record<RunView, (db: Db, projectId: string, query: RunQuery) => Promise<View>> = {
  compare: compareRuns,
  flaky: findFlaky,
  slowest: findSlowest,
  trend: (db, projectId, query) => followTrend(db, projectId, query, query.by ?? 'run'),
};

export type RunViews = ReturnType<typeof openRunViews>;

export function openRunViews({ database }: Pick<Services, 'database'>) {
  const cache = createVersionCache<View>(database, ({ items }) => items.length);
  let last: Promise<unknown> = Promise.resolve();

  /** @throws Problem `invalid` for a cursor behind what is no longer there */
  return async (view: RunView, projectId: string, query: RunQuery, bounds: ResultBounds) => {
    const { results } = await readContentVersions(database, projectId);
    const found = await cache.get(`${projectId} ${bounds.hash}`, [results], () => {
      // One at a time: each holds the results of its window.
      const find = () => VIEWS[view](database.read, projectId, query);
      const made = last.then(find, find);
      last = made;
      return made;
    });
    const page = pageOfView(found, bounds);
    if (view === 'trend') return { ...page, items: page.items.map(({ item }) => item) };
    return { ...page, items: await withLately(database.read, page.items) };
  };
}

type Row = View['items'][number];

/** The tests of a page with how they went of late, and the stories and command of their newest results. */
async function withLately(db: Db, rows: readonly Row[]) {
  const seqs = rows.map(({ key }) => key);
  const stripOf = await stripsOf(db, 'test', seqs);
  const { testSeq, storyIds, resultSeq } = latestResults;
  const newest = await db
    .select({ testSeq, storyIds, commandId: testRuns.commandId })
    .from(latestResults)
    .leftJoin(testRuns, eq(testRuns.batch, sql`${resultSeq} / ${sql.raw(String(BATCH_SPAN))}`))
    .where(isListed(latestResults.testSeq, JSON.stringify(seqs)));
  const known = new Map(newest.map((one) => [one.testSeq, one]));
  return rows.map(({ key, item }) => {
    const { storyIds, commandId = null } = known.get(key) ?? {};
    return { ...item, storyIds: storyIds ?? [], commandId, ...stripOf(key) };
  });
}

function pageOfView({ items, ...view }: View, { hash, behind, limit }: ResultBounds) {
  const at = behind === undefined ? -1 : items.findIndex(({ key }) => key === behind);
  if (behind !== undefined && at < 0)
    throw invalid('/cursor', 'is behind what the view no longer holds: start again without it');
  const rows = items.slice(at + 1, at + limit + 2);
  const page = pageOf(
    rows,
    limit,
    hash,
    ({ key }) => key,
    (row) => row,
  );
  return { ...view, ...page };
}

const TREND_RUNS = 2000;

/** By what runs are one point, and its place: of a day its number, else its newest run. */
const STEPS: Record<TrendStep, { of: string; key: string }> = {
  run: { of: 'seq', key: 'seq' },
  day: { of: 'at / 86400000', key: 'at / 86400000' },
  commit: { of: 'commit_id', key: 'max(seq)' },
};

type Point = [
  ...[key: number, runId: string, commit: string | null, from: number, to: number],
  ...[runs: string, totals: string, durations: string],
];

export async function followTrend(
  db: Db,
  projectId: string,
  filters: RunFilters,
  by: TrendStep,
): Promise<Required<View<Static<typeof TrendPoint>>>> {
  const newest = await newestRuns(db, projectId, filters, { limit: TREND_RUNS, counting: true });
  const { of, key } = STEPS[by];
  const points = await db.values<Point>(sql`
    with newest as (
      select seq, id, status, commit_id, totals, duration_ms,
        coalesce(finished_at, started_at, created_at) as at
      from test_runs where ${isListed(testRuns.seq, JSON.stringify(newest))} order by seq desc limit ${TREND_RUNS}
    )
    select ${sql.raw(key)}, max(id),
      iif(count(commit_id) = count(*) and min(commit_id) = max(commit_id), max(commit_id), null),
      min(at), max(at),
      json_object('total', count(*), 'passed', sum(status = 'passed'),
        'failed', sum(status = 'failed'), 'broken', sum(status = 'broken')),
      json_object('tests', sum(totals ->> 'tests'), 'passed', sum(totals ->> 'passed'),
        'failed', sum(totals ->> 'failed'), 'broken', sum(totals ->> 'broken'),
        'skipped', sum(totals ->> 'skipped'), 'unknown', sum(totals ->> 'unknown'),
        'flaky', sum(totals ->> 'flaky')),
      json_group_array(duration_ms) filter (where duration_ms is not null)
    from newest group by ${sql.raw(of)} order by 1 desc`);
  const window = { runs: 0, results: 0 };
  const items = points.map(([key, runId, commit, from, to, runs, sums, durations]) => {
    const totals: Static<typeof TrendPoint>['totals'] = JSON.parse(sums);
    const { tests, passed, failed, broken } = totals;
    const counted: Static<typeof TrendPoint>['runs'] = JSON.parse(runs);
    window.runs += counted.total;
    window.results += tests;
    return {
      key,
      item: {
        runId: by === 'run' ? runId : null,
        day: by === 'day' ? timestamp(from).slice(0, 10) : null,
        commit,
        from: timestamp(from),
        to: timestamp(to),
        runs: counted,
        totals,
        passed: shareOf(passed, passed + failed + broken),
        durationMs: percentile(JSON.parse(durations), 0.5),
      },
    };
  });
  return { window, total: items.length, items };
}

const NAMED = 20;

export async function findFlaky(db: Db, projectId: string, filters: RunFilters) {
  const { window, samples } = await readWindow(db, await newestCounting(db, projectId, filters));
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
  const { window, samples } = await readWindow(db, await newestCounting(db, projectId, filters));
  let all = 0;
  const timed = (own: WindowSample[]) => {
    const times = own.flatMap(({ status, durationMs }) =>
      durationMs === null || status === 'skipped' || status === 'unknown' ? [] : durationMs,
    );
    if (times.length === 0) return undefined;
    const sum = times.reduce((so, ms) => so + ms, 0);
    all += sum;
    const [p50Ms, p95Ms] = [percentile(times, 0.5) ?? 0, percentile(times, 0.95) ?? 0];
    return { runs: times.length, p50Ms, p95Ms, sum };
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
