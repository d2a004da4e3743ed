// Runs after which the service has yet to judge their stories, so that the next start does what a
// process that died had not come to, and judges no other run anew.
import { eq, sql } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { type TestRunRow, testRuns, unjudgedRuns } from '../../store/tables/quality.ts';

/**
 * Notes a settled run, inside the caller's write, where its project lets runs judge stories.
 *
 * @returns whether it is noted
 */
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
