// What an agent writes to its runs is stored without the secrets that were handed out to it.
import type { Agents } from './agents.ts';
import { leasedValues } from './credentials.ts';
import { isUnlentLease, keepUnlentLease } from './kept-runs.ts';
import { createMask, type Mask } from '../http/masking.ts';

/**
 * The mask of what was handed out under a lease, to be asked for before the write: it may read files.
 *
 * @returns undefined where there is nothing to mask
 * @throws Problem `conflict` as `leasedValues`
 */
export async function maskOfLease(agents: Agents, leaseId: string): Promise<Mask | undefined> {
  const { read } = agents.database;
  if (isUnlentLease(read, leaseId)) return undefined;
  const values = await leasedValues(agents, read, leaseId);
  if (values.length === 0) keepUnlentLease(read, leaseId);
  return createMask(values);
}
