// Batches of results that are being received: begun before their run is there, seen by nobody until
// it is, and taken away again where it never comes.
import { eq, sql } from 'drizzle-orm';
import type { Database, Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { runBatches, type TestRunRow, testRuns } from '../../store/tables/quality.ts';
import type { Throttle } from '../scheduler.ts';
import { BATCH_SPAN } from './result-rows.ts';

export interface OpenBatch {
  projectId: string;
  batch: number;
  /** Must be called when it is settled or discarded, or left to the next start. */
  close(): void;
}

const DISCARDED = 200;

const live = new Set<string>();

export async function beginBatch(
  database: Database,
  projectId: string,
  now: number,
): Promise<OpenBatch> {
  // Known before the row is: whoever looks for those that were left behind must not take it for one.
  const runId = newId('run');
  live.add(runId);
  try {
    const batch = await database.write(async (db) => {
      const [row] = await db
        .insert(runBatches)
        .values({ projectId, runId, createdAt: now })
        .returning({ batch: runBatches.batch });
      if (!row) throw new Error('the batch was not inserted');
      return row.batch;
    });
    return { projectId, batch, close: () => void live.delete(runId) };
  } catch (error) {
    live.delete(runId);
    throw error;
  }
}

export async function runOfBatch(db: Db, batch: number): Promise<TestRunRow | undefined> {
  const [row] = await db.select().from(testRuns).where(eq(testRuns.batch, batch));
  return row;
}

export async function endBatch(db: Db, batch: number): Promise<void> {
  await db.delete(runBatches).where(eq(runBatches.batch, batch));
}

/** Batches that a process has left behind, with their runs where they have come as far as that. */
export async function batchesLeft(
  db: Db,
): Promise<{ batch: number; run: TestRunRow | undefined }[]> {
  const rows = await db.select().from(runBatches);
  const left = rows.filter(({ runId }) => !live.has(runId));
  return Promise.all(left.map(async ({ batch }) => ({ batch, run: await runOfBatch(db, batch) })));
}

/**
 * Takes a batch away in small writes: its results, and the tests that it brought and nothing else
 * has.
 *
 * @returns false where its run is there after all: nothing is taken away then
 */
export async function discardBatch(
  database: Database,
  batch: number,
  throttle: Throttle,
): Promise<boolean> {
  const [from, to] = [batch * BATCH_SPAN, (batch + 1) * BATCH_SPAN];
  for (;;) {
    const left = await database.write(async (db) => {
      if (await runOfBatch(db, batch)) return 'its run';
      const rows = await db.values<[seq: number, testSeq: number]>(
        sql`select seq, test_seq from test_results where seq >= ${from} and seq < ${to} order by seq desc limit ${DISCARDED}`,
      );
      const last = rows.at(-1)?.[0];
      if (last === undefined) {
        await endBatch(db, batch);
        return 'nothing';
      }
      await db.run(sql`delete from test_results where seq >= ${last} and seq < ${to}`);
      const testSeqs = JSON.stringify(rows.map(([, testSeq]) => testSeq));
      await db.run(
        sql`delete from latest_results where test_seq in (select value from json_each(${testSeqs})) and result_seq >= ${last} and result_seq < ${to}`,
      );
      await db.run(
        sql`delete from tests where seq in (select value from json_each(${testSeqs})) and not exists (select 1 from test_results r where r.test_seq = tests.seq)`,
      );
      return 'more';
    });
    if (left !== 'more') return left === 'nothing';
    await throttle.wait();
  }
}
