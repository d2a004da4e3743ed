// The return of a run that was lost: while nobody else has its item, its lease lives on.
import { eq } from 'drizzle-orm';
import { Problem } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { type LeaseRow, type RunStateRow, suites } from '../../store/tables/agents.ts';
import { reviveLoans } from '../credentials/lease.ts';
import { itemOf, moveItem } from '../runs/rows.ts';
import { isCurrent } from '../runs/states.ts';

/**
 * Claims the item of a lost run again for its agent, inside the caller's write.
 *
 * @param goesOn - whether the run is to run on; else its agent ends it now
 * @throws Problem `lease_expired` where the item was claimed again, or has ended
 */
export async function reclaim(
  db: Db,
  run: RunStateRow,
  lease: LeaseRow,
  goesOn: boolean,
  now: number,
): Promise<void> {
  const item = await itemOf(db, run);
  if (!isCurrent(run.id, item)) {
    const how = item?.state === 'ended' ? 'has ended' : 'was claimed again';
    throw new Problem('lease_expired', `The lease was lost, and the item of the run ${how}.`);
  }
  if (!goesOn) return;
  if (item) await moveItem(db, item, 'claimed', now);
  await db.update(suites).set({ endedAt: null }).where(eq(suites.leaseId, lease.id));
  await reviveLoans(db, lease);
}
