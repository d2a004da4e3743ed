// How results and durations went over the newest runs, by run, day or commit: of what the runs hold
// themselves, no result is read.
import type { Static } from '@sinclair/typebox';
import { sql } from 'drizzle-orm';
import { timestamp } from '../../../clock.ts';
import type { Db } from '../../../store/database.ts';
import { percentile } from '../../commands/stats.ts';
import type { TrendPoint } from '../model.ts';
import type { RunFilters, TrendStep } from '../query.ts';
import { newestRuns } from '../runs.ts';
import { shareOf } from '../share.ts';
import type { View } from './window.ts';

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
