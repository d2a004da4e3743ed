// Whether results are flaky: passed and failed in one run, or in different runs at one commit in
// one environment. Looked up for the results of a page alone.
import { sql } from 'drizzle-orm';
import type { Db } from '../../../store/database.ts';
import type { ResultStatus } from '../../reports/model.ts';
import { BATCH_SPAN } from '../result-rows.ts';
import { isFailing } from './flaky.ts';

/** The newest runs at a commit and environment that are compared. */
export const RUNS_COMPARED = 50;

export interface PlacedResult {
  testSeq: number;
  status: string;
  /** Passed and failed in its run. */
  flaky: boolean;
  /** Whether its run counts: others are compared with none. */
  counts: boolean;
  commitId: string | null;
  environment: string | null;
}

const PASSED = 1;
const FAILED = 2;

/** Whether each of some results is flaky, in their order. */
export async function flakyOf(
  db: Db,
  projectId: string,
  results: readonly PlacedResult[],
): Promise<boolean[]> {
  const asked = results.map((result) =>
    !result.flaky && result.counts && result.commitId !== null ? seenIn(result) : 0,
  );
  const places = results.flatMap(({ testSeq, commitId, environment }, at) =>
    asked[at] === 0 ? [] : [[testSeq, commitId, environment]],
  );
  const seen = places.length === 0 ? [] : await seenAt(db, projectId, places);
  let next = 0;
  return results.map(({ flaky }, at) => {
    const own = asked[at] ?? 0;
    if (own === 0) return flaky;
    return (own | (seen[next++] ?? 0)) === (PASSED | FAILED);
  });
}

function seenIn({ status }: PlacedResult): number {
  return status === 'passed' ? PASSED : isFailing(status as ResultStatus) ? FAILED : 0;
}

/** How each of some tests ended at its place, in their order. */
async function seenAt(db: Db, projectId: string, places: readonly unknown[]): Promise<number[]> {
  const span = sql.raw(String(BATCH_SPAN));
  const rows = await db.values<[number | null]>(sql`
    select (
      select max(r.status = 'passed') + 2 * max(r.status in ('failed', 'broken'))
      from (
        select batch from test_runs indexed by test_runs_commit
        where project_id = ${projectId} and commit_id = place.value ->> 1
          and environment is place.value ->> 2 and counts = 1
        order by seq desc limit ${RUNS_COMPARED}
      ) as run
      cross join test_results as r indexed by test_results_test
        on r.test_seq = place.value ->> 0 and r.seq >= run.batch * ${span} and r.seq < (run.batch + 1) * ${span}
    )
    from json_each(${JSON.stringify(places)}) as place
    order by place.key`);
  return rows.map(([seen]) => seen ?? 0);
}
