// The keys that sign file links: the newest signs, and older ones still verify.
import { randomBytes } from 'node:crypto';
import { readKeys } from './key-files.ts';
import type { KeyRecord } from './key-record.ts';

export interface SigningKeys {
  /** The key that signs. */
  current: { kid: string; key: Uint8Array };
  /** Every key that verifies, by its id. */
  all: ReadonlyMap<string, Uint8Array>;
}

/** Signing keys that can be read anew while others use them. */
export type LiveSigningKeys = SigningKeys & { reload(): Promise<void> };

/**
 * Reads the signing keys, and makes the first one where there may be none as yet. Where all are lost,
 * links are signed by a key that lives as long as the process.
 */
export async function openSigningKeys(
  folder: string,
  record?: KeyRecord,
): Promise<LiveSigningKeys> {
  async function read(): Promise<SigningKeys> {
    const found = await readKeys(folder, 'sign', record);
    const all = found.size > 0 ? found : new Map([['passing', randomBytes(32)]]);
    const [kid, key] = [...all].at(-1) as [string, Uint8Array];
    return { current: { kid, key }, all };
  }
  const keys = { ...(await read()), reload: async () => void Object.assign(keys, await read()) };
  return keys;
}
