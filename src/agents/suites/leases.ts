// Leases: the right to work on what was claimed, for a while, under a secret of its own. All of
// them stay on record; only a SHA-256 of the secret is stored.
import { hash, timingSafeEqual } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { newId, newSecret } from '../../store/ids.ts';
import { type LeaseRow, leases } from '../../store/tables/agents.ts';
import { extendLoans } from '../credentials/lease.ts';
import { forgetLease, isBareLease, keepBareLease, keepLease, StaleRow } from '../runs/kept-runs.ts';

/** How long a lease runs after each sign of life, milliseconds. */
export const LEASE_MS_LEAST = 1000;
export const LEASE_MS_USUAL = 15 * 60_000;
export const LEASE_MS_MOST = 60 * 60_000;

/** Why a lease has ended. */
export const LEASE_ENDS = ['done', 'expired', 'token', 'cancelled'] as const;
export type LeaseEnd = (typeof LEASE_ENDS)[number];

export interface OpenedLease {
  row: LeaseRow;
  /** Its secret, which is shown this once. */
  token: string;
}

const p = sql.placeholder;

const insertLease = prepared((db) =>
  db
    .insert(leases)
    .values({
      id: p('id'),
      projectId: p('projectId'),
      tokenId: p('tokenId'),
      secretSha256: p('secretSha256'),
      leaseMs: p('leaseMs'),
      createdAt: p('createdAt'),
      expiresAt: p('expiresAt'),
    })
    .prepare(),
);

const finishLease = prepared((db) =>
  db
    .update(leases)
    .set({ endedAt: sql`${p('now')}`, endedWhy: sql`${p('why')}` })
    .where(eq(leases.seq, p('seq')))
    .prepare(),
);

const extendLease = prepared((db) =>
  db
    .update(leases)
    .set({ expiresAt: sql`${p('expiresAt')}` })
    .where(and(eq(leases.seq, p('seq')), eq(leases.expiresAt, p('was')), isNull(leases.endedAt)))
    .prepare(),
);

const reviveLease = prepared((db) =>
  db
    .update(leases)
    .set({ expiresAt: sql`${p('expiresAt')}`, endedAt: null, endedWhy: null })
    .where(eq(leases.seq, p('seq')))
    .prepare(),
);

/**
 * Opens a lease, inside the caller's write.
 *
 * @param lease - who holds it, and for how many milliseconds after each sign of life
 */
export async function openLease(
  db: Db,
  lease: { projectId: string; tokenId: string; leaseMs: number; now: number },
): Promise<OpenedLease> {
  const { projectId, tokenId, leaseMs, now } = lease;
  const token = newSecret();
  const values = {
    ...{ id: newId('lse'), projectId, tokenId, leaseMs },
    ...{ secretSha256: hash('sha256', token), createdAt: now, expiresAt: now + leaseMs },
  };
  const { lastInsertRowid } = await insertLease(db).run(values);
  const row = { ...values, seq: Number(lastInsertRowid), endedAt: null, endedWhy: null };
  return { row, token };
}

/** Whether a lease is the one that a caller names, and was given to it. */
export function isLeaseOf(
  row: Pick<LeaseRow, 'id' | 'tokenId' | 'secretSha256'>,
  tokenId: string,
  lease: { id: string; token: string },
): boolean {
  const [known, sent] = [row.secretSha256, hash('sha256', lease.token)].map((hex) =>
    Buffer.from(hex, 'hex'),
  ) as [Buffer, Buffer];
  return timingSafeEqual(known, sent) && row.id === lease.id && row.tokenId === tokenId;
}

/** Less than this is not written: many runs of a suite renew its lease at the same time. */
const WORTH_MS = 10;

/**
 * Renews a lease from now on, and what is on loan under it; one that had ended lives again.
 *
 * @returns the row as it is now
 * @throws StaleRow
 */
export async function renewLease(db: Db, row: LeaseRow, now: number): Promise<LeaseRow> {
  const { seq, expiresAt: was } = row;
  const expiresAt = now + row.leaseMs;
  if (row.endedAt === null && expiresAt < was + WORTH_MS) return row;
  if (row.endedAt === null) {
    const { rowsAffected } = await extendLease(db).run({ seq, expiresAt, was });
    if (rowsAffected !== 1) throw new StaleRow('the lease is another one by now');
  } else await reviveLease(db).run({ seq, expiresAt });
  if (row.endedAt !== null || !isBareLease(db, row.id)) {
    const loans = await extendLoans(db, row.id, expiresAt);
    if (loans === 0) keepBareLease(db, row.id);
  }
  const renewed = { ...row, expiresAt, endedAt: null, endedWhy: null };
  keepLease(db, renewed);
  return renewed;
}

/** Ends a lease, inside the caller's write. */
export async function finish(db: Db, row: LeaseRow, why: LeaseEnd, now: number): Promise<LeaseRow> {
  forgetLease(db, row.id);
  await finishLease(db).run({ seq: row.seq, now, why });
  return { ...row, endedAt: now, endedWhy: why };
}

/** After which time a lease is to be renewed: early enough to fail four times. */
export function renewAfterMs({ leaseMs }: Pick<LeaseRow, 'leaseMs'>): number {
  return Math.floor(leaseMs / 5);
}

/** A lease as it is shown to who opened it. */
export function leaseView({ row, token }: OpenedLease) {
  return {
    id: row.id,
    token,
    expiresAt: timestamp(row.expiresAt),
    renewAfterMs: renewAfterMs(row),
  };
}
