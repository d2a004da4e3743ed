// Runs that are older than their project keeps them. What still says how a command or a story's test
// went last stays, however old it is.
import { and, eq, sql } from 'drizzle-orm';
import type { TokenRegistry } from '../../access/tokens.ts';
import type { Clock } from '../../clock.ts';
import type { Database, Db } from '../../store/database.ts';
import { traces } from '../../store/tables/assurance.ts';
import { attachments } from '../../store/tables/evidence.ts';
import { runBatches, runPins, type TestRunRow, testRuns } from '../../store/tables/quality.ts';
import { asCalled, isTestKey, readCalledTests } from '../reports/test-names.ts';
import { createThrottle } from '../scheduler.ts';
import { discardBatch } from './batches.ts';
import { BATCH_SPAN } from './model.ts';

const DAY_MS = 24 * 3600 * 1000;
const BATCH_SIZE = 100;

/** Removes runs past the retention of their projects, with results and attachments; gives how many. */
export async function expireRuns(services: {
  database: Database;
  clock: Clock;
  tokens: TokenRegistry;
  metrics: { readonly answered: number };
}): Promise<number> {
  const { database, clock, tokens, metrics } = services;
  let removed = 0;
  const throttle = createThrottle(() => metrics.answered);
  for (const { id, retentionDays } of tokens.projects()) {
    if (retentionDays === null) continue;
    const before = clock() - retentionDays * DAY_MS;
    const newest = JSON.stringify(await newestBatches(database.read, id));
    const isOld = sql`${testRuns.projectId} = ${id} and ${testRuns.createdAt} < ${before} and ${testRuns.batch} not in (select value from json_each(${newest}))`;
    for (;;) {
      const old = await database.read.select().from(testRuns).where(isOld).limit(BATCH_SIZE);
      if (old.length === 0) break;
      for (const run of old) {
        await removeRun(database, run);
        await discardBatch(database, run.batch, throttle);
        removed += 1;
      }
    }
  }
  return removed;
}

/**
 * The batches that hold the newest run of a command, or the newest result of a test that names a
 * story or that a link leads to, by its key or by what it is called.
 */
async function newestBatches(db: Db, projectId: string): Promise<number[]> {
  const links = await db
    .selectDistinct({ id: traces.targetId })
    .from(traces)
    .where(and(eq(traces.projectId, projectId), eq(traces.targetKind, 'test')));
  const names = new Set(links.flatMap(({ id }) => (isTestKey(id) ? [] : asCalled(id))));
  const called: number[] = [];
  for await (const some of readCalledTests(db, projectId, names))
    called.push(...some.map(({ seq }) => seq));
  const rows = await db.values<[batch: number]>(sql`
    select last_batch from command_stats where project_id = ${projectId}
    union
    select l.result_seq / ${sql.raw(String(BATCH_SPAN))}
    from latest_results l join tests t on t.seq = l.test_seq
    where l.project_id = ${projectId} and (
      l.story_ids is not null
      or t.seq in (select value from json_each(${JSON.stringify(called)}))
      or t.test_key in (
        select target_id from traces where project_id = ${projectId} and target_kind = 'test'
      ))`);
  return rows.map(([batch]) => batch);
}

/** Its results are left as a batch without a run, to be discarded. */
async function removeRun(database: Database, { id, batch, projectId }: TestRunRow): Promise<void> {
  await database.write(async (db) => {
    await db.delete(attachments).where(eq(attachments.runId, id));
    await db.delete(runPins).where(eq(runPins.batch, batch));
    await db.delete(testRuns).where(eq(testRuns.batch, batch));
    await db
      .insert(runBatches)
      .values({ batch, projectId, runId: id, createdAt: 0 })
      .onConflictDoNothing();
  });
}
