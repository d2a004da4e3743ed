// A backup as one tar archive: an entry for each part, the manifest last. Reading one, nothing in it
// is trusted: no path but those that backups have is ever written.
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readContent } from '../../store/files/content.ts';
import { isMissing } from '../../store/files/io.ts';
import { createFile, hashThrough, makeFolders, type Pace, type Write } from './files.ts';
import {
  BackupError,
  contentOf,
  type Entry,
  isEntryPath,
  MANIFEST,
  type Manifest,
  type OnBackupProgress,
  type Part,
  readManifest,
} from './manifest.ts';
import { readTar, TAR_END, type TarEntry, tarHeader, tarPadding } from './tar.ts';

export interface Storing {
  /** Takes the entries that were stored, and those that were not there. */
  manifest: Manifest;
  parts: readonly Part[];
  pace: Pace;
  /** Is asked before so many bytes are written. @throws BackupError where there is no space */
  prepare(bytes: number): Promise<void>;
  onProgress: OnBackupProgress;
}

export async function openPart({ source }: Part) {
  if (typeof source !== 'string') return { bytes: source.byteLength, content: [source] };
  try {
    return { bytes: (await stat(source)).size, content: readContent(source) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function writeArchive(
  write: Write,
  { manifest, parts, pace, prepare, onProgress }: Storing,
): Promise<void> {
  const now = Date.now();
  async function add({ path, sha256 }: Part, opened: Awaited<ReturnType<typeof openPart>>) {
    if (opened === undefined) return void manifest.missing.push({ sha256, why: 'missing' });
    const { bytes, content } = opened;
    await prepare(bytes);
    await write(tarHeader(path, bytes, now));
    const found = await hashThrough(content, pace, write);
    if (found.bytes !== bytes) throw new BackupError(`${path} changes while it is read`);
    await write(tarPadding(bytes));
    if (found.sha256 === sha256) manifest.entries.push({ path, bytes, sha256 });
    // Its entry stays in the archive and in no manifest: restoring passes over it.
    else manifest.missing.push({ sha256, why: 'damaged' });
  }
  for (const [index, part] of parts.entries()) {
    onProgress('files', index, parts.length);
    await add(part, await openPart(part));
  }
  const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
  await write(tarHeader(MANIFEST, text.byteLength, now));
  await write(text);
  await write(tarPadding(text.byteLength));
  await write(TAR_END);
}

const MAX_MANIFEST_BYTES = 512 * 1024 * 1024;

export async function openArchive(path: string): Promise<BackupSource> {
  const file: FileHandle = await open(path, 'r');
  let manifest: Manifest | undefined;
  async function* entries(): AsyncGenerator<TarEntry> {
    for await (const entry of readTar(file)) {
      if (manifest) throw new BackupError('the archive goes on after its manifest');
      if (entry.path === MANIFEST) manifest = readManifest(await textOf(entry));
      else yield entry;
    }
  }
  return {
    bytes: (await file.stat()).size,
    entries,
    manifest() {
      if (!manifest) throw new BackupError('the archive has no manifest: it is not whole');
      return manifest;
    },
    close: () => file.close(),
  };
}

async function textOf({ bytes, content }: TarEntry): Promise<string> {
  if (bytes > MAX_MANIFEST_BYTES) throw new BackupError('the manifest is too large');
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

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
