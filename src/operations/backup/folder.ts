// The folder of scheduled backups: `content/ab/<sha256>`, shared by all of them, and a manifest each,
// `backup-<time>.json`. A content is there whole or not at all; a manifest comes last.
import { lstat, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { contentSize, readContent } from '../../store/files/content.ts';
import { NODE_IO, syncFolder } from '../../store/files/io.ts';
import type { BackupSource } from './archive.ts';
import { openPart, type Storing } from './archive.ts';
import { createFile, hashFile, hashThrough, makeFolders } from './files.ts';
import { BackupError, type Manifest, type Part, readManifest } from './manifest.ts';

const CONTENT = 'content';
const NAME = /^backup-\d{8}T\d{9}Z\.json$/;

function fileOf(folder: string, sha256: string): string {
  return join(folder, CONTENT, sha256.slice(0, 2), sha256);
}

export async function listManifests(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => NAME.test(name)).sort();
}

async function manifestAt(folder: string, name: string): Promise<Manifest> {
  return readManifest(await readFile(join(folder, name), 'utf8'));
}

export async function newestManifest(folder: string): Promise<Manifest | undefined> {
  const name = (await listManifests(folder)).at(-1);
  return name === undefined ? undefined : manifestAt(folder, name);
}

/** @throws BackupError where the folder holds backups of another data folder, which would be removed */
export async function requireOwnFolder(
  folder: string,
  { folderId }: Pick<Manifest, 'folderId'>,
): Promise<void> {
  const newest = await newestManifest(folder);
  if (!newest || newest.folderId === folderId) return;
  throw new BackupError(
    `${folder} holds the backups of another data folder (${newest.folderId}): choose another one`,
  );
}

/** Stores what is not there yet, then the manifest; removes what is older than the last `keep`. */
export async function storeInFolder(
  { path: folder, keep }: { path: string; keep: number },
  scratch: string,
  { manifest, parts, pace, prepare, onProgress }: Storing,
): Promise<string> {
  async function add(part: Part): Promise<void> {
    const { path, sha256 } = part;
    const opened = await openPart(part);
    if (opened === undefined) return void manifest.missing.push({ sha256, why: 'missing' });
    const { bytes, content } = opened;
    const place = fileOf(folder, sha256);
    if ((await contentSize(place)) !== bytes) {
      const temporary = join(scratch, basename(place));
      await prepare(bytes);
      await createFile(temporary, (write) => hashThrough(content, pace, write));
      if ((await hashFile(temporary, pace)).sha256 !== sha256)
        return void manifest.missing.push({ sha256, why: 'damaged' });
      await makeFolders(join(place, '..'));
      await rename(temporary, place);
      await syncFolder(NODE_IO, join(place, '..'));
    }
    manifest.entries.push({ path, bytes, sha256 });
  }
  for (const [index, part] of parts.entries()) {
    onProgress('files', index, parts.length);
    await add(part);
  }
  const name = `backup-${manifest.createdAt.replace(/[-:.]/g, '')}.json`;
  const temporary = join(scratch, name);
  await createFile(temporary, (write) => write(Buffer.from(`${JSON.stringify(manifest)}\n`)));
  await rename(temporary, join(folder, name));
  await syncFolder(NODE_IO, folder);
  await prune(folder, keep);
  return join(folder, name);
}

async function prune(folder: string, keep: number): Promise<void> {
  const names = await listManifests(folder);
  for (const name of names.slice(0, -keep)) await unlink(join(folder, name));
  await syncFolder(NODE_IO, folder);
  const named = new Set<string>();
  for (const name of names.slice(-keep)) {
    for (const { sha256 } of (await manifestAt(folder, name)).entries) named.add(sha256);
  }
  for (const first of await readdir(join(folder, CONTENT))) {
    for (const name of await readdir(join(folder, CONTENT, first))) {
      if (/^[0-9a-f]{64}$/.test(name) && !named.has(name)) await rm(fileOf(folder, name));
    }
  }
}

/**
 * Opens one backup of the folder to read it.
 *
 * @param at - the name of its manifest; the newest where left out
 * @throws BackupError where there is none
 */
export async function openFolder(folder: string, at?: string): Promise<BackupSource> {
  const names = await listManifests(folder);
  const name = at === undefined ? names.at(-1) : names.find((one) => one === basename(at));
  if (name === undefined)
    throw new BackupError(`${folder} holds no backup${at === undefined ? '' : ` ${at}`}`);
  const manifest = await manifestAt(folder, name);
  return {
    bytes: manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0),
    async *entries() {
      for (const { path, bytes, sha256 } of manifest.entries) {
        const file = fileOf(folder, sha256);
        const isFile = await lstat(file).then(
          (about) => about.isFile(),
          () => false,
        );
        if (!isFile) throw new BackupError(`the content of ${path} is gone: ${file}`);
        yield { path, bytes, content: readContent(file) };
      }
    },
    manifest: () => manifest,
    close: async () => {},
  };
}
