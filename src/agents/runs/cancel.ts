// The cancelling of a run by an owner, who holds no lease.
import { eq } from 'drizzle-orm';
import { notFound, Problem } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { runStates } from '../../store/tables/agents.ts';
import { type LostLease, loseLease } from '../suites/lose-leases.ts';
import { settleEnd } from './claims.ts';
import { forgetRun } from './kept-runs.ts';
import { findHeldRun, type HeldRun, itemOf, moveRun, nextChange } from './rows.ts';
import { isCurrent, isEnded, isLive } from './states.ts';

/**
 * Cancels a run that nobody holds; one that is held gets a request to that, and is cancelled when
 * its agent says so or its lease is lost. Inside the caller's write.
 *
 * @throws Problem `not_found`; `illegal_transition` where it has ended, or its item went on without it
 */
export async function cancelRun(
  db: Db,
  { projectId, runId, now }: { projectId: string; runId: string; now: number },
): Promise<HeldRun & { lost: LostLease[] }> {
  let held = await findHeldRun(db, projectId, runId);
  if (!held) throw notFound('run');
  const lost: LostLease[] = [];
  if (isLive(held.run.state) && held.lease.expiresAt <= now) {
    lost.push(await loseLease(db, held.lease, 'expired', now));
    held = (await findHeldRun(db, projectId, runId)) ?? held;
  }
  const { run, lease } = held;
  if (isEnded(run.state))
    throw new Problem('illegal_transition', `The run has ended: ${run.state}.`);
  if (isLive(run.state)) return { ...(await requestCancel(db, held, now)), lost };
  if (!isCurrent(run.id, await itemOf(db, run)))
    throw new Problem('illegal_transition', 'The run was lost, and its item went on without it.');
  const ended = await moveRun(db, run, 'cancelled', now);
  return { run: ended, lease: await settleEnd(db, ended, lease, 'cancelled', now), lost };
}

async function requestCancel(db: Db, { run, lease }: HeldRun, now: number): Promise<HeldRun> {
  if (run.cancelRequested === 1) return { run, lease };
  const set = {
    ...{ cancelRequested: 1, change: await nextChange(db) },
    ...{ version: run.version + 1, updatedAt: now },
  };
  forgetRun(db, run.id);
  await db.update(runStates).set(set).where(eq(runStates.seq, run.seq));
  return { run: { ...run, ...set }, lease };
}
