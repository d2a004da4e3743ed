// A backup as one tar archive: an entry for each part, the manifest last.
import { type FileHandle, open, stat } from 'node:fs/promises';
import { readContent } from '../../store/files/content.ts';
import { isMissing } from '../../store/files/io.ts';
import { hashThrough, type Pace, type Write } from './files.ts';
import { BackupError, MANIFEST, type Manifest, type Part, readManifest } from './manifest.ts';
import type { OnBackupProgress } from './progress.ts';
import type { BackupSource } from './read.ts';
import { readTar, TAR_END, type TarEntry, tarHeader, tarPadding } from './tar.ts';

/** What is to be stored, and how. */
export interface Storing {
  /** Takes the entries that were stored, and those that were not there. */
  manifest: Manifest;
  parts: readonly Part[];
  pace: Pace;
  /** Is asked before so many bytes are written. @throws BackupError where there is no space */
  prepare(bytes: number): Promise<void>;
  onProgress: OnBackupProgress;
}

/** A part as it lies there; undefined where it is gone. */
export async function openPart({ source }: Part) {
  if (typeof source !== 'string') return { bytes: source.byteLength, content: [source] };
  try {
    return { bytes: (await stat(source)).size, content: readContent(source) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes all parts and the manifest. */
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

/** Opens an archive to read it. */
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
