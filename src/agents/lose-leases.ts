// What becomes of what was held under a lease that is lost: its runs are lost, or cancelled where
// that was asked for, and their items are up for claim again or have ended.
import { and, asc, eq, isNull, lte, min, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import { prepared } from '../store/prepared.ts';
import {
  credentialLeases,
  type LeaseRow,
  leases,
  type RunStateRow,
  runStates,
} from '../store/tables/agents.ts';
import { endSuite } from './claims.ts';
import { endCredentialLeases } from './credentials.ts';
import { finish } from './leases.ts';
import { itemOf, moveItem, moveRun } from './run-state-rows.ts';
import { fateOf, isCurrent } from './run-states.ts';

/** A lease that was lost, with the runs that were held under it, as they are now. */
export interface LostLease {
  lease: LeaseRow;
  runs: RunStateRow[];
}

const p = sql.placeholder;

const heldRuns = prepared((db) =>
  db
    .select()
    .from(runStates)
    .where(
      and(
        eq(runStates.leaseId, p('leaseId')),
        // As the index says it, or it would not be used.
        sql`${runStates.state} in ('queued', 'running')`,
      ),
    )
    .orderBy(asc(runStates.seq))
    .prepare(),
);

/** Ends a lease that was not kept up, or whose token has ended, inside the caller's write. */
export async function loseLease(
  db: Db,
  lease: LeaseRow,
  why: 'expired' | 'token',
  now: number,
): Promise<LostLease> {
  const lost = { lease: await finish(db, lease, why, now), runs: [] as RunStateRow[] };
  for (const run of await heldRuns(db).all({ leaseId: lease.id }))
    lost.runs.push(await loseRun(db, run, now));
  await endSuite(db, lease.id, now);
  await endCredentialLeases(db, lease.id, why, now);
  return lost;
}

async function loseRun(db: Db, run: RunStateRow, now: number): Promise<RunStateRow> {
  const item = await itemOf(db, run);
  const fate = fateOf({
    cancelRequested: run.cancelRequested === 1,
    attempts: item?.attempts,
    maxAttempts: item?.maxAttempts ?? 1,
    onLeaseLost: item?.onLeaseLost ?? 'retry',
  });
  if (item && fate.item && isCurrent(run.id, item)) await moveItem(db, item, fate.item, now);
  return moveRun(db, run, fate.run, now);
}

const dueLeases = prepared((db) =>
  db
    .select()
    .from(leases)
    .where(and(isNull(leases.endedAt), lte(leases.expiresAt, p('now'))))
    .orderBy(asc(leases.expiresAt))
    .limit(p('most'))
    .prepare(),
);

/** Ends leases whose time is up, those that ended first before the others, at most so many. */
export async function loseDueLeases(db: Db, now: number, most: number): Promise<LostLease[]> {
  const lost: LostLease[] = [];
  for (const lease of await dueLeases(db).all({ now, most }))
    lost.push(await loseLease(db, lease, 'expired', now));
  return lost;
}

/** Ends the leases of a token that is good no more. */
export async function loseLeasesOf(db: Db, tokenId: string, now: number): Promise<LostLease[]> {
  const rows = await db
    .select()
    .from(leases)
    .where(and(isNull(leases.endedAt), eq(leases.tokenId, tokenId)));
  const lost: LostLease[] = [];
  for (const lease of rows) lost.push(await loseLease(db, lease, 'token', now));
  return lost;
}

/** Ends loans of credentials that have run for as long as any may, under leases that live on. */
export async function endDueLoans(db: Db, now: number): Promise<void> {
  await db
    .update(credentialLeases)
    .set({ endedAt: now, endedWhy: 'expired' })
    .where(and(isNull(credentialLeases.endedAt), lte(credentialLeases.expiresAt, now)));
}

/** Gives the leases that run their whole time again: nobody could renew one while nobody served. */
export async function extendRunning(db: Db, now: number): Promise<void> {
  await db
    .update(leases)
    .set({ expiresAt: sql`${leases.leaseMs} + ${now}` })
    .where(and(isNull(leases.endedAt), sql`${leases.expiresAt} < ${leases.leaseMs} + ${now}`));
}

/** When the first lease or loan of each token that holds some is due, milliseconds since the epoch. */
export async function dueTimes(db: Db): Promise<{ tokenId: string; at: number }[]> {
  const held = await db
    .select({ tokenId: leases.tokenId, at: min(leases.expiresAt) })
    .from(leases)
    .where(isNull(leases.endedAt))
    .groupBy(leases.tokenId);
  const lent = await db
    .select({ tokenId: credentialLeases.tokenId, at: min(credentialLeases.expiresAt) })
    .from(credentialLeases)
    .where(isNull(credentialLeases.endedAt))
    .groupBy(credentialLeases.tokenId);
  return [...held, ...lent].map(({ tokenId, at }) => ({ tokenId, at: at ?? 0 }));
}
