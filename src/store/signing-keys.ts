// The keys that sign file links: the newest signs, and older ones still verify.
import { readKeys } from './key-files.ts';

export interface SigningKeys {
  /** The key that signs. */
  current: { kid: string; key: Uint8Array };
  /** Every key that verifies, by its id. */
  all: ReadonlyMap<string, Uint8Array>;
}

/** Signing keys that can be read anew while others use them. */
export interface LiveSigningKeys extends SigningKeys {
  reload(): Promise<void>;
}

/**
 * Reads the signing keys, and makes the first one where there is none.
 *
 * @param folder - the folder of keys; made when missing
 */
export async function openSigningKeys(folder: string): Promise<LiveSigningKeys> {
  let keys = await readSigningKeys(folder);
  return {
    get current() {
      return keys.current;
    },
    get all() {
      return keys.all;
    },
    async reload() {
      keys = await readSigningKeys(folder);
    },
  };
}

async function readSigningKeys(folder: string): Promise<SigningKeys> {
  const all = await readKeys(folder, 'sign');
  const [kid, key] = [...all].at(-1) ?? [];
  if (!kid || !key) throw new Error('no signing key');
  return { current: { kid, key }, all };
}
