// Results of tests: those of one run in the order of its report, those of one test the newest first.
import type { InValue } from '@libsql/client';
import { and, eq, sql } from 'drizzle-orm';
import { notFound } from '../../errors.ts';
import { encodeCursor } from '../../model/pages.ts';
import { executeRaw, isListed, prepared } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import {
  type TestResultRow,
  type TestRunRow,
  testResults,
  testRuns,
  tests,
} from '../../store/tables/quality.ts';
import { shownBy } from '../lists.ts';
import type { ResultStatus } from '../reports/model.ts';
import { FAILED, flakinessOf, isFailing, PASSED, placeOf } from './flaky.ts';
import {
  BATCH_SPAN,
  type Flakiness,
  type RunFilters,
  RunReference,
  Test,
  TestResult,
  TestResultOfRun,
} from './model.ts';
import { RUN_COLUMNS, runView } from './runs.ts';
import { stripsOf } from './strips.ts';

export const PAGE_BYTES = 4 * 1024 * 1024;
const FLAKINESS_WINDOW = 100;

export interface ResultBounds {
  status?: readonly ResultStatus[] | undefined;
  /** The `seq` of the last result seen, of a view the key of its last item. */
  behind: number | undefined;
  limit: number;
  hash: string;
}

/** What results are chosen from, with conditions and their values; built as text, once for all its shapes. */
interface Chosen {
  from: string;
  args: InValue[];
}

const OF_RUN = `test_runs.batch = test_results.seq / ${BATCH_SPAN}`;
const BYTES =
  'coalesce(octet_length(message), 0) + coalesce(octet_length(trace), 0) + coalesce(octet_length(attempts), 0)';

/** Adds that a column is any of some values, where there are any. */
function narrow(
  { from, args }: Chosen,
  column: string,
  values: readonly string[] | undefined,
): Chosen {
  if (!values) return { from, args };
  const condition = `${from} and ${column} in (select value from json_each(?))`;
  return { from: condition, args: [...args, JSON.stringify(values)] };
}

export async function resultsOfRun(
  db: Db,
  run: TestRunRow,
  { status, behind, ...bounds }: ResultBounds,
) {
  const { batch, projectId } = run;
  const first = Math.max((behind ?? 0) + 1, batch * BATCH_SPAN);
  const ofRun = {
    from: 'from test_results where seq >= ? and seq < ?',
    args: [first, (batch + 1) * BATCH_SPAN],
  };
  const chosen = narrow(ofRun, 'status', status);
  const page = await pageOfResults(db, projectId, chosen, 'asc', bounds, run);
  const testSeqs = page.items.map(({ testSeq }) => testSeq);
  const stripOf = await stripsOf(db, 'test', testSeqs);
  const items = page.items.map((one) => shownBy(TestResult, { ...one, ...stripOf(one.testSeq) }));
  return { ...page, items };
}

export async function testHistory(
  db: Db,
  projectId: string,
  testKey: string,
  { branch, commit, environment }: RunFilters,
  { status, behind, ...bounds }: ResultBounds,
) {
  const [test] = await db
    .select()
    .from(tests)
    .where(and(eq(tests.projectId, projectId), eq(tests.testKey, testKey)));
  const flakiness = test && (await newestFlakiness(db, test.seq));
  if (test === undefined || flakiness === undefined) throw notFound('test');
  const before = behind ?? Number.MAX_SAFE_INTEGER;
  let chosen: Chosen = {
    from: `from test_results indexed by test_results_test cross join test_runs on ${OF_RUN} where test_seq = ? and test_results.seq < ?`,
    args: [test.seq, before],
  };
  chosen = narrow(chosen, 'test_results.status', status);
  chosen = narrow(chosen, 'branch', branch);
  chosen = narrow(chosen, 'commit_id', commit);
  chosen = narrow(chosen, 'environment', environment);
  const page = await pageOfResults(db, projectId, chosen, 'desc', bounds);
  const items = page.items.map((one) =>
    shownBy(TestResultOfRun, { ...one, run: runView(RunReference, one.run) }),
  );
  return { ...page, items, test: shownBy(Test, test), flakiness };
}

const resultRows = prepared((db) =>
  db
    .select({ result: testResults, test: tests })
    .from(testResults)
    .innerJoin(tests, eq(tests.seq, testResults.testSeq))
    .where(isListed(testResults.seq, sql.placeholder('seqs')))
    .orderBy(testResults.seq)
    .prepare(),
);

