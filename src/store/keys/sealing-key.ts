// The keys that seal secrets in the database: AES-256-GCM (NIST SP 800-38D) under the newest one. What
// is sealed names its key, so older ones still open it.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KeyLost } from '../errors.ts';
import { readKeys } from './key-files.ts';
import type { KeyRecord } from './key-record.ts';

/** Its keys can be read anew while others use them. */
export type Sealing = Awaited<ReturnType<typeof openSealing>>;

export class SealBroken extends Error {
  override name = 'SealBroken';
}

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Reads the sealing keys, and makes the first one where there may be none as yet. */
export async function openSealing(folder: string, record?: KeyRecord) {
  let keys = await readKeys(folder, 'seal', record);
  return {
    /** Seals a text for one place: it opens with the same `context` alone. @throws KeyLost */
    seal(text: string, context: readonly string[]): Buffer {
      const [kid, key] = [...keys].at(-1) ?? [];
      if (kid === undefined || !key)
        throw new KeyLost('The key that seals credentials is missing or damaged');
      const head = Buffer.from([FORMAT, kid.length, ...Buffer.from(kid)]);
      return Buffer.concat([head, encrypt(key, text, associated(head, context))]);
    },
    /** @throws SealBroken where it was altered, is of another place, or its key is gone */
    unseal(sealed: Uint8Array, context: readonly string[]): string {
      const head = headOf(sealed);
      const kid = kidOfSealed(sealed);
      const key = keys.get(kid);
      if (sealed[0] !== FORMAT || sealed.length < head.length + NONCE_BYTES + TAG_BYTES)
        throw new SealBroken('it is not what was sealed');
      if (!key) throw new SealBroken(`this instance does not have the sealing key ${kid}`);
      try {
        return decrypt(key, sealed.subarray(head.length), associated(head, context));
      } catch (cause) {
        throw new SealBroken('it was altered, or is of another place', { cause });
      }
    },
    get kids(): readonly string[] {
      return [...keys.keys()];
    },
    async reload(): Promise<void> {
      keys = await readKeys(folder, 'seal', record);
    },
  };
}

export function kidOfSealed(sealed: Uint8Array): string {
  return headOf(sealed).subarray(2).toString('latin1');
}

/** The format, the length of the key's id, and that id. */
function headOf(sealed: Uint8Array): Buffer {
  const { buffer, byteOffset, byteLength } = sealed;
  return Buffer.from(buffer, byteOffset, byteLength).subarray(0, 2 + (sealed[1] ?? 0));
}

/** Unambiguous: no two lists of texts give the same bytes. */
function associated(head: Uint8Array, context: readonly string[]): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify(context))]);
}

/** AES-256-GCM: the nonce, the tag, and the text. */
export function encrypt(
  key: Uint8Array,
  text: string,
  about: Uint8Array = new Uint8Array(),
): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(about);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error where it was encrypted with another key or `about`, or altered */
export function decrypt(
  key: Uint8Array,
  bytes: Uint8Array,
  about: Uint8Array = new Uint8Array(),
): string {
  const textAt = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(about).setAuthTag(bytes.subarray(NONCE_BYTES, textAt));
  return decipher.update(bytes.subarray(textAt), undefined, 'utf8') + decipher.final('utf8');
}
