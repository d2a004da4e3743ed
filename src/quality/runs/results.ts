// Pages of results: those of one run in the order of its report, those of one test the newest
// first. A page ends early where its texts grow large.
import { asc, desc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { encodeCursor } from '../../model/pages.ts';
import type { Db } from '../../store/database.ts';
import {
  type TestResultRow,
  type TestRow,
  type TestRunRow,
  testResults,
  testRuns,
  tests,
} from '../../store/tables/quality.ts';
import type { ResultStatus } from '../reports/model.ts';
import { yieldToEventLoop } from '../scheduler.ts';
import type { RunFilters } from './query.ts';
import { BATCH_SPAN } from './result-rows.ts';

export const PAGE_BYTES = 4 * 1024 * 1024;
const SLICE = 4096;

export interface ResultBounds {
  status?: readonly ResultStatus[] | undefined;
  /** The `seq` of the last result seen. */
  behind: number | undefined;
  limit: number;
}

export interface ResultRows<T> {
  rows: T[];
  /** The `seq` of the last of them where there are more, else undefined. */
  last: number | undefined;
}

type Sized = [seq: number, bytes: number];

const BYTES = sql`coalesce(octet_length(${testResults.message}), 0) + coalesce(octet_length(${testResults.trace}), 0) + coalesce(octet_length(${testResults.attempts}), 0)`;

export async function resultsOfRun(
  db: Db,
  { batch }: Pick<TestRunRow, 'batch'>,
  { status, behind, limit }: ResultBounds,
): Promise<ResultRows<{ result: TestResultRow; test: TestRow }>> {
  const end = (batch + 1) * BATCH_SPAN;
  const found: Sized[] = [];
  let from = behind === undefined ? batch * BATCH_SPAN : Math.max(behind + 1, batch * BATCH_SPAN);
  while (from < end && found.length <= limit) {
    const to = status === undefined ? end : Math.min(end, from + SLICE);
    const wanted =
      status === undefined ? sql`` : sql` and ${inArray(testResults.status, [...status])}`;
    const rows = await db.values<Sized>(
      sql`select seq, ${BYTES} from test_results where seq >= ${from} and seq < ${to}${wanted} order by seq limit ${limit + 1 - found.length}`,
    );
    found.push(...rows);
    from = to;
    if (from < end && found.length <= limit) await yieldToEventLoop();
  }
  const { seqs, last } = fitting(found, limit);
  const rows = await db
    .select({ result: testResults, test: tests })
    .from(testResults)
    .innerJoin(tests, eq(tests.seq, testResults.testSeq))
    .where(among(seqs))
    .orderBy(asc(testResults.seq));
  return { rows, last };
}

export interface ResultWithRun {
  result: TestResultRow;
  run: Pick<
    TestRunRow,
    | 'id'
    | 'name'
    | 'commandId'
    | 'status'
    | 'late'
    | 'counts'
    | 'commitId'
    | 'branch'
    | 'environment'
    | 'startedAt'
    | 'finishedAt'
    | 'createdAt'
  >;
}

const RUN_SHOWN = {
  id: testRuns.id,
  name: testRuns.name,
  commandId: testRuns.commandId,
  status: testRuns.status,
  late: testRuns.late,
  counts: testRuns.counts,
  commitId: testRuns.commitId,
  branch: testRuns.branch,
  environment: testRuns.environment,
  startedAt: testRuns.startedAt,
  finishedAt: testRuns.finishedAt,
  createdAt: testRuns.createdAt,
};

export const RUN_OF_RESULT = sql`test_runs.batch = test_results.seq / ${sql.raw(String(BATCH_SPAN))}`;

export async function resultsOfTest(
  db: Db,
  testSeq: number,
  filters: Pick<RunFilters, 'branch' | 'commit' | 'environment'>,
  { status, behind, limit }: ResultBounds,
): Promise<ResultRows<ResultWithRun>> {
  const wanted: SQL[] = [];
  if (status) wanted.push(inArray(testResults.status, [...status]));
  if (filters.branch) wanted.push(inArray(testRuns.branch, filters.branch));
  if (filters.commit) wanted.push(inArray(testRuns.commitId, filters.commit));
  if (filters.environment) wanted.push(inArray(testRuns.environment, filters.environment));
  const found: Sized[] = [];
  let before = behind ?? Number.MAX_SAFE_INTEGER;
  while (before > 0 && found.length <= limit) {
    const from = wanted.length === 0 ? 0 : await sliceStart(db, testSeq, before);
    const here = [
      sql`test_seq = ${testSeq} and test_results.seq >= ${from} and test_results.seq < ${before}`,
    ];
    const rows = await db.values<Sized>(
      sql`select test_results.seq, ${BYTES} from test_results indexed by test_results_test cross join test_runs on ${RUN_OF_RESULT} where ${sql.join([...here, ...wanted], sql` and `)} order by test_results.seq desc limit ${limit + 1 - found.length}`,
    );
    found.push(...rows);
    before = from;
    if (before > 0 && found.length <= limit) await yieldToEventLoop();
  }
  const { seqs, last } = fitting(found, limit);
  const rows = await db
    .select({ result: testResults, run: RUN_SHOWN })
    .from(testResults)
    .innerJoin(testRuns, RUN_OF_RESULT)
    .where(among(seqs))
    .orderBy(desc(testResults.seq));
  return { rows, last };
}

async function sliceStart(db: Db, testSeq: number, before: number): Promise<number> {
  const [row] = await db.values<[number]>(
    sql`select seq from test_results indexed by test_results_test where test_seq = ${testSeq} and seq < ${before} order by seq desc limit 1 offset ${SLICE - 1}`,
  );
  return row?.[0] ?? 0;
}

export function resultPage<R, T>(
  { rows, last }: ResultRows<R>,
  filters: string,
  itemOf: (row: R, at: number) => T,
): { items: T[]; nextCursor: string | null } {
  return {
    items: rows.map(itemOf),
    nextCursor: last === undefined ? null : encodeCursor(filters, last),
  };
}

function fitting(found: readonly Sized[], limit: number): { seqs: number[]; last?: number } {
  const seqs: number[] = [];
  let held = 0;
  for (const [seq, bytes] of found) {
    const last = seqs.at(-1);
    if (last !== undefined && (seqs.length === limit || held + bytes > PAGE_BYTES))
      return { seqs, last };
    seqs.push(seq);
    held += bytes;
  }
  return { seqs };
}

function among(seqs: readonly number[]): SQL {
  return sql`${testResults.seq} in (select value from json_each(${JSON.stringify(seqs)}))`;
}
