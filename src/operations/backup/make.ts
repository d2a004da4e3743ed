// Makes a backup: a consistent copy of the database first, then the files that the copy names, then the
// manifest, without which nothing counts as a backup. Runs in a worker.
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { yieldToOthers } from '../../runtime/worker.ts';
import { drizzle } from '../../store/client/drizzle.ts';
import { contentSize, makeFolder, NODE_IO, syncFolder } from '../../store/files/io.ts';
import { FOLDER_ID } from '../../store/identity.ts';
import { namedContents } from '../../store/references.ts';
import { archiveSink, openArchive } from './archive.ts';
import { copyDatabase, requireSound, withDatabase } from './copy-database.ts';
import {
  BACKUP_NICE,
  createFile,
  createPace,
  requireSpace,
  unpaced,
  type Write,
  writeToSocket,
} from './files.ts';
import { openFolderSink } from './folder.ts';
import {
  contentOf,
  contentPath,
  DATABASE,
  KEYS,
  type Manifest,
  type OnBackupProgress,
  SETTINGS,
  type Sink,
} from './manifest.ts';
import { readBackup } from './restore.ts';

export type BackupTarget =
  | { kind: 'file' | 'socket'; path: string }
  | { kind: 'folder'; path: string; keep: number };

export interface BackupJob {
  dataDir: string;
  target: BackupTarget;
  version: string;
  settings: object;
  sealedKeys: string | null;
  /** What stays free on the disk that is written. */
  freeDiskBytes: number;
  /** Whether a server serves meanwhile, which must not wait. */
  paced: boolean;
}

export type BackupReport = Awaited<ReturnType<typeof makeBackup>>;

/**
 * Makes a backup of a data folder. What is being made lies in a folder `….partial` beside its place
 * until it was read back; what a killed process left there is removed by the next.
 * @throws BackupError where it cannot be made; nothing is left then
 */
export async function makeBackup(job: BackupJob, onProgress: OnBackupProgress) {
  const { dataDir, target, sealedKeys } = job;
  const pace = job.paced ? createPace() : unpaced;
  const scratch =
    target.kind === 'file'
      ? `${target.path}.partial`
      : join(target.kind === 'folder' ? target.path : dataDir, 'backup.partial');
  const requireRoom = (bytes: number) => requireSpace(scratch, bytes, job.freeDiskBytes);
  // The folders above are not made: a path that is mistyped, or not mounted, is an error.
  if (target.kind === 'folder') await makeFolder(NODE_IO, target.path);
  await rm(scratch, { recursive: true, force: true });
  await makeFolder(NODE_IO, scratch);
  try {
    const createdAt = new Date().toISOString();
    const copy = join(scratch, DATABASE);
    await copyDatabase(join(dataDir, DATABASE), copy, { pace, requireRoom, onProgress });
    // Only now: a short read that waits for the processor is a long one.
    if (job.paced) yieldToOthers(BACKUP_NICE);
    onProgress('checking', 0, 1);
    await requireSound(copy, 'quick_check');
    const { contents, ...facts } = await readFacts(copy);
    await writeFile(join(scratch, SETTINGS), `${JSON.stringify(job.settings, null, 2)}\n`);
    if (sealedKeys !== null)
      await writeFile(join(scratch, KEYS), Buffer.from(sealedKeys, 'base64'));
    const own = [DATABASE, SETTINGS, ...(sealedKeys === null ? [] : [KEYS])];
    const parts = [
      ...own.map((path) => ({ path, source: join(scratch, path) })),
      ...contents.map(contentPath).map((path) => ({ path, source: join(dataDir, path) })),
    ];
    const about = { ...facts, format: 1 as const, version: job.version, createdAt };
    const manifest: Manifest = { ...about, entries: [], missing: [] };
    const writeArchive = async (write: Write) => {
      await storeIn(archiveSink(write, pace), parts, manifest, onProgress);
    };
    let path: string | null = null;
    if (target.kind === 'folder') {
      const sink = await openFolderSink({ ...target, scratch, pace, requireRoom }, manifest);
      path = (await storeIn(sink, parts, manifest, onProgress)) ?? null;
    } else if (target.kind === 'socket') {
      await writeToSocket(target.path, writeArchive);
    } else {
      path = target.path;
      const archive = join(scratch, 'archive.tar');
      await requireRoom(await sizeOf(parts));
      await createFile(archive, writeArchive);
      const source = await openArchive(archive);
      await readBackup(source, { pace, onProgress }).finally(() => source.close());
      await rename(archive, path);
      await syncFolder(NODE_IO, dirname(path));
    }
    return {
      /** The archive, or the manifest in the folder; null for what went through a socket. */
      path,
      createdAt,
      files: contents.length - manifest.missing.length,
      bytes: manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0),
      missing: manifest.missing,
      withKeys: sealedKeys !== null,
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Part {
  path: string;
  source: string;
}

async function storeIn(
  sink: Sink,
  parts: readonly Part[],
  manifest: Manifest,
  onProgress: OnBackupProgress,
): Promise<string | undefined> {
  for (const [index, { path, source }] of parts.entries()) {
    onProgress('files', index, parts.length);
    const bytes = await contentSize(source);
    const entry = bytes === undefined ? undefined : await sink.add(path, source, bytes);
    const sha256 = contentOf(path);
    if (entry && (sha256 ?? entry.sha256) === entry.sha256) manifest.entries.push(entry);
    // What is damaged may be stored all the same: restoring passes over what no manifest names.
    else manifest.missing.push({ sha256: sha256 ?? '', why: entry ? 'damaged' : 'missing' });
  }
  return sink.end(manifest);
}

async function sizeOf(parts: readonly Part[]): Promise<number> {
  let bytes = 0;
  for (const { source } of parts) bytes += (await contentSize(source)) ?? 0;
  return bytes;
}

function readFacts(path: string) {
  return withDatabase(path, async (client) => {
    const { rows } = await client.execute(
      `select (select value from instance where name = '${FOLDER_ID}'), max(name) from migrations`,
    );
    const [folderId = null, schema] = (rows[0] ?? []) as unknown as (string | null)[];
    return { contents: await namedContents(drizzle(client)), folderId, schema: String(schema) };
  });
}
