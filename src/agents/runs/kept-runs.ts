// Runs and leases that agents wrote to lately, kept beside the connection that writes, so that a
// heartbeat need not read them. A row that is kept is as the newest write of it left it; where that
// write was undone, the version in the database is a lower one, and the next write finds that out.
import type { Db } from '../../store/database.ts';
import type { LeaseRow, RunStateRow } from '../../store/tables/agents.ts';

/** Thrown where a row is not what was kept of it: the write is to be done again, with what is read. */
export class StaleRow extends Error {
  override name = 'StaleRow';
}

const MOST = 4096;

interface Kept {
  runs: Map<string, RunStateRow>;
  leases: Map<string, LeaseRow>;
  /** Leases under which no credential is on loan: none will be, for all are lent with the claim. */
  bare: Map<string, true>;
  /** Leases under which no credential was ever on loan. */
  unlent: Map<string, true>;
}

const connections = new WeakMap<Db, Kept>();

function keptOf(db: Db): Kept {
  let kept = connections.get(db);
  if (!kept) {
    kept = { runs: new Map(), leases: new Map(), bare: new Map(), unlent: new Map() };
    connections.set(db, kept);
  }
  return kept;
}

/** What is kept of a run and its lease; undefined where one of them is not. */
export function keptRun(db: Db, id: string): { run: RunStateRow; lease: LeaseRow } | undefined {
  const { runs, leases } = keptOf(db);
  const run = runs.get(id);
  const lease = run && leases.get(run.leaseId ?? '');
  return lease && { run, lease };
}

/** Keeps a row as the caller's write left it. */
export function keepRun(db: Db, run: RunStateRow): void {
  keep(keptOf(db).runs, run.id, run);
}

/** To be called with every other write to a run. */
export function forgetRun(db: Db, id: string): void {
  keptOf(db).runs.delete(id);
}

/** Keeps a row as the caller's write left it. */
export function keepLease(db: Db, lease: LeaseRow): void {
  keep(keptOf(db).leases, lease.id, lease);
}

/** To be called with every other write to a lease. */
export function forgetLease(db: Db, id: string): void {
  keptOf(db).leases.delete(id);
}

/** To be called where a write to a run failed: what was kept of it then may have been undone. */
export function forgetHeld(db: Db, runId: string, leaseId: string): void {
  forgetRun(db, runId);
  forgetLease(db, leaseId);
}

/** Whether it is known that nothing is on loan under a lease. */
export function isBareLease(db: Db, id: string): boolean {
  return keptOf(db).bare.has(id);
}

/** Keeps in mind that nothing is on loan under a lease. */
export function keepBareLease(db: Db, id: string): void {
  keep(keptOf(db).bare, id, true);
}

/** Whether it is known that nothing was ever on loan under a lease. */
export function isUnlentLease(db: Db, id: string): boolean {
  return keptOf(db).unlent.has(id);
}

/** Keeps in mind that nothing was ever on loan under a lease: all is lent with the claim. */
export function keepUnlentLease(db: Db, id: string): void {
  keep(keptOf(db).unlent, id, true);
}

function keep<T>(rows: Map<string, T>, id: string, row: T): void {
  if (!rows.has(id) && rows.size >= MOST) {
    const oldest = rows.keys().next().value;
    if (oldest !== undefined) rows.delete(oldest);
  }
  rows.set(id, row);
}
