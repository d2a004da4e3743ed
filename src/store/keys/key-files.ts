// Symmetric keys of an instance, those that sign file links among them, in its folder of keys (0700,
// files 0600): a file for each, named after what it is for and the moment when it was made, so that the
// newest is the last by name.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NODE_IO, syncFolder, writeDurably } from '../files/io.ts';
import { type KeyRecord, NO_RECORD } from './key-record.ts';

/** The good keys of a kind by their ids, the newest last; makes the first one where it may. */
export async function readKeys(
  folder: string,
  kind: 'sign' | 'seal',
  record: Pick<KeyRecord, 'mayMake' | 'isIntact'> = NO_RECORD,
): Promise<ReadonlyMap<string, Uint8Array>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const ids = await keyIds(folder, kind);
  if (ids.length === 0 && record.mayMake(kind)) ids.push(await addKey(folder, kind));
  const keys = new Map<string, Uint8Array>();
  for (const kid of ids) {
    const name = `${kind}-${kid}.key`;
    const key = new Uint8Array(await readFile(join(folder, name)));
    if (record.isIntact(kind, name, key)) keys.set(kid, key);
  }
  return keys;
}

/** Makes a key that is newer than every other one; on disk before anything is done with it. */
export async function addKey(
  folder: string,
  kind: 'sign' | 'seal',
  now = Date.now(),
): Promise<string> {
  const newest = (await keyIds(folder, kind)).at(-1);
  // A clock that was set back, or two keys within a millisecond.
  const made = Math.max(now, newest === undefined ? 0 : keyMadeAt(newest) + 1);
  const kid = made.toString(36).padStart(9, '0');
  await writeDurably(join(folder, `${kind}-${kid}.key`), randomBytes(32));
  return kid;
}

export function keyMadeAt(kid: string): number {
  return Number.parseInt(kid, 36);
}

export async function removeKey(folder: string, kind: 'sign' | 'seal', kid: string): Promise<void> {
  await rm(join(folder, `${kind}-${kid}.key`), { force: true });
  await syncFolder(NODE_IO, folder);
}

async function keyIds(folder: string, kind: string): Promise<string[]> {
  const pattern = new RegExp(`^${kind}-([0-9a-z]{1,32})\\.key$`);
  const names = await readdir(folder);
  return names.flatMap((name) => pattern.exec(name)?.[1] ?? []).sort();
}

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
