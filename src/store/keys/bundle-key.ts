// The Ed25519 key (RFC 8032) of an instance, in its folder of keys: it signs what is carried to
// other instances. Its public half is for telling, as `ed25519:<base64url of the 32 bytes>`.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto';
import { link, mkdir, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyLost } from '../errors.ts';
import { isMissing, writeDurably } from '../files/io.ts';
import { type KeyRecord, NO_RECORD } from './key-record.ts';

export interface BundleKey {
  publicText: string;
  sign(bytes: Uint8Array): Uint8Array;
}

const FILE = 'bundle.ed25519';
const PREFIX = 'ed25519:';

/** Reads the key, and makes it where there may be none as yet. @throws KeyLost */
export async function openBundleKey(
  folder: string,
  record: Pick<KeyRecord, 'mayMake' | 'isIntact'> = NO_RECORD,
): Promise<BundleKey> {
  const path = join(folder, FILE);
  const found = await readKey(path);
  const pem = found ?? (record.mayMake('bundle') ? await makeKey(folder, path) : '');
  if (!record.isIntact('bundle', FILE, Buffer.from(pem)))
    throw new KeyLost('The key that signs bundles is missing or damaged');
  const privateKey = createPrivateKey(pem);
  return {
    publicText: publicText(createPublicKey(privateKey)),
    sign: (bytes) => new Uint8Array(sign(null, bytes, privateKey)),
  };
}

async function readKey(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error) => {
    if (!isMissing(error)) throw error;
    return undefined;
  });
}

/** Never in the place of one that somebody has just made. */
async function makeKey(folder: string, path: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const made = `${path}.${randomUUID()}.tmp`;
  await writeDurably(made, newPem());
  await link(made, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(made);
  return readFile(path, 'utf8');
}

function newPem(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * Puts a new key in the place of an instance's. The private half of the old one is gone then; its
 * public half stays, so that what it has signed is known by it.
 */
export async function rotateBundleKey(folder: string): Promise<BundleKey> {
  const old = await openBundleKey(folder).catch((error) => {
    if (!(error instanceof KeyLost)) throw error;
  });
  const known = `bundle-${Date.now().toString(36).padStart(9, '0')}.pub`;
  if (old) await writeDurably(join(folder, known), `${old.publicText}\n`);
  await writeDurably(join(folder, FILE), newPem());
  return openBundleKey(folder);
}

export async function earlierBundleKeys(folder: string): Promise<string[]> {
  const { publicText: current } = await openBundleKey(folder);
  const names = (await readdir(folder)).filter((name) => /^bundle-[0-9a-z]+\.pub$/.test(name));
  const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, name), 'utf8')));
  // A rotation that was killed has put down the key that is still in use.
  return [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== current);
}

function publicText(key: KeyObject): string {
  return PREFIX + (key.export({ format: 'jwk' }).x ?? '');
}

/** A public key, given as `ed25519:…`, as it is written by itself; undefined where it is none. */
export function readPublicKey(text: string): string | undefined {
  try {
    return publicText(publicKeyOf(text));
  } catch {
    return undefined;
  }
}

/** Whether a signature is that of a key, given as `ed25519:…`, on some bytes. */
export function isSignedBy(publicKey: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(null, bytes, publicKeyOf(publicKey), signature);
  } catch {
    return false;
  }
}

function publicKeyOf(text: string): KeyObject {
  if (!text.startsWith(PREFIX)) throw new Error(`a public key begins with ${PREFIX}`);
  const x = text.slice(PREFIX.length).trim();
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
