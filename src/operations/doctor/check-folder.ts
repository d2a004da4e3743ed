// The data folder itself: who may read it, what a crash has left in it, and how much room there is.
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Findings, REPAIRS } from './findings.ts';

/** The database's library is no secret. */
const OPEN = new Set(['.native']);
/** What is being written is younger. */
const STALE_MS = 3600 * 1000;

/** Modes and leftovers of everything in a data folder. */
export async function checkFolder(dataDir: string, now: number, findings: Findings): Promise<void> {
  async function look(path: string): Promise<void> {
    const about = await lstat(join(dataDir, path)).catch(() => undefined);
    if (!about || about.isSymbolicLink()) return;
    const mode = about.mode & 0o777;
    const wanted = modeOf(about.isDirectory());
    if (mode !== wanted && (mode & 0o077 || (mode & wanted) !== wanted)) {
      const detail = `its mode is ${mode.toString(8)}, and should be ${wanted.toString(8)}`;
      findings.add('permissions', path || '.', detail, REPAIRS);
    }
    const isTemporary = path.endsWith('.tmp') || path.startsWith('files/tmp/');
    if (about.isFile() && isTemporary && now - about.mtimeMs > STALE_MS)
      findings.add('temporary_file', path, 'a write was broken off', `${REPAIRS} removes it`);
    if (!about.isDirectory()) return;
    for (const name of await readdir(join(dataDir, path)).catch(() => [] as string[]))
      if (path || !OPEN.has(name)) await look(join(path, name));
  }
  await look('');
}

/** What is only for the user of the instance. */
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
    findings.add(
      'disk_low',
      '.',
      `${free} bytes are free, the floor is ${floorBytes}`,
      'make room, or lower PQRS_FREE_DISK_BYTES',
    );
}
