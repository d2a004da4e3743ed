// One test through its runs: its results, the newest first, and what they say of its stability.
import { and, eq, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import type { Page } from '../../model/pages.ts';
import type { Db } from '../../store/database.ts';
import { type TestRow, tests } from '../../store/tables/quality.ts';
import type { ResultStatus } from '../reports/model.ts';
import type { RunFilters } from './query.ts';
import { type ResultView, resultView, type TestView, testView } from './result-rows.ts';
import {
  type ResultBounds,
  type ResultWithRun,
  RUN_OF_RESULT,
  resultPage,
  resultsOfTest,
} from './results.ts';
import { type Share, shareOf } from './share.ts';
import { runTime } from './test-runs.ts';
import { createFlakinessTally, type Flakiness } from './views/flaky.ts';
import { flakyOf } from './views/flaky-places.ts';

export const FLAKINESS_WINDOW = 100;

export interface RunReference {
  id: string;
  name: string;
  commandId: string | null;
  status: string;
  late: boolean;
  counts: boolean;
  commit: string | null;
  branch: string | null;
  environment: string | null;
  /** Its end, else its start, else its arrival. */
  at: string;
}

export interface FlakinessView {
  flaky: boolean;
  runs: number;
  passed: number;
  failed: number;
  withinRun: number;
  acrossRuns: number;
  flipRate: Share;
}

export interface TestHistory extends Page<ResultView & { run: RunReference }> {
  test: TestView;
  flakiness: FlakinessView;
}

/**
 * A page of a test's history.
 *
 * @param cursorFilters - the hash of the list's filters
 * @throws Problem `not_found` where no run has reported the test
 */
export async function testHistory(
  db: Db,
  projectId: string,
  testKey: string,
  filters: RunFilters,
  bounds: ResultBounds,
  cursorFilters: string,
): Promise<TestHistory> {
  const [test] = await db
    .select()
    .from(tests)
    .where(and(eq(tests.projectId, projectId), eq(tests.testKey, testKey)));
  const newest = test === undefined ? [] : await newestOf(db, test.seq);
  if (test === undefined || newest.length === 0) throw notFound('test');
  const page = await resultsOfTest(db, test.seq, filters, bounds);
  const placed = page.rows.map(({ result, run }) => ({ ...result, ...placeOf(run) }));
  const flaky = await flakyOf(db, projectId, placed);
  return {
    ...resultPage(page, cursorFilters, ({ result, run }, at) =>
      resultView(result, test, { flaky: flaky[at] ?? false, run: runReference(run) }),
    ),
    test: testView(test),
    flakiness: flakinessOf(test, newest),
  };
}

function placeOf({ counts, commitId, environment }: ResultWithRun['run']) {
  return { counts, commitId, environment };
}

function runReference(run: ResultWithRun['run']): RunReference {
  const { id, name, commandId, status, commitId, branch, environment } = run;
  return {
    id,
    name,
    commandId,
    status,
    late: run.late,
    counts: run.counts,
    commit: commitId,
    branch,
    environment,
    at: timestamp(runTime(run)),
  };
}

type Newest = [
  status: ResultStatus,
  flaky: number,
  counts: number,
  commit: string | null,
  environment: string | null,
];

function newestOf(db: Db, testSeq: number): Promise<Newest[]> {
  return db.values<Newest>(
    sql`select test_results.status, flaky, counts, commit_id, environment from test_results indexed by test_results_test cross join test_runs on ${RUN_OF_RESULT} where test_seq = ${testSeq} order by test_results.seq desc limit ${FLAKINESS_WINDOW}`,
  );
}

function flakinessOf({ testKey }: TestRow, newest: readonly Newest[]): FlakinessView {
  const tally = createFlakinessTally();
  for (const [status, flaky, counts, commit, environment] of newest.toReversed()) {
    if (counts === 1) tally.add({ testKey, status, flaky: flaky === 1, commit, environment });
  }
  const [known] = tally.list();
  return known === undefined ? NOTHING : flakinessView(known);
}

const NOTHING: FlakinessView = {
  flaky: false,
  runs: 0,
  passed: 0,
  failed: 0,
  withinRun: 0,
  acrossRuns: 0,
  flipRate: shareOf(0, 0),
};

export function flakinessView({ testKey: _, flipRate, ...known }: Flakiness): FlakinessView {
  const chances = Math.max(0, known.runs - 1);
  return { ...known, flipRate: shareOf(Math.round((flipRate ?? 0) * chances), chances) };
}
