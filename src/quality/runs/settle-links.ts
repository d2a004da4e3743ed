// Settles a run after it was recorded: puts down its results as the latest of their tests, in small
// writes, each of which may be done again.
import { eq, sql } from 'drizzle-orm';
import type { Database, Db } from '../../store/database.ts';
import { type TestRunRow, testRuns, unjudgedRuns } from '../../store/tables/quality.ts';
import type { Throttle } from '../scheduler.ts';
import { endBatch } from './batches.ts';
import { BATCH_SPAN } from './result-rows.ts';

const SLICE = 2000;

/**
 * Puts down the latest results of a run that counts, and ends its batch.
 *
 * @returns whether its stories are to be judged now, as `noteUnjudged` has it
 */
export async function settleLinks(
  database: Database,
  run: TestRunRow,
  { throttle }: { throttle: Throttle },
): Promise<boolean> {
  const { tests } = run.totals;
  const from = run.batch * BATCH_SPAN;
  const end = from + (run.counts ? tests : 0);
  for (let start = from; ; start += SLICE) {
    const unjudged = await database.write(async (db) => {
      if (start < end)
        await db.run(sql`
          insert into latest_results (test_seq, project_id, result_seq, status, duration_ms, content_sha256, story_ids)
          select test_seq, ${run.projectId}, seq, status, duration_ms, content_sha256, story_ids
          from test_results where seq >= ${start} and seq < ${Math.min(start + SLICE, end)}
          on conflict (test_seq) do update set
            result_seq = excluded.result_seq, status = excluded.status, duration_ms = excluded.duration_ms,
            content_sha256 = excluded.content_sha256, story_ids = excluded.story_ids
          where excluded.result_seq > latest_results.result_seq`);
      if (start + SLICE < end) return false;
      await endBatch(db, run.batch);
      return noteUnjudged(db, run);
    });
    if (start + SLICE >= end) return unjudged;
    await throttle.wait();
  }
}

/** Notes a settled run, inside the caller's write, where its project lets runs judge stories. */
export async function noteUnjudged(
  db: Db,
  { batch, projectId, counts }: Pick<TestRunRow, 'batch' | 'projectId' | 'counts'>,
): Promise<boolean> {
  if (!counts) return false;
  const noted = await db.all(sql`
    insert into unjudged_runs (batch, project_id)
    select ${batch}, p.id from projects p
    where p.id = ${projectId} and json_extract(p.settings, '$.autoValidate') = 1
    on conflict (batch) do update set project_id = excluded.project_id
    returning batch`);
  return noted.length > 0;
}

/** Says that a run is judged, inside the caller's write. */
export async function endUnjudged(db: Db, batch: number): Promise<void> {
  await db.delete(unjudgedRuns).where(eq(unjudgedRuns.batch, batch));
}

/** The runs that are not judged, the oldest first; `run` is undefined where it is no more. */
export async function unjudgedLeft(
  db: Db,
): Promise<{ batch: number; run: TestRunRow | undefined }[]> {
  const rows = await db
    .select({ batch: unjudgedRuns.batch, run: testRuns })
    .from(unjudgedRuns)
    .leftJoin(testRuns, eq(testRuns.batch, unjudgedRuns.batch))
    .orderBy(unjudgedRuns.batch);
  return rows.map(({ batch, run }) => ({ batch, run: run ?? undefined }));
}
