// The rows of run states, with the lease that holds them and the item that they are an attempt at.
import { setImmediate } from 'node:timers/promises';
import { and, eq, getTableColumns, max, sql } from 'drizzle-orm';
import { prepared } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import {
  type LeaseRow,
  leases,
  planItems,
  type RunStateRow,
  runStates,
} from '../../store/tables/agents.ts';
import { testCommands } from '../../store/tables/quality.ts';
import type { Outcome } from './states.ts';

export interface LeasedRun {
  run: RunStateRow;
  lease: LeaseRow;
}

const p = sql.placeholder;

const leasedRun = prepared((db) =>
  db
    .select({ run: getTableColumns(runStates), lease: getTableColumns(leases) })
    .from(runStates)
    .innerJoin(leases, eq(leases.id, runStates.leaseId))
    .where(and(eq(runStates.id, p('id')), eq(runStates.projectId, p('projectId'))))
    .prepare(),
);

export async function findRun(
  db: Db,
  projectId: string,
  id: string,
): Promise<LeasedRun | undefined> {
  return (await leasedRun(db).all({ id, projectId }))[0];
}

export async function itemOf(db: Db, { planId, position }: RunStateRow) {
  if (planId === null || position === null) return undefined;
  const { onLeaseLost, maxAttempts } = testCommands;
  const [item] = await db
    .select({ ...getTableColumns(planItems), onLeaseLost, maxAttempts })
    .from(planItems)
    .innerJoin(testCommands, eq(testCommands.id, planItems.commandId))
    .where(and(eq(planItems.planId, planId), eq(planItems.position, position)));
  if (!item) throw new Error('a run names an item that its plan has not');
  return item;
}

const lastChange = prepared((db) =>
  db
    .select({ change: max(runStates.change) })
    .from(runStates)
    .where(eq(runStates.projectId, p('projectId')))
    .prepare(),
);

export async function newestChange(db: Db, projectId: string): Promise<number> {
  return (await lastChange(db).all({ projectId }))[0]?.change ?? 0;
}

/** Changes a run, which counts as a change of its project. */
export async function changeRun(
  db: Db,
  run: RunStateRow,
  set: Partial<RunStateRow>,
  now: number,
): Promise<RunStateRow> {
  const change = (await newestChange(db, run.projectId)) + 1;
  const changed = { ...set, change, version: run.version + 1, updatedAt: now };
  await db.update(runStates).set(changed).where(eq(runStates.seq, run.seq));
  return { ...run, ...changed };
}

/** Moves an item of a plan, inside the caller's write: up for claim, claimed, or how it ended. */
export async function moveItem(
  db: Db,
  { seq }: { seq: number },
  to: 'open' | 'claimed' | Outcome,
  now: number,
): Promise<void> {
  const set =
    to === 'open' || to === 'claimed'
      ? { state: to, outcome: null }
      : { state: 'ended', outcome: to };
  await db
    .update(planItems)
    .set({ ...set, updatedAt: now })
    .where(eq(planItems.seq, seq));
}

export type NewRun = Omit<
  typeof runStates.$inferInsert,
  'seq' | 'id' | 'stateSeq' | 'stateSha256' | 'cancelRequested' | 'change' | 'version' | 'updatedAt'
>;

export const BATCH_SIZE = 100;

export async function insertRuns(
  db: Db,
  projectId: string,
  runs: readonly NewRun[],
): Promise<RunStateRow[]> {
  const newest = await newestChange(db, projectId);
  const inserted: RunStateRow[] = [];
  for (let at = 0; at < runs.length; at += BATCH_SIZE) {
    if (at > 0) await setImmediate();
    const rows = runs.slice(at, at + BATCH_SIZE).map((run, index) => ({
      ...run,
      id: newId('run'),
      stateSeq: 0,
      change: newest + at + index + 1,
      updatedAt: run.createdAt,
    }));
    inserted.push(...(await db.insert(runStates).values(rows).returning()));
  }
  return inserted;
}
