// The folder of keys under a passphrase: scrypt (RFC 7914) and AES-256-GCM (NIST SP 800-38D).
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from './manifest.ts';

const MAGIC = Buffer.from('pqrskey1');
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const KEY_FILE = /^[\w-]+\.(?:key|ed25519|pub)$/;

export async function sealKeys(folder: string, passphrase: string): Promise<Buffer> {
  const names = (await readdir(folder)).filter((name) => KEY_FILE.test(name));
  const keys: Record<string, string> = {};
  for (const name of names) keys[name] = (await readFile(join(folder, name))).toString('base64');
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const head = Buffer.concat([MAGIC, salt, nonce]);
  const cipher = createCipheriv('aes-256-gcm', derive(passphrase, salt), nonce);
  cipher.setAAD(head);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(keys), 'utf8'), cipher.final()]);
  return Buffer.concat([head, cipher.getAuthTag(), sealed]);
}

/** Opens sealed keys: contents by file name. @throws BackupError where the passphrase is another */
export function openSealedKeys(blob: Uint8Array, passphrase: string): Map<string, Buffer> {
  const bytes = Buffer.from(blob);
  const nonceAt = MAGIC.length + SALT_BYTES;
  const tagAt = nonceAt + NONCE_BYTES;
  const head = bytes.subarray(0, tagAt);
  if (!head.subarray(0, MAGIC.length).equals(MAGIC))
    throw new BackupError('the sealed keys are in a format that this version does not know');
  try {
    const key = derive(passphrase, head.subarray(MAGIC.length, nonceAt));
    const decipher = createDecipheriv('aes-256-gcm', key, head.subarray(nonceAt));
    decipher.setAAD(head);
    decipher.setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES));
    const sealed = bytes.subarray(tagAt + TAG_BYTES);
    const text = decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8');
    const keys = Object.entries(JSON.parse(text) as Record<string, string>);
    return new Map(
      keys
        .filter(([name]) => KEY_FILE.test(name))
        .map(([name, content]) => [name, Buffer.from(content, 'base64')]),
    );
  } catch (cause) {
    throw new BackupError('the keys do not open: the passphrase is another one', { cause });
  }
}

function derive(passphrase: string, salt: Uint8Array): Buffer {
  return scryptSync(passphrase.normalize('NFC'), salt, 32, SCRYPT);
}