/** @param run - of all of them, where it is one */
async function pageOfResults(
  db: Db,
  projectId: string,
  chosen: Chosen,
  order: 'asc' | 'desc',
  { limit, hash }: Pick<ResultBounds, 'limit' | 'hash'>,
  run?: TestRunRow,
) {
  const found = await executeRaw(
    db,
    `select test_results.seq, ${BYTES} ${chosen.from} order by test_results.seq ${order} limit ?`,
    [...chosen.args, limit + 1],
  );
  let bytes = 0;
  const end = found.findIndex((one, at) => {
    bytes += Number(one[1]);
    return at === limit || (at > 0 && bytes > PAGE_BYTES);
  });
  const seqs = found.slice(0, end < 0 ? found.length : end).map((row) => Number(row[0]));
  const rows = await resultRows(db).all({ seqs: JSON.stringify(seqs) });
  if (order === 'desc') rows.reverse();
  const batches = seqs.map((seq) => Math.floor(seq / BATCH_SPAN));
  const inBatches = isListed(testRuns.batch, JSON.stringify(batches));
  const runs = run ? [run] : await db.select(RUN_COLUMNS).from(testRuns).where(inBatches);
  const runOf = new Map(runs.map((one) => [one.batch, one]));
  const placed = rows.flatMap(({ result, test }) => {
    const run = runOf.get(Math.floor(result.seq / BATCH_SPAN));
    if (!run) return [];
    const { counts, commitId, environment } = run;
    return { ...result, counts, commitId, environment, test, run };
  });
  const flaky = await flakyOf(db, projectId, placed);
  const items = placed.map(({ test, ...result }, at) => ({
    ...test,
    ...result,
    line: result.line ?? test.line,
    attempts: result.attempts ?? [],
    storyIds: result.storyIds ?? [],
    flaky: flaky[at],
  }));
  return { items, nextCursor: end < 0 ? null : encodeCursor(hash, seqs.at(-1) ?? 0) };
}

async function newestFlakiness(db: Db, testSeq: number): Promise<Flakiness | undefined> {
  type Newest = [status: string, flaky: number, counts: number, ...place: (string | null)[]];
  const newest = await db.values<Newest>(sql`
    select test_results.status, flaky, counts, commit_id, environment
    from test_results indexed by test_results_test cross join test_runs on ${sql.raw(OF_RUN)}
    where test_seq = ${testSeq} order by test_results.seq desc limit ${FLAKINESS_WINDOW}`);
  if (newest.length === 0) return undefined;
  const counting = newest.filter(([, , counts]) => counts === 1).toReversed();
  return flakinessOf(
    counting.map(([status, flaky, , commit = null, environment = null]) => {
      return { status, flaky: flaky === 1, place: placeOf(commit, environment) };
    }),
  );
}

/** The newest runs at a commit and environment that are compared. */
export const RUNS_COMPARED = 50;

/** A result with what is compared of its run; of one that does not count nothing is. */
type PlacedResult = Pick<TestResultRow, 'testSeq' | 'status' | 'flaky'> &
  Pick<TestRunRow, 'counts' | 'commitId' | 'environment'>;

const FLAKY = `
  select (place.value ->> 3) | (
    select max(r.status = 'passed') + 2 * max(r.status in ('failed', 'broken'))
    from (
      select batch from test_runs indexed by test_runs_commit
      where project_id = ? and commit_id = place.value ->> 1
        and environment is place.value ->> 2 and counts = 1
      order by seq desc limit ?
    ) as run
    cross join test_results as r indexed by test_results_test
      on r.test_seq = place.value ->> 0 and r.seq >= run.batch * ${BATCH_SPAN} and r.seq < (run.batch + 1) * ${BATCH_SPAN}
  )
  from json_each(?) as place
  order by place.key`;

export async function flakyOf(
  db: Db,
  projectId: string,
  results: readonly PlacedResult[],
): Promise<boolean[]> {
  const places = results.map(({ testSeq, status, counts, commitId, environment }) => {
    const seen = status === 'passed' ? PASSED : isFailing(status) ? FAILED : 0;
    return [testSeq, counts && seen > 0 ? commitId : null, environment, seen];
  });
  const rows = await executeRaw(db, FLAKY, [projectId, RUNS_COMPARED, JSON.stringify(places)]);
  return results.map(({ flaky }, at) => flaky || Number(rows[at]?.[0]) === (PASSED | FAILED));
}
