// By what right a caller writes to a run, and what a report still means for it.
import { notFound, Problem } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import type { RunStateRow } from '../../store/tables/agents.ts';
import { isLeaseOf } from '../suites/leases.ts';
import { findRun, itemOf, type LeasedRun } from './rows.ts';
import { isCurrent, isEnded, isLive, outcomeOfLoss } from './states.ts';

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
export async function requireClaim(db: Db, claim: Claim): Promise<LeasedRun> {
  const found = await findRun(db, claim.projectId, claim.runId);
  if (!found || !isLeaseOf(found.lease, claim.tokenId, claim.lease))
    throw notFound('run under this lease');
  if (found.run.attempt !== claim.attempt)
    throw new Problem('conflict', `This run is attempt ${found.run.attempt}.`);
  return found;
}

/**
 * The run that a report is of, inside the write that records it.
 *
 * @returns `late` where the run has ended, or its item was claimed again or has ended: such a report
 * is stored and never counted. One that is not late is to be followed by `endRun` in the same write.
 * @throws Problem `not_found`, `conflict` as `requireClaim`
 */
export async function claimForReport(
  db: Db,
  claim: Claim,
  now: number,
): Promise<{ run: RunStateRow; late: boolean }> {
  const found = await requireClaim(db, claim);
  return { run: found.run, late: await isLate(db, found, now) };
}

async function isLate(db: Db, { run, lease }: LeasedRun, now: number): Promise<boolean> {
  if (isEnded(run.state)) return true;
  const item = await itemOf(db, run);
  if (!isCurrent(run.id, item)) return true;
  // A lease whose time is up is lost, also where that is not written yet.
  if (!isLive(run.state) || lease.expiresAt > now) return false;
  const outcome = outcomeOfLoss({ cancelRequested: run.cancelRequested, item });
  return outcome.run === 'cancelled' || outcome.item === 'broken';
}
