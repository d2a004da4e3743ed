// What a report means for the run that it is of: whether the run was still its agent's to end, and
// how it ends with its item, its suite and its lease.
import { and, eq, isNull, sql } from 'drizzle-orm';
import { notFound, Problem } from '../../errors.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { type LeaseRow, type RunStateRow, runStates, suites } from '../../store/tables/agents.ts';
import { endCredentialLeases } from '../credentials/lease.ts';
import { finish, isLeaseOf } from '../suites/leases.ts';
import { findHeldRun, type HeldRun, itemOf, moveItem, moveRun } from './rows.ts';
import { fateOf, isCurrent, isEnded, isLive, type Outcome } from './states.ts';

/** Which run a caller writes to, and by what right. */
export interface Claim {
  projectId: string;
  tokenId: string;
  runId: string;
  attempt: number;
  lease: { id: string; token: string };
}

/**
 * The run of a claim with its lease.
 *
 * @throws Problem `not_found` where the lease is not that of the run and the token; `conflict` where
 * the run is another attempt
 */
export async function requireClaim(db: Db, claim: Claim): Promise<HeldRun> {
  const held = await findHeldRun(db, claim.projectId, claim.runId);
  if (held && isClaimOf(held, claim)) return held;
  if (!held || !isLeaseOf(held.lease, claim.tokenId, claim.lease))
    throw notFound('run under this lease');
  throw new Problem('conflict', `This run is attempt ${held.run.attempt}.`);
}

/** Whether a run is the one that a claim names, by its right. */
export function isClaimOf({ run, lease }: HeldRun, claim: Claim): boolean {
  return (
    run.id === claim.runId &&
    run.projectId === claim.projectId &&
    run.attempt === claim.attempt &&
    isLeaseOf(lease, claim.tokenId, claim.lease)
  );
}

/**
 * Looks at the run that a report is of, inside the write that records it.
 *
 * @returns `late` where the run has ended, or its item was claimed again or has ended: such a report
 * is kept and never counted. One that is not late is to be followed by `endRun` in the same write.
 * @throws Problem `not_found`, `conflict` as `requireClaim`
 */
export async function claimForReport(
  db: Db,
  { now, ...claim }: Claim & { now: number },
): Promise<{ run: RunStateRow; late: boolean }> {
  const { run, lease } = await requireClaim(db, claim);
  return { run, late: await isLate(db, run, lease, now) };
}

async function isLate(db: Db, run: RunStateRow, lease: LeaseRow, now: number): Promise<boolean> {
  if (isEnded(run.state)) return true;
  const item = await itemOf(db, run);
  if (!isCurrent(run.id, item)) return true;
  // A lease whose time is up is lost, also where that is not written yet.
  if (!isLive(run.state) || lease.expiresAt > now) return false;
  const fate = fateOf({
    cancelRequested: run.cancelRequested === 1,
    attempts: item?.attempts,
    maxAttempts: item?.maxAttempts ?? 1,
    onLeaseLost: item?.onLeaseLost ?? 'retry',
  });
  return fate.run === 'cancelled' || fate.item === 'broken';
}

/**
 * Ends a run, and with it its item, and its suite and lease where nothing else is held under them;
 * inside the caller's write, who tells the listeners of the project after it.
 *
 * @param run - one that has not ended and is still the one that its item waits for
 * @returns the row as it is now
 */
export async function endRun(
  db: Db,
  run: RunStateRow,
  outcome: Outcome,
  now: number,
): Promise<RunStateRow> {
  const ended = await moveRun(db, run, outcome, now);
  const held = await findHeldRun(db, run.projectId, run.id);
  if (held) await settleEnd(db, ended, held.lease, outcome, now);
  return ended;
}

/**
 * Ends what hangs on a run that has ended: its item, and its suite and lease where nothing else is
 * held under them; inside the caller's write.
 *
 * @returns the lease as it is now
 */
export async function settleEnd(
  db: Db,
  run: RunStateRow,
  lease: LeaseRow,
  outcome: Outcome,
  now: number,
): Promise<LeaseRow> {
  const item = await itemOf(db, run);
  if (item) await moveItem(db, item, outcome, now);
  const [live] = await liveRun(db).all({ leaseId: lease.id });
  if (live) return lease;
  await endSuite(db, lease.id, now);
  if (lease.endedAt !== null) return lease;
  await endCredentialLeases(db, lease.id, 'done', now);
  const why = run.suiteId === null && outcome === 'cancelled' ? 'cancelled' : 'done';
  return finish(db, lease, why, now);
}

const liveRun = prepared((db) =>
  db
    .select({ seq: runStates.seq })
    .from(runStates)
    .where(
      and(
        eq(runStates.leaseId, sql.placeholder('leaseId')),
        // As the index says it, or it would not be used.
        sql`${runStates.state} in ('queued', 'running')`,
      ),
    )
    .limit(1)
    .prepare(),
);

/** Ends the suite of a lease, if there is one that has not ended. */
export async function endSuite(db: Db, leaseId: string, now: number): Promise<void> {
  await db
    .update(suites)
    .set({ endedAt: now })
    .where(and(eq(suites.leaseId, leaseId), isNull(suites.endedAt)));
}
