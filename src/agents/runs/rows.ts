// The rows of run states: with the lease that holds them and the item that they are an attempt at,
// and the moves that are written on them.
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { prepared } from '../../store/client/prepared.ts';
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
import { forgetRun } from './kept-runs.ts';
import type { RunState } from './states.ts';

const p = sql.placeholder;

/** A run and the lease under which it was claimed or opened. */
export interface HeldRun {
  run: RunStateRow;
  lease: LeaseRow;
}

const held = prepared((db) =>
  db
    .select({ run: getTableColumns(runStates), lease: getTableColumns(leases) })
    .from(runStates)
    .innerJoin(leases, eq(leases.id, runStates.leaseId))
    .where(and(eq(runStates.id, p('id')), eq(runStates.projectId, p('projectId'))))
    .prepare(),
);

/** A run with its lease; undefined where there is none in the project. */
export async function findHeldRun(
  db: Db,
  projectId: string,
  id: string,
): Promise<HeldRun | undefined> {
  return (await held(db).all({ id, projectId }))[0];
}

const itemAt = prepared((db) =>
  db
    .select({
      seq: planItems.seq,
      state: planItems.state,
      runId: planItems.runId,
      attempts: planItems.attempts,
      onLeaseLost: testCommands.onLeaseLost,
      maxAttempts: testCommands.maxAttempts,
    })
    .from(planItems)
    .innerJoin(testCommands, eq(testCommands.id, planItems.commandId))
    .where(and(eq(planItems.planId, p('planId')), eq(planItems.position, p('position'))))
    .prepare(),
);

/** The item of a plan that a run is an attempt at; undefined for a run without one. */
export async function itemOf(db: Db, { planId, position }: RunStateRow) {
  if (planId === null) return undefined;
  const [item] = await itemAt(db).all({ planId, position });
  if (!item) throw new Error('a run names an item that its plan has not');
  return item;
}
export type RunItem = NonNullable<Awaited<ReturnType<typeof itemOf>>>;

const lastChange = prepared((db) =>
  db
    .select({
      change: sql<number>`max((select max(change) from run_states where project_id = projects.id))`,
    })
    .from(sql`projects`)
    .prepare(),
);

const lastChanges = new WeakMap<Db, number>();

/**
 * The number after that of the instance's last change. It is remembered, for nothing else writes
 * over this connection; where a write fails its number stays unused.
 */
export async function nextChange(db: Db): Promise<number> {
  const last = lastChanges.get(db) ?? (await lastChange(db).all())[0]?.change ?? 0;
  lastChanges.set(db, last + 1);
  return last + 1;
}

const setState = prepared((db) =>
  db
    .update(runStates)
    .set({
      state: sql`${p('state')}`,
      change: sql`${p('change')}`,
      version: sql`${runStates.version} + 1`,
      updatedAt: sql`${p('now')}`,
    })
    .where(eq(runStates.seq, p('seq')))
    .prepare(),
);

/**
 * Moves a run to another state, inside the caller's write.
 *
 * @returns the row as it is now
 */
export async function moveRun(
  db: Db,
  run: RunStateRow,
  state: RunState,
  now: number,
): Promise<RunStateRow> {
  const change = await nextChange(db);
  forgetRun(db, run.id);
  await setState(db).run({ seq: run.seq, state, change, now });
  return { ...run, state, change, version: run.version + 1, updatedAt: now };
}

const setItem = prepared((db) =>
  db
    .update(planItems)
    .set({
      state: sql`${p('state')}`,
      outcome: sql`${p('outcome')}`,
      updatedAt: sql`${p('now')}`,
    })
    .where(eq(planItems.seq, p('seq')))
    .prepare(),
);

/**
 * Moves an item of a plan, inside the caller's write.
 *
 * @param to - `open`, `claimed`, or how it ends
 */
export async function moveItem(
  db: Db,
  { seq }: Pick<RunItem, 'seq'>,
  to: 'open' | 'claimed' | 'passed' | 'failed' | 'broken' | 'cancelled',
  now: number,
): Promise<void> {
  const ended = to !== 'open' && to !== 'claimed';
  await setItem(db).run({
    ...{ seq, now, state: ended ? 'ended' : to },
    outcome: ended ? to : null,
  });
}

const insert = prepared((db) =>
  db
    .insert(runStates)
    .values({
      id: p('id'),
      projectId: p('projectId'),
      suiteId: p('suiteId'),
      planId: p('planId'),
      position: p('position'),
      commandId: p('commandId'),
      item: p('item'),
      attempt: p('attempt'),
      state: p('state'),
      stateSeq: 0,
      progress: p('progress'),
      message: p('message'),
      agent: p('agent'),
      leaseId: p('leaseId'),
      fromWidget: p('fromWidget'),
      heartbeatAt: p('heartbeatAt'),
      change: p('change'),
      revision: p('revision'),
      overlayClock: p('overlayClock'),
      pins: p('pins'),
      authorToken: p('authorToken'),
      authorLabel: p('authorLabel'),
      createdAt: p('createdAt'),
      updatedAt: p('createdAt'),
    })
    .prepare(),
);

export type NewRun = Omit<
  RunStateRow,
  'seq' | 'id' | 'stateSeq' | 'stateSha256' | 'cancelRequested' | 'change' | 'version' | 'updatedAt'
>;

/** Inserts a run, inside the caller's write. */
export async function insertRun(db: Db, run: NewRun): Promise<RunStateRow> {
  const values = { ...run, id: newId('run'), change: await nextChange(db) };
  // No `returning`: reading a row back costs as much as writing it.
  const { lastInsertRowid } = await insert(db).run(values);
  return {
    ...values,
    seq: Number(lastInsertRowid),
    ...{ stateSeq: 0, stateSha256: null, cancelRequested: 0, version: 1 },
    updatedAt: run.createdAt,
  };
}
