// Runs that are older than their project keeps them. What still says how a command or a story's test
// went last stays, however old it is.
import { and, asc, eq, gt, lt, sql } from 'drizzle-orm';
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
export async function expireRuns({
  database,
  clock,
  tokens,
  metrics,
}: {
  database: Database;
  clock: Clock;
  tokens: TokenRegistry;
  metrics: { readonly answered: number };
}): Promise<number> {
  let removed = 0;
  const throttle = createThrottle(() => metrics.answered);
  for (const { id, retentionDays } of tokens.projects()) {
    if (retentionDays === null) continue;
    const before = clock() - retentionDays * DAY_MS;
    const newest = await newestBatches(database.read, id);
    for await (const run of runsBefore(database.read, id, before)) {
      if (newest.has(run.batch)) continue;
      await removeRun(database, run);
      await discardBatch(database, run.batch, throttle);
      removed += 1;
    }
  }
  return removed;
}

/**
 * The batches that hold the newest run of a command, or the newest result of a test that names a
 * story or that a link leads to, by its key or by what it is called.
 */
async function newestBatches(db: Db, projectId: string): Promise<ReadonlySet<number>> {
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
  return new Set(rows.map(([batch]) => batch));
}

type OldRun = Pick<TestRunRow, 'seq' | 'id' | 'batch' | 'projectId'>;

async function* runsBefore(db: Db, project: string, before: number): AsyncGenerator<OldRun> {
  const { seq, id, batch, projectId, createdAt } = testRuns;
  for (let behind = 0; ; ) {
    const rows = await db
      .select({ seq, id, batch, projectId })
      .from(testRuns)
      .where(and(eq(projectId, project), gt(seq, behind), lt(createdAt, before)))
      .orderBy(asc(seq))
      .limit(BATCH_SIZE);
    yield* rows;
    if (rows.length < BATCH_SIZE) return;
    behind = rows.at(-1)?.seq ?? behind;
  }
}

/** Its results are left as a batch without a run, to be discarded. */
async function removeRun(database: Database, { id, batch, projectId }: OldRun): Promise<void> {
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
