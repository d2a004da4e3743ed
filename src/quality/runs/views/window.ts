// The window that views look through: the newest runs that count, and their results, read in
// slices between which others have their turn.
import { desc, sql } from 'drizzle-orm';
import type { Db } from '../../../store/database.ts';
import { testRuns } from '../../../store/tables/quality.ts';
import type { ResultStatus } from '../../reports/model.ts';
import { yieldToEventLoop } from '../../scheduler.ts';
import { newestRuns } from '../list.ts';
import type { RunFilters } from '../query.ts';
import { BATCH_SPAN } from '../result-rows.ts';

export const WINDOW_RUNS = 200;
export const WINDOW_RESULTS = 200_000;
const SLICE = 1000;

export interface WindowSize {
  runs: number;
  results: number;
}

export interface WindowRun {
  batch: number;
  commit: string | null;
  environment: string | null;
}

export interface RunWindow {
  size: WindowSize;
  /** The oldest first. */
  runs: WindowRun[];
}

export type WindowResult = [
  testSeq: number,
  status: ResultStatus,
  flaky: number,
  durationMs: number | null,
];

export async function openWindow(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<RunWindow> {
  const bounds = { limit: WINDOW_RUNS, counting: true };
  const seqs = await newestRuns(db, projectId, filters, bounds);
  const rows = await db
    .select({
      batch: testRuns.batch,
      commit: testRuns.commitId,
      environment: testRuns.environment,
      totals: testRuns.totals,
    })
    .from(testRuns)
    .where(sql`${testRuns.seq} in (${seqs})`)
    .orderBy(desc(testRuns.seq))
    .limit(WINDOW_RUNS);
  const runs: WindowRun[] = [];
  let results = 0;
  for (const { totals, ...run } of rows) {
    const { tests } = totals;
    if (runs.length > 0 && results + tests > WINDOW_RESULTS) break;
    results += tests;
    runs.push(run);
  }
  return { size: { runs: runs.length, results }, runs: runs.reverse() };
}

export async function* resultsOf(
  db: Db,
  { runs }: RunWindow,
): AsyncGenerator<{ run: WindowRun; results: WindowResult[] }> {
  for (const run of runs) {
    const end = (run.batch + 1) * BATCH_SPAN;
    for (let from = run.batch * BATCH_SPAN; from < end; ) {
      const rows = await db.values<[...WindowResult, seq: number]>(
        sql`select test_seq, status, flaky, duration_ms, seq from test_results where seq >= ${from} and seq < ${end} order by seq limit ${SLICE}`,
      );
      yield { run, results: rows as unknown as WindowResult[] };
      await yieldToEventLoop();
      from = rows.length < SLICE ? end : (rows.at(-1)?.[4] ?? end) + 1;
    }
  }
}
