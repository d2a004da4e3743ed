// The views of test runs: cached until there are other results, a page of them at a time.
import type { Static } from '@sinclair/typebox';
import { sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { invalid } from '../../errors.ts';
import { encodeCursor } from '../../model/pages.ts';
import { readContentVersions } from '../../requirements/projects/projects.ts';
import type { Db } from '../../store/database.ts';
import { percentile } from '../commands/rows.ts';
import { createVersionCache } from '../lists.ts';
import type { Quality } from '../quality.ts';
import { shareOf } from './flaky.ts';
import type { RunFilters, RunQuery, RunView, TrendPoint, TrendStep } from './model.ts';
import type { ResultBounds } from './results.ts';
import { newestRuns } from './runs.ts';
import type { View } from './test-views.ts';
import { findFlaky, findSlowest } from './test-views.ts';

const VIEWS: Record<RunView, (db: Db, projectId: string, query: RunQuery) => Promise<View>> = {
  flaky: findFlaky,
  slowest: findSlowest,
  trend: (db, projectId, query) => followTrend(db, projectId, query, query.by ?? 'run'),
};

export function openRunViews({ database }: Quality) {
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
    return pageOfView(found, bounds);
  };
}

function pageOfView({ items, ...view }: View, { hash, behind, limit }: ResultBounds) {
  const at = behind === undefined ? -1 : items.findIndex(({ key }) => key === behind);
  if (behind !== undefined && at < 0)
    throw invalid('/cursor', 'is behind what the view no longer holds: start again without it');
  const rows = items.slice(at + 1, at + 1 + limit);
  const last = rows.at(-1);
  const more = last !== undefined && at + 1 + limit < items.length;
  return {
    items: rows.map(({ item }) => item),
    nextCursor: more ? encodeCursor(hash, last.key) : null,
    ...view,
  };
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
): Promise<View<Static<typeof TrendPoint>>> {
  const newest = newestRuns(projectId, filters, { limit: TREND_RUNS, counting: true });
  const { of, key } = STEPS[by];
  const points = await db.values<Point>(sql`
    with newest as (
      select seq, id, status, commit_id, totals, duration_ms,
        coalesce(finished_at, started_at, created_at) as at
      from test_runs where seq in (${newest}) order by seq desc limit ${TREND_RUNS}
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
