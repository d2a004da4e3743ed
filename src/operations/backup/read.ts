// Reads a backup to its end and holds it against its manifest, unpacking it on the way where that is
// wanted. Nothing in it is trusted: no path but those that backups have is ever written.
import { dirname, join } from 'node:path';
import { createFile, hashThrough, makeFolders, type Pace } from './files.ts';
import { BackupError, contentOf, type Entry, isEntryPath, type Manifest } from './manifest.ts';
import type { OnBackupProgress } from './progress.ts';
import type { TarEntry } from './tar.ts';

/** An archive, or one backup of a folder. */
export interface BackupSource {
  /** About how many bytes are read. */
  bytes: number;
  entries(): AsyncIterable<TarEntry>;
  /** To be called after the last entry. @throws BackupError where there is none */
  manifest(): Manifest;
  close(): Promise<void>;
}

export interface ReadOptions {
  pace: Pace;
  onProgress: OnBackupProgress;
  /** Where it is unpacked, and what of it; nothing is where this is left out. */
  unpack?: { folder: string; wants(path: string): boolean };
}

/**
 * Reads every entry.
 *
 * @returns the manifest, which all of it agrees with, and the paths of entries that it calls damaged
 * @throws BackupError where they do not agree
 */
export async function readBackup(
  source: BackupSource,
  { pace, onProgress, unpack }: ReadOptions,
): Promise<{ manifest: Manifest; damaged: string[] }> {
  const found = new Map<string, Omit<Entry, 'path'>>();
  let done = 0;
  for await (const { path, bytes, content } of source.entries()) {
    if (!isEntryPath(path))
      throw new BackupError(`${JSON.stringify(path)} is no path of a backup: nothing is unpacked`);
    if (found.has(path)) throw new BackupError(`the backup holds ${path} twice`);
    onProgress('verifying', done, source.bytes);
    done += bytes;
    found.set(
      path,
      unpack?.wants(path)
        ? await unpackTo(join(unpack.folder, path), content, pace)
        : await hashThrough(content, pace),
    );
  }
  const manifest = source.manifest();
  for (const { path, bytes, sha256 } of manifest.entries) {
    const entry = found.get(path);
    if (!entry) throw new BackupError(`${path} is not in the backup, which is not whole`);
    if (entry.bytes !== bytes || entry.sha256 !== sha256)
      throw new BackupError(`${path} is damaged: its SHA-256 is not that of the manifest`);
    found.delete(path);
  }
  const missing = new Set(manifest.missing.map(({ sha256 }) => sha256));
  const unnamed = [...found.keys()].find((path) => !missing.has(contentOf(path) ?? ''));
  if (unnamed !== undefined) throw new BackupError(`${unnamed} is in no manifest`);
  return { manifest, damaged: [...found.keys()] };
}

async function unpackTo(path: string, content: AsyncIterable<Uint8Array>, pace: Pace) {
  await makeFolders(dirname(path));
  return createFile(path, (write) => hashThrough(content, pace, write));
}
