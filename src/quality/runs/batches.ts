// Batches of results: begun before their run is there, seen by nobody until it is, and taken away
// again where it never comes. A run that is there is settled: its results become the latest of their
// tests. All of it is done in small writes, each of which may be done again.
import { and, eq, sql } from 'drizzle-orm';
import type { TokenRegistry } from '../../access/tokens.ts';
import type { Clock } from '../../clock.ts';
import { createThrottle, type Throttle } from '../../runtime/scheduler.ts';
import type { Database, Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { traces } from '../../store/tables/assurance.ts';
import { attachments } from '../../store/tables/evidence.ts';
import {
  runBatches,
  runPins,
  type TestRunRow,
  testRuns,
  unjudgedRuns,
} from '../../store/tables/quality.ts';
import { keysCalled } from '../reports/test-names.ts';
import { BATCH_SPAN } from './model.ts';

export type OpenBatch = Awaited<ReturnType<typeof beginBatch>>;

const DISCARDED = 200;
const SETTLED = 2000;

const live = new Set<number>();

/** `close` must be called when the batch is settled or discarded, or left to the next start. */
export async function beginBatch(database: Database, projectId: string, now: number) {
  const batch = await database.write(async (db) => {
    const values = { projectId, runId: newId('run'), createdAt: now };
    const [row] = await db.insert(runBatches).values(values).returning();
    if (!row) throw new Error('the batch was not inserted');
    // Before others see the row: who looks for those that were left behind must not take it for one.
    live.add(row.batch);
    return row.batch;
  });
  return { projectId, batch, close: () => void live.delete(batch) };
}

/** Batches that a process has left behind, with their runs where they have come as far as that. */
export async function batchesLeft(db: Db) {
  const rows = await db
    .select({ batch: runBatches.batch, run: testRuns })
    .from(runBatches)
    .leftJoin(testRuns, eq(testRuns.batch, runBatches.batch));
  return rows.filter(({ batch }) => !live.has(batch));
}

/** @returns false where its run is there after all: nothing is taken away then */
export async function discardBatch(
  database: Database,
  batch: number,
  throttle: Throttle,
): Promise<boolean> {
  const [from, to] = [batch * BATCH_SPAN, (batch + 1) * BATCH_SPAN];
  for (;;) {
    const left = await database.write(async (db) => {
      const [run] = await db
        .select({ id: testRuns.id })
        .from(testRuns)
        .where(eq(testRuns.batch, batch));
      if (run) return 'its run';
      const rows = await db.values<[seq: number, testSeq: number]>(
        sql`select seq, test_seq from test_results where seq >= ${from} and seq < ${to} order by seq desc limit ${DISCARDED}`,
      );
      const last = rows.at(-1)?.[0];
      if (last === undefined) {
        await db.delete(runBatches).where(eq(runBatches.batch, batch));
        return 'nothing';
      }
      const testSeqs = sql`(select value from json_each(${JSON.stringify(rows.map(([, testSeq]) => testSeq))}))`;
      await db.run(sql`delete from test_results where seq >= ${last} and seq < ${to}`);
      await db.run(
        sql`delete from latest_results where test_seq in ${testSeqs} and result_seq >= ${last} and result_seq < ${to}`,
      );
      await db.run(
        sql`delete from tests where seq in ${testSeqs} and not exists (select 1 from test_results r where r.test_seq = tests.seq)`,
      );
      return 'more';
    });
    if (left !== 'more') return left === 'nothing';
    await throttle.wait();
  }
}

/** Puts down the latest results of a run; true where its stories are to be judged now. */
export async function settleLinks(
  database: Database,
  run: TestRunRow,
  { throttle }: { throttle: Throttle },
): Promise<boolean> {
  const from = run.batch * BATCH_SPAN;
  const end = from + (run.counts ? run.totals.tests : 0);
  for (let start = from; ; start += SETTLED) {
    const isLast = start + SETTLED >= end;
    const unjudged = await database.write(async (db) => {
      if (start < end)
        await db.run(sql`
          insert into latest_results (test_seq, project_id, result_seq, status, duration_ms, content_sha256, story_ids)
          select test_seq, ${run.projectId}, seq, status, duration_ms, content_sha256, story_ids
          from test_results where seq >= ${start} and seq < ${Math.min(start + SETTLED, end)}
          on conflict (test_seq) do update set
            result_seq = excluded.result_seq, status = excluded.status, duration_ms = excluded.duration_ms,
            content_sha256 = excluded.content_sha256, story_ids = excluded.story_ids
          where excluded.result_seq > latest_results.result_seq`);
      if (!isLast) return false;
      await db.delete(runBatches).where(eq(runBatches.batch, run.batch));
      return noteUnjudged(db, run);
    });
    if (isLast) return unjudged;
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

export async function endUnjudged(db: Db, batch: number): Promise<void> {
  await db.delete(unjudgedRuns).where(eq(unjudgedRuns.batch, batch));
}

export function unjudgedLeft(db: Db) {
  return db
    .select({ batch: unjudgedRuns.batch, run: testRuns })
    .from(unjudgedRuns)
    .leftJoin(testRuns, eq(testRuns.batch, unjudgedRuns.batch))
    .orderBy(unjudgedRuns.batch);
}

const DAY_MS = 24 * 3600 * 1000;
const BATCH_SIZE = 100;

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
  const keys = links.flatMap(({ id }) => keysCalled(id));
  const rows = await db.values<[batch: number]>(sql`
    select last_batch from command_stats where project_id = ${projectId}
    union
    select l.result_seq / ${sql.raw(String(BATCH_SPAN))}
    from latest_results l join tests t on t.seq = l.test_seq
    where l.project_id = ${projectId} and (
      l.story_ids is not null
      or t.test_key in (select value from json_each(${JSON.stringify(keys)})))`);
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
