// Settles a run after it was recorded: the newest results of the tests that name stories, kept
// where they are found at once. In small writes, each of which may be done again.
import { sql } from 'drizzle-orm';
import type { Database, Db } from '../../store/database.ts';
import type { TestRunRow } from '../../store/tables/quality.ts';
import type { Pace } from '../pace.ts';
import { endBatch } from './batches.ts';
import { BATCH_SPAN } from './result-rows.ts';
import { runTime } from './test-runs.ts';
import { noteUnjudged } from './unjudged-runs.ts';

/** Results that a write looks through; few of them name stories, as a rule. */
const SLICE = 500;

/**
 * Links the results of a run that counts, and ends its batch. A test that names no stories any more
 * keeps its newest result without them, so that an older one does not come back.
 *
 * @param options - `named` is false where none of its results names a story
 * @returns whether its stories are to be judged now, as `noteUnjudged` has it
 */
export async function settleLinks(
  database: Database,
  run: TestRunRow,
  { named = true, pace }: { named?: boolean; pace: Pace },
): Promise<boolean> {
  const { tests } = run.totals;
  const links = run.counts && (named || (await hasLinks(database.read, run.projectId)));
  const results = links ? tests : 0;
  const from = run.batch * BATCH_SPAN;
  const end = from + results;
  const at = runTime(run);
  for (let start = from; ; start += SLICE) {
    const unjudged = await database.write(async (db) => {
      if (start < end)
        await db.run(sql`
          insert into test_links (test_seq, project_id, test_key, story_ids, result_seq, status, at, duration_ms, content_sha256)
          select r.test_seq, t.project_id, t.test_key, coalesce(r.story_ids, '[]'), r.seq, r.status, ${at}, r.duration_ms, r.content_sha256
          from test_results r join tests t on t.seq = r.test_seq
          where r.seq >= ${start} and r.seq < ${Math.min(start + SLICE, end)}
            and (r.story_ids is not null or exists (select 1 from test_links l where l.test_seq = r.test_seq))
          on conflict (test_seq) do update set
            story_ids = excluded.story_ids, result_seq = excluded.result_seq, status = excluded.status, at = excluded.at,
            duration_ms = excluded.duration_ms, content_sha256 = excluded.content_sha256
          where excluded.result_seq > test_links.result_seq`);
      if (start + SLICE < end) return false;
      await endBatch(db, run.batch);
      return noteUnjudged(db, run);
    });
    if (start + SLICE >= end) return unjudged;
    await pace.rest();
  }
}

async function hasLinks(db: Db, projectId: string): Promise<boolean> {
  const rows = await db.values(
    sql`select 1 from test_links where project_id = ${projectId} limit 1`,
  );
  return rows.length > 0;
}
