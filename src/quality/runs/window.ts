// The window that views of test runs look through, and the tests that they list.
import type { Static, TObject } from '@sinclair/typebox';
import { sql } from 'drizzle-orm';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import { isListed } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { testRuns, tests } from '../../store/tables/quality.ts';
import { shownBy } from '../lists.ts';
import { placeOf, type Sample } from './flaky.ts';
import { BATCH_SPAN, type RunFilters } from './model.ts';
import { newestRuns } from './runs.ts';

export const WINDOW_RUNS = 200;
export const WINDOW_RESULTS = 200_000;
const TESTS_LISTED = 1000;
const SLICE = 1000;

/** What a view found, as it is answered; each item with a key by which the next page begins. */
export interface View<T = object> {
  window?: { runs: number; results: number };
  /** How many items there are, and of tests beyond those that are listed. */
  total: number;
  items: { key: number; item: T }[];
}

export function newestCounting(db: Db, projectId: string, filters: RunFilters, behind?: number) {
  return newestRuns(db, projectId, filters, { behind, limit: WINDOW_RUNS, counting: true });
}

export interface WindowSample extends Sample {
  batch: number;
  durationMs: number | null;
}

/**
 * Of the newest runs with no more results than are looked at the results by test, the oldest first.
 * @param wanted - the `seq` of the runs
 */
export async function readWindow(db: Db, wanted: readonly number[]) {
  type Run = [batch: number, commit: string | null, environment: string | null, tests: number];
  const runs = await db.values<Run>(sql`
    select batch, commit_id, environment, totals ->> 'tests' from test_runs
    where ${isListed(testRuns.seq, JSON.stringify(wanted))} order by seq desc limit ${WINDOW_RUNS}`);
  const window = { runs: 0, results: 0 };
  for (const [, , , count] of runs) {
    if (window.runs > 0 && window.results + count > WINDOW_RESULTS) break;
    window.runs += 1;
    window.results += count;
  }
  const samples = new Map<number, WindowSample[]>();
  for (const [batch, commit, environment] of runs.slice(0, window.runs).reverse()) {
    const place = placeOf(commit, environment);
    const end = (batch + 1) * BATCH_SPAN;
    for (let from = batch * BATCH_SPAN; from < end; ) {
      type Result = [
        testSeq: number,
        status: string,
        flaky: number,
        ms: number | null,
        seq: number,
      ];
      const results = await db.values<Result>(
        sql`select test_seq, status, flaky, duration_ms, seq from test_results where seq >= ${from} and seq < ${end} order by seq limit ${SLICE}`,
      );
      for (const [testSeq, status, flaky, durationMs] of results) {
        const sample = { status, flaky: flaky === 1, place, batch, durationMs };
        const known = samples.get(testSeq);
        if (known) known.push(sample);
        else samples.set(testSeq, [sample]);
      }
      await yieldToEventLoop();
      from = results.length < SLICE ? end : (results.at(-1)?.[4] ?? end) + 1;
    }
  }
  return { window, samples };
}

/** The first tests in an order; `make` gives undefined for one that is not listed. */
export async function firstTests<T extends object>(
  samples: ReadonlyMap<number, WindowSample[]>,
  make: (own: WindowSample[], testSeq: number) => T | undefined,
  compare: (a: T, b: T) => number,
) {
  let first: (T & { testSeq: number })[] = [];
  let [looked, total] = [0, 0];
  const cut = () =>
    first.sort((a, b) => compare(a, b) || a.testSeq - b.testSeq).slice(0, TESTS_LISTED);
  for (const [testSeq, own] of samples) {
    looked += own.length;
    if (looked >= SLICE) {
      looked = 0;
      await yieldToEventLoop();
    }
    if (first.length >= 4 * TESTS_LISTED) first = cut();
    const item = make(own, testSeq);
    if (item === undefined) continue;
    total += 1;
    first.push({ ...item, testSeq });
  }
  return { first: cut(), total };
}

export async function withTests<S extends TObject>(
  db: Db,
  schema: S,
  found: readonly { testSeq: number }[],
): Promise<{ key: number; item: Static<S> }[]> {
  const seqs = JSON.stringify(found.map(({ testSeq }) => testSeq));
  const rows = await db
    .select()
    .from(tests)
    .where(sql`${tests.seq} in (select value from json_each(${seqs}))`);
  const named = new Map(rows.map((row) => [row.seq, row]));
  return found.map((one) => ({
    key: one.testSeq,
    item: shownBy(schema, { ...named.get(one.testSeq), ...one }),
  }));
}
