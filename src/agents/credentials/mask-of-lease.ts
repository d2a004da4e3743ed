// What an agent writes to its runs is stored without the secrets that were handed out to it.

import type { Mask } from '../../masking/mask.ts';
import type { Agents } from '../agents.ts';
import { isUnlentLease, keepUnlentLease } from '../runs/kept-runs.ts';
import { lentTo } from './lent.ts';

/**
 * The mask of what was handed out under a lease, to be asked for before the write: it may read files.
 *
 * @returns undefined where there is nothing to mask
 * @throws Problem `conflict` as `lentTo`
 */
export async function maskOfLease(agents: Agents, leaseId: string): Promise<Mask | undefined> {
  const { read } = agents.database;
  if (isUnlentLease(read, leaseId)) return undefined;
  const lent = await lentTo(agents, { leaseId });
  if (lent === undefined) keepUnlentLease(read, leaseId);
  return lent?.mask;
}
