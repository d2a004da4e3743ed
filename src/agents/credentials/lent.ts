// What was lent to a token, looked up with each of its writes: at no cost where it holds no lease, or
// none with credentials.
import { and, eq, isNull, or, type SQL } from 'drizzle-orm';
import type { Lent } from '../../masking/body.ts';
import { createMask } from '../../masking/mask.ts';
import type { Services } from '../../services.ts';
import { credentialLeases, credentials } from '../../store/tables/agents.ts';
import { testCommands } from '../../store/tables/quality.ts';
import { openCredential } from './lease.ts';

export interface LentToTokens {
  /** What is lent to a token now; undefined at once where nothing is. */
  of(tokenId: string): undefined | Promise<Lent | undefined>;
  /** To be called after the commit of a lease that was opened, or that lives again. */
  opened(tokenId: string): void;
}

const MAX_KNOWN = 4096;

/** @param mayHold - whether a token may hold a lease, as far as that is known at once */
export function openLent(
  services: Pick<Services, 'sealing' | 'database'>,
  mayHold: (tokenId: string) => boolean,
): LentToTokens {
  /** Tokens to which nothing is lent: true of each until it opens a lease. */
  const without = new Set<string>();
  let opened = 0;

  async function look(tokenId: string): Promise<Lent | undefined> {
    const before = opened;
    const lent = await lentTo(services, { tokenId });
    if (lent === undefined && opened === before) {
      if (without.size >= MAX_KNOWN) without.clear();
      without.add(tokenId);
    }
    return lent;
  }

  return {
    of: (tokenId) => (without.has(tokenId) || !mayHold(tokenId) ? undefined : look(tokenId)),
    opened(tokenId) {
      opened += 1;
      without.delete(tokenId);
    },
  };
}

/**
 * What is lent to a token and, where a lease is named, all that was handed out under it, though it may have
 * ended and been replaced since: what is not to be stored of what they send.
 *
 * @throws Problem `conflict` where a value cannot be opened any more
 */
export async function lentTo(
  { database, sealing }: Pick<Services, 'sealing' | 'database'>,
  { tokenId, leaseId }: { tokenId?: string; leaseId?: string | undefined },
): Promise<Lent | undefined> {
  const to: SQL[] = [];
  const { read } = database;
  if (tokenId !== undefined) {
    const live = and(eq(credentialLeases.tokenId, tokenId), isNull(credentialLeases.endedAt));
    if (live) to.push(live);
  }
  if (leaseId !== undefined) to.push(eq(credentialLeases.leaseId, leaseId));
  const rows = await read
    .selectDistinct({
      projectId: credentials.projectId,
      name: credentials.name,
      version: credentials.version,
      sealed: credentials.sealed,
      allowArchives: testCommands.allowArchives,
    })
    .from(credentialLeases)
    .innerJoin(
      credentials,
      and(
        eq(credentials.projectId, credentialLeases.projectId),
        eq(credentials.name, credentialLeases.credentialName),
        eq(credentials.version, credentialLeases.credentialVersion),
      ),
    )
    .innerJoin(testCommands, eq(testCommands.id, credentialLeases.commandId))
    .where(or(...to));
  if (rows.length === 0) return undefined;
  const opened = await sealing();
  const values = [...new Set(rows.map((row) => openCredential(opened, row)))];
  const allowsArchives = rows.every((row) => row.allowArchives);
  return { values, mask: createMask(values), allowsArchives };
}
