// Makes a backup: a consistent copy of the database first, then the files that the copy names, then the
// manifest, without which nothing counts as a backup. Runs in a worker.
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { yieldToOthers } from '../../runtime/worker.ts';
import { drizzle } from '../../store/client/drizzle.ts';
import { makeFolder, NODE_IO, syncFolder } from '../../store/files/io.ts';
import { FOLDER_ID } from '../../store/identity.ts';
import { namedContents } from '../../store/references.ts';
import { openArchive, readBackup, writeArchive } from './archive.ts';
import { copyDatabase, requireSound, withDatabase } from './copy-database.ts';
import {
  BACKUP_NICE,
  createFile,
  createPace,
  type Pace,
  requireSpace,
  unpaced,
  type Write,
  writeToSocket,
} from './files.ts';
import { requireOwnFolder, storeInFolder } from './folder.ts';
import type { OnBackupProgress } from './manifest.ts';
import {
  contentPath,
  DATABASE,
  KEYS,
  type Manifest,
  type Missing,
  type Part,
  SETTINGS,
  sha256Of,
} from './manifest.ts';

export type BackupTarget =
  | { kind: 'file' | 'socket'; path: string }
  | { kind: 'folder'; path: string; keep: number };

export interface BackupJob {
  dataDir: string;
  target: BackupTarget;
  version: string;
  settings: object;
  /** The sealed folder of keys, in base64. */
  sealedKeys: string | null;
  /** What stays free on the disk that is written. */
  freeDiskBytes: number;
  /** Whether a server serves meanwhile, which must not wait. */
  paced: boolean;
}

export interface BackupReport {
  /** The archive, or the manifest in the folder; null for what went through a socket. */
  path: string | null;
  createdAt: string;
  files: number;
  bytes: number;
  missing: Missing[];
  withKeys: boolean;
}

/**
 * Makes a backup of a data folder. What is being made lies in a folder `….partial` beside its place
 * until it was read back; what a killed process left there is removed by the next.
 *
 * @throws BackupError where it cannot be made; nothing is left then
 */
export async function makeBackup(
  job: BackupJob,
  onProgress: OnBackupProgress,
): Promise<BackupReport> {
  const { target, freeDiskBytes } = job;
  const pace = job.paced ? createPace() : unpaced;
  const scratch = scratchOf(job);
  // The folders above are not made: a path that is mistyped, or not mounted, is an error.
  if (target.kind === 'folder') await makeFolder(NODE_IO, target.path);
  await rm(scratch, { recursive: true, force: true });
  await makeFolder(NODE_IO, scratch);
  const prepare = (bytes: number) => requireSpace(scratch, bytes, freeDiskBytes);
  try {
    const createdAt = new Date().toISOString();
    const copy = join(scratch, DATABASE);
    const database = await copyDatabase(join(job.dataDir, DATABASE), copy, {
      pace,
      onSize: prepare,
      onProgress: (done, total) => onProgress('database', done, total),
    });
    // Only now: a short read that waits for the processor is a long one.
    if (job.paced) yieldToOthers(BACKUP_NICE);
    onProgress('checking', 0, 1);
    await requireSound(copy, 'quick_check');
    const { contents, ...facts } = await readFacts(copy);
    const manifest: Manifest = {
      ...facts,
      format: 1,
      version: job.version,
      createdAt,
      entries: [],
      missing: [],
    };
    const parts: Part[] = [
      { path: DATABASE, sha256: database.sha256, source: copy },
      partOf(SETTINGS, Buffer.from(`${JSON.stringify(job.settings, null, 2)}\n`)),
      ...(job.sealedKeys === null ? [] : [partOf(KEYS, Buffer.from(job.sealedKeys, 'base64'))]),
      ...contents.map((sha256) => {
        const path = contentPath(sha256);
        return { path, sha256, source: join(job.dataDir, path) };
      }),
    ];
    const storing = { manifest, parts, pace, prepare, onProgress };
    const archiveTo = (write: Write) => writeArchive(write, storing);
    let path: string | null = null;
    if (target.kind === 'folder') {
      await requireOwnFolder(target.path, manifest);
      path = await storeInFolder(target, scratch, storing);
    } else if (target.kind === 'socket') {
      await writeToSocket(target.path, archiveTo);
    } else {
      const archive = join(scratch, 'archive.tar');
      await createFile(archive, archiveTo);
      await readBack(archive, pace, onProgress);
      await rename(archive, target.path);
      await syncFolder(NODE_IO, dirname(target.path));
      path = target.path;
    }
    return {
      path,
      createdAt,
      files: contents.length - manifest.missing.length,
      bytes: manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0),
      missing: manifest.missing,
      withKeys: job.sealedKeys !== null,
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function scratchOf({ dataDir, target }: BackupJob): string {
  if (target.kind === 'file') return `${target.path}.partial`;
  return join(target.kind === 'folder' ? target.path : dataDir, 'backup.partial');
}

function partOf(path: string, source: Buffer): Part {
  return { path, sha256: sha256Of(source), source };
}

function readFacts(path: string) {
  return withDatabase(path, async (client) => {
    const { rows } = await client.execute(
      `select (select value from instance where name = '${FOLDER_ID}'), max(name) from migrations`,
    );
    const [folderId = null, schema] = (rows[0] ?? []) as unknown as (string | null)[];
    return {
      contents: await namedContents(drizzle(client)),
      folderId,
      schema: String(schema),
    };
  });
}

async function readBack(path: string, pace: Pace, onProgress: OnBackupProgress): Promise<void> {
  const archive = await openArchive(path);
  try {
    await readBackup(archive, { pace, onProgress });
  } finally {
    await archive.close();
  }
}
