// The window that views look through: the newest runs that count, and their results, read in slices
// between which others have their turn.
import { desc, inArray, sql } from 'drizzle-orm';
import type { Db } from '../../../store/database.ts';
import { type TestRow, testRuns, tests } from '../../../store/tables/quality.ts';
import { yieldToEventLoop } from '../../scheduler.ts';
import { BATCH_SPAN } from '../model.ts';
import type { RunFilters } from '../query.ts';
import { newestRuns } from '../runs.ts';

export const WINDOW_RUNS = 200;
export const WINDOW_RESULTS = 200_000;
/** Tests that a view lists at most. */
export const TESTS_LISTED = 1000;
const SLICE = 1000;

/** What a view found, as it is answered; each item with a key by which the next page begins. */
export interface View<T = object> {
  window: { runs: number; results: number };
  /** How many items there are, and of tests beyond those that are listed. */
  total: number;
  items: { key: number; item: T }[];
}

export interface WindowRun {
  batch: number;
  commit: string | null;
  environment: string | null;
}

export interface RunWindow {
  size: View['window'];
  /** The oldest first. */
  runs: WindowRun[];
}

export type WindowResult = [
  testSeq: number,
  status: string,
  flaky: number,
  durationMs: number | null,
];

/** The newest runs, as many as together hold no more results than are looked at; one at least. */
export async function openWindow(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<RunWindow> {
  const newest = newestRuns(projectId, filters, { limit: WINDOW_RUNS, counting: true });
  const rows = await db
    .select({
      batch: testRuns.batch,
      commit: testRuns.commitId,
      environment: testRuns.environment,
      totals: testRuns.totals,
    })
    .from(testRuns)
    .where(sql`${testRuns.seq} in (${newest})`)
    .orderBy(desc(testRuns.seq))
    .limit(WINDOW_RUNS);
  const runs: WindowRun[] = [];
  let results = 0;
  for (const { totals, ...run } of rows) {
    if (runs.length > 0 && results + totals.tests > WINDOW_RESULTS) break;
    results += totals.tests;
    runs.unshift(run);
  }
  return { size: { runs: runs.length, results }, runs };
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

/**
 * The first items in an order, made one by one of entries with pauses for others.
 *
 * @param make - undefined for an entry that is no item
 */
export async function firstInOrder<E, T>(
  entries: Iterable<E>,
  make: (entry: E) => T | undefined,
  compare: (a: T, b: T) => number,
): Promise<{ first: T[]; total: number }> {
  let first: T[] = [];
  let [looked, total] = [0, 0];
  const cut = () => first.sort(compare).slice(0, TESTS_LISTED);
  for (const entry of entries) {
    looked += 1;
    if (looked % SLICE === 0) {
      first = cut();
      await yieldToEventLoop();
    }
    const item = make(entry);
    if (item === undefined) continue;
    total += 1;
    first.push(item);
  }
  return { first: cut(), total };
}

/** Tests by their `seq`. */
export async function testsBySeq(
  db: Db,
  seqs: readonly number[],
): Promise<(seq: number) => TestRow> {
  const wanted = sql`(select value from json_each(${JSON.stringify(seqs)}))`;
  const rows = await db.select().from(tests).where(inArray(tests.seq, wanted));
  const named = new Map(rows.map((row) => [row.seq, row]));
  return (seq) => {
    const row = named.get(seq);
    if (row === undefined) throw new Error('a result has no test');
    return row;
  };
}
