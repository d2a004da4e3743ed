// Runs that are older than their project keeps them. What still says how a command or a story's test
// went last stays, however old it is.
import { and, asc, eq, gt, isNotNull, lt, sql } from 'drizzle-orm';
import type { TokenRegistry } from '../../access/tokens.ts';
import type { Clock } from '../../clock.ts';
import type { Database, Db } from '../../store/database.ts';
import { traces } from '../../store/tables/assurance.ts';
import { attachments } from '../../store/tables/evidence.ts';
import {
  commandStats,
  latestResults,
  runBatches,
  runPins,
  type TestRunRow,
  testRuns,
} from '../../store/tables/quality.ts';
import { asCalled, isTestKey, readCalledTests } from '../reports/test-names.ts';
import { createThrottle, type Throttle } from '../scheduler.ts';
import { discardBatch } from './batches.ts';
import { BATCH_SPAN } from './result-rows.ts';

const DAY_MS = 24 * 3600 * 1000;
const RUNS_LOOKED_AT = 100;

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
    for (let behind = 0; ; ) {
      const old = await oldRuns(database.read, id, before, behind);
      for (const run of old) {
        if (newest.has(run.batch)) continue;
        await removeRun(database, run, throttle);
        removed += 1;
      }
      if (old.length < RUNS_LOOKED_AT) break;
      behind = old.at(-1)?.seq ?? behind;
    }
  }
  return removed;
}

/**
 * The batches that hold the newest run of a command, or the newest result of a test that names a
 * story or that a link leads to.
 */
async function newestBatches(db: Db, projectId: string): Promise<ReadonlySet<number>> {
  const inBatch = sql<number>`${latestResults.resultSeq} / ${sql.raw(String(BATCH_SPAN))}`;
  const ofCommands = await db
    .select({ batch: commandStats.lastBatch })
    .from(commandStats)
    .where(eq(commandStats.projectId, projectId));
  const ofTests = await db
    .selectDistinct({ batch: inBatch })
    .from(latestResults)
    .where(and(eq(latestResults.projectId, projectId), isNotNull(latestResults.storyIds)));
  const ofLinks = await db.values<[batch: number | null]>(sql`
    select distinct (
      select u.batch from test_results r join test_runs u on u.batch = r.seq / ${sql.raw(String(BATCH_SPAN))}
      where r.test_seq = t.seq and u.counts = 1 order by r.seq desc limit 1
    ) batch
    from traces l join tests t on t.project_id = l.project_id and t.test_key = l.target_id
    where l.project_id = ${projectId} and l.target_kind = 'test'`);
  const linked = ofLinks.flatMap(([batch]) => (batch === null ? [] : Number(batch)));
  const called = await batchesOfCalled(db, projectId);
  return new Set([...[...ofCommands, ...ofTests].map((one) => one.batch), ...linked, ...called]);
}

async function batchesOfCalled(db: Db, projectId: string): Promise<number[]> {
  const links = await db
    .selectDistinct({ id: traces.targetId })
    .from(traces)
    .where(and(eq(traces.projectId, projectId), eq(traces.targetKind, 'test')));
  const names = new Set(links.flatMap(({ id }) => (isTestKey(id) ? [] : asCalled(id))));
  const seqsOf = new Map<string, number[]>();
  for await (const some of readCalledTests(db, projectId, names)) {
    for (const { seq, names: own } of some) {
      for (const name of own) {
        const known = seqsOf.get(name);
        if (known) known.push(seq);
        else seqsOf.set(name, [seq]);
      }
    }
  }
  const seqs = [...new Set([...seqsOf.values()].flat())];
  const rows = await db.values<[seq: number, batch: number | null]>(sql`
    select t.value, (
      select u.batch from test_results r join test_runs u on u.batch = r.seq / ${sql.raw(String(BATCH_SPAN))}
      where r.test_seq = t.value and u.counts = 1 order by r.seq desc limit 1
    ) batch
    from json_each(${JSON.stringify(seqs)}) t`);
  const batchOf = new Map(
    rows.flatMap(([seq, batch]) => (batch === null ? [] : [[Number(seq), Number(batch)] as const])),
  );
  return [...seqsOf.values()].flatMap((own) => {
    const counting = own.flatMap((seq) => batchOf.get(seq) ?? []);
    return counting.length === 1 ? counting : [];
  });
}

function oldRuns(
  db: Db,
  projectId: string,
  before: number,
  behind: number,
): Promise<Pick<TestRunRow, 'seq' | 'id' | 'batch' | 'projectId'>[]> {
  const { seq, id, batch, projectId: project } = testRuns;
  return db
    .select({ seq, id, batch, projectId: project })
    .from(testRuns)
    .where(and(eq(project, projectId), gt(seq, behind), lt(testRuns.createdAt, before)))
    .orderBy(asc(seq))
    .limit(RUNS_LOOKED_AT);
}

async function removeRun(
  database: Database,
  { id, batch, projectId }: Pick<TestRunRow, 'id' | 'batch' | 'projectId'>,
  throttle: Throttle,
): Promise<void> {
  await database.write(async (db) => {
    await db.delete(attachments).where(eq(attachments.runId, id));
    await db.delete(runPins).where(eq(runPins.batch, batch));
    await db.delete(testRuns).where(eq(testRuns.batch, batch));
    await db
      .insert(runBatches)
      .values({ batch, projectId, runId: id, createdAt: 0 })
      .onConflictDoNothing();
  });
  await discardBatch(database, batch, throttle);
}
