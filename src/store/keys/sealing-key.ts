// The keys that seal secrets in the database: AES-256-GCM (NIST SP 800-38D) under the newest one. What
// is sealed names its key, so older ones still open it.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KeyLost } from '../errors.ts';
import { readKeys } from './key-files.ts';
import type { KeyRecord } from './key-record.ts';

export interface Sealing {
  /** Seals a text for one place: it opens with the same `context` alone. @throws KeyLost */
  seal(text: string, context: readonly string[]): Buffer;
  /** @throws SealBroken where it was altered, is of another place, or its key is gone */
  unseal(sealed: Uint8Array, context: readonly string[]): string;
}

/** Sealing whose keys can be read anew while others use it. */
export type LiveSealing = Awaited<ReturnType<typeof openSealing>>;

export class SealBroken extends Error {
  override name = 'SealBroken';
}

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Reads the sealing keys, and makes the first one where there may be none as yet. */
export async function openSealing(folder: string, record?: KeyRecord) {
  let keys = await readKeys(folder, 'seal', record);
  let sealing = sealingWith(keys);
  return {
    get kids(): readonly string[] {
      return [...keys.keys()];
    },
    seal: (text: string, context: readonly string[]) => sealing.seal(text, context),
    unseal: (sealed: Uint8Array, context: readonly string[]) => sealing.unseal(sealed, context),
    async reload(): Promise<void> {
      keys = await readKeys(folder, 'seal', record);
      sealing = sealingWith(keys);
    },
  };
}

export function kidOfSealed(sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  return bytes.subarray(2, 2 + (bytes[1] ?? 0)).toString('latin1');
}

export function sealingWith(keys: ReadonlyMap<string, Uint8Array>): Sealing {
  const [current, newest] = [...keys].at(-1) ?? [];
  return {
    seal(text, context) {
      if (current === undefined || !newest)
        throw new KeyLost('The key that seals credentials is missing or damaged');
      const head = Buffer.from([FORMAT, current.length, ...Buffer.from(current)]);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newest, nonce);
      cipher.setAAD(associated(head, context));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([head, nonce, cipher.getAuthTag(), sealed]);
    },
    unseal(sealed, context) {
      const bytes = Buffer.from(sealed);
      const head = bytes.subarray(0, 2 + (bytes[1] ?? 0));
      const kid = kidOfSealed(bytes);
      const key = keys.get(kid);
      if (bytes[0] !== FORMAT || bytes.length < head.length + NONCE_BYTES + TAG_BYTES)
        throw new SealBroken('it is not what was sealed');
      if (!key) throw new SealBroken(`this instance does not have the sealing key ${kid}`);
      const [tagAt, textAt] = [head.length + NONCE_BYTES, head.length + NONCE_BYTES + TAG_BYTES];
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(head.length, tagAt));
      decipher.setAAD(associated(head, context));
      decipher.setAuthTag(bytes.subarray(tagAt, textAt));
      try {
        return decipher.update(bytes.subarray(textAt), undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw new SealBroken('it was altered, or is of another place', { cause });
      }
    },
  };
}

/** Unambiguous: no two lists of texts give the same bytes. */
function associated(head: Uint8Array, context: readonly string[]): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify(context))]);
}
