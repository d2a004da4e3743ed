// The data folder: who may read it, what a crash has left in it, how much room there is, and whether
// its keys are there and are keys.
import { createHash, createPrivateKey } from 'node:crypto';
import { lstat, readdir, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { kidOfSealed } from '../../store/keys/sealing-key.ts';
import type { Query } from './check-database.ts';
import type { Findings } from './findings.ts';

const STALE_MS = 3600 * 1000;

export async function checkFolder(dataDir: string, now: number, findings: Findings): Promise<void> {
  async function visit(path: string): Promise<void> {
    const about = await lstat(join(dataDir, path)).catch(() => undefined);
    if (!about || about.isSymbolicLink()) return;
    const mode = about.mode & 0o777;
    const wanted = modeOf(about.isDirectory());
    if (mode !== wanted && (mode & 0o077 || (mode & wanted) !== wanted)) {
      const detail = `its mode is ${mode.toString(8)}, and should be ${wanted.toString(8)}`;
      findings.add('permissions', path || '.', detail);
    }
    const isTemporary = path.endsWith('.tmp') || path.startsWith('files/tmp/');
    if (about.isFile() && isTemporary && now - about.mtimeMs > STALE_MS)
      findings.add('temporary_file', path, 'a write was broken off');
    if (!about.isDirectory()) return;
    for (const name of await readdir(join(dataDir, path)).catch(() => []))
      if (join(path, name) !== '.native') await visit(join(path, name));
  }
  await visit('');
}

export function modeOf(isFolder: boolean): number {
  return isFolder ? 0o700 : 0o600;
}

export async function checkDisk(
  dataDir: string,
  floorBytes: number,
  findings: Findings,
): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  if (free < floorBytes)
    findings.add('disk_low', '.', `${free} bytes are free, the floor is ${floorBytes}`);
}

const KEY_BYTES = 32;
const KEY = /^(?:sign|seal)-\w+\.key$|^bundle\.ed25519$/;

/**
 * Reads every key that is there, or that the instance had.
 * @param query - undefined where the rows cannot be read: which keys there were is not known then
 */
export async function checkKeys(
  folder: string,
  query: Query = async () => [],
  findings: Findings,
): Promise<void> {
  const there = (await readdir(folder).catch(() => [])).filter((name) => KEY.test(name));
  // The SHA-256 of each key file that the instance has; see key-record.ts.
  const recorded = new Map(
    (await query(`select substr(name, 5), value from instance where name like 'key:%'`)).map(
      ([name, sha256]) => [String(name), String(sha256)],
    ),
  );
  const sealed = new Set(
    (await query('select substr(sealed, 1, 64) from credentials')).map(
      ([head]) => `seal-${kidOfSealed(Buffer.from(head as Uint8Array))}.key`,
    ),
  );
  const names = new Set([...there, ...recorded.keys(), ...sealed]);
  // Every start makes one where there never was any.
  if (![...names].some((name) => name.startsWith('sign-'))) names.add('sign-*.key');
  for (const name of [...names].sort()) {
    const effect = sealed.has(name) ? '; credentials are sealed under it' : '';
    if (!there.includes(name)) {
      findings.add('key_missing', `keys/${name}`, `it is not there${effect}`);
      continue;
    }
    const wrong = await damageOf(join(folder, name), recorded.get(name));
    if (wrong) findings.add('key_damaged', `keys/${name}`, wrong + effect);
  }
}

async function damageOf(path: string, sha256: string | undefined): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    // A rotation replaces it in its place.
    if (path.endsWith('.ed25519')) return void createPrivateKey(bytes);
    if (bytes.byteLength !== KEY_BYTES) return `it has ${bytes.byteLength} bytes, not ${KEY_BYTES}`;
    const found = createHash('sha256').update(bytes).digest('hex');
    return (sha256 ?? found) === found ? undefined : 'it is another key than it was';
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`;
  }
}
