// Leases: the right to work on what was claimed, for a while, under a secret of its own. All of them
// stay on record; only a SHA-256 of the secret is stored.
import { hash, timingSafeEqual } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import type { Db } from '../../store/database.ts';
import { newId, newSecret } from '../../store/ids.ts';
import { type LeaseRow, leases } from '../../store/tables/agents.ts';

export const MIN_LEASE_MS = 1000;
export const DEFAULT_LEASE_MS = 15 * 60_000;
export const MAX_LEASE_MS = 60 * 60_000;

export const LEASE_ENDS = ['done', 'expired', 'token', 'cancelled'] as const;
export type LeaseEnd = (typeof LEASE_ENDS)[number];

export interface OpenedLease {
  row: LeaseRow;
  token: string;
}

export async function openLease(
  db: Db,
  { now, ...lease }: { projectId: string; tokenId: string; leaseMs: number; now: number },
): Promise<OpenedLease> {
  const token = newSecret();
  const times = { createdAt: now, expiresAt: now + lease.leaseMs };
  const [row] = await db
    .insert(leases)
    .values({ ...lease, ...times, id: newId('lse'), secretSha256: hash('sha256', token) })
    .returning();
  return { row: row as LeaseRow, token };
}

export function isLeaseOf(
  row: Pick<LeaseRow, 'id' | 'tokenId' | 'secretSha256'>,
  tokenId: string,
  lease: { id: string; token: string },
): boolean {
  const known = Buffer.from(row.secretSha256, 'hex');
  const sent = hash('sha256', lease.token, 'buffer');
  return timingSafeEqual(known, sent) && row.id === lease.id && row.tokenId === tokenId;
}

/** A smaller gain is not written: many runs of a suite renew its lease at the same time. */
const MIN_GAIN_MS = 10;

/** Renews a lease from now on; one that had ended runs again. */
export async function renewLease(db: Db, row: LeaseRow, now: number): Promise<LeaseRow> {
  const expiresAt = now + row.leaseMs;
  if (row.endedAt === null && expiresAt < row.expiresAt + MIN_GAIN_MS) return row;
  await db.run(sql`
    update ${leases} set expires_at = ${expiresAt}, ended_at = null, ended_why = null
    where seq = ${row.seq}`);
  return { ...row, expiresAt, endedAt: null, endedWhy: null };
}

export async function endLease(
  db: Db,
  row: LeaseRow,
  why: LeaseEnd,
  now: number,
): Promise<LeaseRow> {
  const end = { endedAt: now, endedWhy: why };
  await db.update(leases).set(end).where(eq(leases.seq, row.seq));
  return { ...row, ...end };
}

/** After which time a lease is to be renewed: early enough to fail four times. */
export function renewAfterMs({ leaseMs }: Pick<LeaseRow, 'leaseMs'>): number {
  return Math.floor(leaseMs / 5);
}

export function leaseView({ row, token }: OpenedLease) {
  const { id, expiresAt } = row;
  return { id, token, expiresAt: timestamp(expiresAt), renewAfterMs: renewAfterMs(row) };
}
