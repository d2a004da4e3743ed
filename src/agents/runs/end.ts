// How runs end, with their items, suites and leases: by their agent or report, by an owner who
// cancels, or lost with their lease, which puts their items up for claim again or ends them.
import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, isNull, lte, type SQL, sql } from 'drizzle-orm';
import { notFound, Problem } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import {
  type LeaseRow,
  leases,
  type RunStateRow,
  runStates,
  suites,
} from '../../store/tables/agents.ts';
import { endCredentialLeases } from '../credentials.ts';
import { endLease, type LeaseEnd } from '../suites/leases.ts';
import { BATCH_SIZE, changeRun, findRun, itemOf, type LeasedRun, moveItem } from './rows.ts';
import { isCurrent, isEnded, isLive, type Outcome, outcomeOfLoss } from './states.ts';

/** Ends a run that has not ended and that its item still waits for. */
export async function endRun(
  db: Db,
  { run, lease }: LeasedRun,
  outcome: Outcome,
  now: number,
): Promise<LeasedRun> {
  const ended = await changeRun(db, run, { state: outcome }, now);
  return { run: ended, lease: await settleEnd(db, ended, lease, now) };
}

/** Ends what a run leaves behind: its item; its suite and lease where it was the last. */
export async function settleEnd(
  db: Db,
  run: RunStateRow,
  lease: LeaseRow,
  now: number,
): Promise<LeaseRow> {
  const outcome = run.state as Outcome;
  const item = await itemOf(db, run);
  if (item) await moveItem(db, item, outcome, now);
  const [live] = await liveRuns(db, lease.id).limit(1);
  if (live) return lease;
  const why = run.suiteId === null && outcome === 'cancelled' ? 'cancelled' : 'done';
  return closeLease(db, lease, why, now);
}

function liveRuns(db: Db, leaseId: string) {
  return (
    db
      .select()
      .from(runStates)
      // As the index says it, or it would not be used.
      .where(and(eq(runStates.leaseId, leaseId), sql`${runStates.state} in ('queued', 'running')`))
      .orderBy(asc(runStates.seq))
  );
}

async function closeLease(db: Db, lease: LeaseRow, why: LeaseEnd, now: number): Promise<LeaseRow> {
  await db
    .update(suites)
    .set({ endedAt: now })
    .where(and(eq(suites.leaseId, lease.id), isNull(suites.endedAt)));
  if (lease.endedAt !== null) return lease;
  await endCredentialLeases(db, { leaseId: lease.id }, why, now);
  return endLease(db, lease, why, now);
}

export interface LostLease {
  lease: LeaseRow;
  runs: RunStateRow[];
}

async function loseLease(
  db: Db,
  lease: LeaseRow,
  why: 'expired' | 'token',
  now: number,
): Promise<LostLease> {
  const runs: RunStateRow[] = [];
  for (const run of await liveRuns(db, lease.id)) {
    if (runs.length % BATCH_SIZE === BATCH_SIZE - 1) await setImmediate();
    const item = await itemOf(db, run);
    const outcome = outcomeOfLoss({ cancelRequested: run.cancelRequested, item });
    if (item && outcome.item && isCurrent(run.id, item))
      await moveItem(db, item, outcome.item, now);
    runs.push(await changeRun(db, run, { state: outcome.run }, now));
  }
  return { lease: await closeLease(db, lease, why, now), runs };
}

const MAX_LEASES = 100;

export function loseDueLeases(db: Db, now: number): Promise<LostLease[]> {
  return loseLeases(db, lte(leases.expiresAt, now), 'expired', now);
}

export function loseLeasesOf(db: Db, tokenId: string, now: number): Promise<LostLease[]> {
  return loseLeases(db, eq(leases.tokenId, tokenId), 'token', now);
}

async function loseLeases(db: Db, which: SQL, why: 'expired' | 'token', now: number) {
  const ending = await db
    .select()
    .from(leases)
    .where(and(isNull(leases.endedAt), which))
    .orderBy(asc(leases.expiresAt))
    .limit(MAX_LEASES);
  const lost: LostLease[] = [];
  for (const lease of ending) lost.push(await loseLease(db, lease, why, now));
  return lost;
}

/**
 * Cancels a run that nobody holds; one that is held gets a request for that, and is cancelled when
 * its agent says so or its lease is lost.
 */
export async function cancelRun(
  db: Db,
  { projectId, runId, now }: { projectId: string; runId: string; now: number },
): Promise<LeasedRun> {
  const found = await findRun(db, projectId, runId);
  if (!found) throw notFound('run');
  const { run, lease } = found;
  if (isEnded(run.state))
    throw new Problem('illegal_transition', `The run has ended: ${run.state}.`);
  if (isLive(run.state)) {
    if (run.cancelRequested) return found;
    return { run: await changeRun(db, run, { cancelRequested: true }, now), lease };
  }
  if (!isCurrent(run.id, await itemOf(db, run)))
    throw new Problem('illegal_transition', 'The run was lost, and its item went on without it.');
  return endRun(db, found, 'cancelled', now);
}
