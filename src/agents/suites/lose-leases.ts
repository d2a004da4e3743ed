// What becomes of what was held under a lease that is lost: its runs are lost, or cancelled where
// that was asked for, and their items are up for claim again or have ended.
import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, isNull, lte, min, sql } from 'drizzle-orm';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import {
  credentialLeases,
  type LeaseRow,
  leases,
  type RunStateRow,
  runStates,
} from '../../store/tables/agents.ts';
import { endCredentialLeases } from '../credentials/lease.ts';
import { endSuite } from '../runs/claims.ts';
import { itemOf, moveItem, moveRun } from '../runs/rows.ts';
import { fateOf, isCurrent } from '../runs/states.ts';
import { finish } from './leases.ts';
import { ROWS_A_TURN } from './open-suite.ts';

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

/** A write loses so many runs, and goes no further than the lease that they are of. */
const RUNS_A_WRITE = 1000;

/** Ends a lease that was not kept up, or whose token has ended, inside the caller's write. */
export async function loseLease(
  db: Db,
  lease: LeaseRow,
  why: 'expired' | 'token',
  now: number,
): Promise<LostLease> {
  const lost = { lease: await finish(db, lease, why, now), runs: [] as RunStateRow[] };
  for (const run of await heldRuns(db).all({ leaseId: lease.id })) {
    if (lost.runs.length % ROWS_A_TURN === ROWS_A_TURN - 1) await setImmediate();
    lost.runs.push(await loseRun(db, run, now));
  }
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
    .limit(LEASES_A_WRITE)
    .prepare(),
);
/** Others wait for a write that ends leases. */
const LEASES_A_WRITE = 100;

/**
 * Ends leases whose time is up, those that ended first before the others, inside the caller's write;
 * where there are many, some of them.
 *
 * @returns those that were ended, none when no other is due
 */
export async function loseDueLeases(db: Db, now: number): Promise<LostLease[]> {
  const lost: LostLease[] = [];
  let runs = 0;
  for (const lease of await dueLeases(db).all({ now })) {
    const one = await loseLease(db, lease, 'expired', now);
    lost.push(one);
    runs += one.runs.length;
    if (runs >= RUNS_A_WRITE) break;
  }
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

/**
 * Gives the leases that run their whole time from now on, and no more than that, with what is on loan
 * under them; inside the caller's write.
 */
export async function extendRunning(db: Db, now: number): Promise<void> {
  await db
    .update(leases)
    .set({ expiresAt: sql`${leases.leaseMs} + ${now}` })
    .where(isNull(leases.endedAt));
  await db
    .update(credentialLeases)
    .set({
      expiresAt: sql`(select expires_at from leases where id = ${credentialLeases.leaseId})`,
    })
    .where(isNull(credentialLeases.endedAt));
}

/** When the first lease of each token that holds some is due, milliseconds since the epoch. */
export async function dueTimes(db: Db): Promise<{ tokenId: string; at: number }[]> {
  const rows = await db
    .select({ tokenId: leases.tokenId, at: min(leases.expiresAt) })
    .from(leases)
    .where(isNull(leases.endedAt))
    .groupBy(leases.tokenId);
  return rows.map(({ tokenId, at }) => ({ tokenId, at: at ?? 0 }));
}
