// How results and durations went over the newest runs, by run, day or commit. Made of what the
// runs hold themselves; no result is read.
import { desc, sql } from 'drizzle-orm';
import { timestamp } from '../../../clock.ts';
import type { Db } from '../../../store/database.ts';
import { testRuns } from '../../../store/tables/quality.ts';
import { percentile } from '../../commands/stats.ts';
import { noTotals, type ResultTotals } from '../../reports/model.ts';
import { yieldToEventLoop } from '../../scheduler.ts';
import { newestRuns } from '../list.ts';
import type { RunFilters, TrendStep } from '../query.ts';
import { type Share, shareOf } from '../share.ts';
import { runTime } from '../test-runs.ts';
import type { RunStatus } from '../verdict.ts';
import type { WindowSize } from './window.ts';

export const TREND_RUNS = 2000;
const SLICE = 500;

export interface TrendPoint {
  /** Where runs are the points. */
  runId: string | null;
  /** In UTC, where days are the points. */
  day: string | null;
  /** The one that all its runs are of. */
  commit: string | null;
  from: string;
  to: string;
  runs: { total: number } & Record<RunStatus, number>;
  totals: ResultTotals;
  /** Of the results that passed or did not. */
  passed: Share;
  /** The median of its runs. */
  durationMs: number | null;
}

export interface TrendView {
  window: WindowSize;
  /** The newest first; each with a number that no other has. */
  points: { key: number; point: TrendPoint }[];
}

interface TrendRow {
  seq: number;
  id: string;
  status: string;
  commit: string | null;
  totals: ResultTotals;
  durationMs: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  createdAt: number;
}

interface Sum {
  key: number;
  rows: TrendRow[];
}

const DAY_MS = 86_400_000;

export async function followTrend(
  db: Db,
  projectId: string,
  filters: RunFilters,
  by: TrendStep,
): Promise<TrendView> {
  const rows = await trendRows(db, projectId, filters);
  const sums = new Map<string | number | null, Sum>();
  for (const row of rows) {
    const day = Math.floor(runTime(row) / DAY_MS);
    const name = by === 'run' ? row.seq : by === 'day' ? day : row.commit;
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, { key: by === 'day' ? day : row.seq, rows: [row] });
    else sum.rows.push(row);
  }
  const ordered = [...sums.values()].sort((a, b) => b.key - a.key);
  const points = ordered.map(({ key, rows }) => ({ key, point: pointOf(rows, by) }));
  const results = points.reduce((sum, { point }) => sum + point.totals.tests, 0);
  return { window: { runs: rows.length, results }, points };
}

async function trendRows(db: Db, projectId: string, filters: RunFilters): Promise<TrendRow[]> {
  const rows: TrendRow[] = [];
  while (rows.length < TREND_RUNS) {
    const bounds = { behind: rows.at(-1)?.seq, limit: SLICE, counting: true };
    const seqs = await newestRuns(db, projectId, filters, bounds);
    const some = await db
      .select({
        seq: testRuns.seq,
        id: testRuns.id,
        status: testRuns.status,
        commit: testRuns.commitId,
        totals: testRuns.totals,
        durationMs: testRuns.durationMs,
        startedAt: testRuns.startedAt,
        finishedAt: testRuns.finishedAt,
        createdAt: testRuns.createdAt,
      })
      .from(testRuns)
      .where(sql`${testRuns.seq} in (${seqs})`)
      .orderBy(desc(testRuns.seq))
      .limit(SLICE);
    rows.push(...some);
    if (some.length < SLICE) break;
    await yieldToEventLoop();
  }
  return rows;
}

function pointOf(rows: readonly TrendRow[], by: TrendStep): TrendPoint {
  const totals = noTotals();
  const runs = { total: rows.length, passed: 0, failed: 0, broken: 0 };
  const durations: number[] = [];
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    for (const name of Object.keys(totals) as (keyof ResultTotals)[])
      totals[name] += row.totals[name];
    runs[row.status as RunStatus] += 1;
    if (row.durationMs !== null) durations.push(row.durationMs);
    from = Math.min(from, runTime(row));
    to = Math.max(to, runTime(row));
  }
  const [first] = rows;
  const commit = first?.commit ?? null;
  return {
    runId: by === 'run' ? (first?.id ?? null) : null,
    day: by === 'day' ? timestamp(from).slice(0, 10) : null,
    commit: rows.every((row) => row.commit === commit) ? commit : null,
    from: timestamp(from),
    to: timestamp(to),
    runs,
    totals,
    passed: shareOf(totals.passed, totals.passed + totals.failed + totals.broken),
    durationMs: percentile(durations, 0.5),
  };
}
