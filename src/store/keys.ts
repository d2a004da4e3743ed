// The keys of an instance, in the folder `keys` (0700, files 0600): keys that sign file links,
// the newest of which signs, and older ones that still verify.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

export interface SigningKeys {
  /** The key that signs. */
  current: { kid: string; key: Uint8Array };
  /** Every key that verifies, by its id. */
  all: ReadonlyMap<string, Uint8Array>;
}

const SIGNING = /^sign-([0-9a-z]{1,32})\.key$/;
const KEY_BYTES = 32;

/**
 * Reads the signing keys, and makes the first one where there is none.
 *
 * @param folder - the folder of keys; made when missing
 * @returns the keys; the one whose name sorts last signs
 */
export async function openSigningKeys(folder: string): Promise<SigningKeys> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if ((await signingKeyIds(folder)).length === 0) await addSigningKey(folder);
  const all = new Map<string, Uint8Array>();
  for (const kid of await signingKeyIds(folder)) {
    const key = new Uint8Array(await readFile(join(folder, `sign-${kid}.key`)));
    if (key.byteLength !== KEY_BYTES) throw new Error(`the signing key ${kid} is damaged`);
    all.set(kid, key);
  }
  const [kid, key] = [...all].at(-1) ?? [];
  if (!kid || !key) throw new Error('no signing key');
  return { current: { kid, key }, all };
}

/** Makes a signing key that is newer than every other one. */
async function addSigningKey(folder: string): Promise<void> {
  const kid = Date.now().toString(36).padStart(9, '0');
  const path = join(folder, `sign-${kid}.key`);
  const file = await open(`${path}.tmp`, 'wx', 0o600);
  try {
    await file.writeFile(randomBytes(KEY_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.tmp`, path);
}

async function signingKeyIds(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => SIGNING.exec(name)?.[1] ?? []).sort();
}
