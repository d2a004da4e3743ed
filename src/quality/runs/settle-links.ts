// Settles a run after it was recorded: puts down its results as the latest of their tests, in small
// writes, each of which may be done again.
import { sql } from 'drizzle-orm';
import type { Database } from '../../store/database.ts';
import type { TestRunRow } from '../../store/tables/quality.ts';
import type { Pace } from '../pace.ts';
import { endBatch } from './batches.ts';
import { BATCH_SPAN } from './result-rows.ts';
import { noteUnjudged } from './unjudged-runs.ts';

/** Results that one write settles. */
const SLICE = 2000;

/**
 * Puts down the latest results of a run that counts, and ends its batch.
 *
 * @returns whether its stories are to be judged now, as `noteUnjudged` has it
 */
export async function settleLinks(
  database: Database,
  run: TestRunRow,
  { pace }: { pace: Pace },
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
    await pace.rest();
  }
}
