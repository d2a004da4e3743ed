// The folder of scheduled backups: `content/ab/<sha256>`, shared by all of them, and a manifest each,
// `backup-<time>.json`. A content is there whole or not at all; a manifest comes last.
import { lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { contentSize, isMissing, NODE_IO, readContent, syncFolder } from '../../store/files/io.ts';
import type { BackupSource } from './archive.ts';
import { createFile, hashThrough, type Pace } from './files.ts';
import { BackupError, contentOf, type Manifest, readManifest, type Sink } from './manifest.ts';

const NAME = /^backup-\d{8}T\d{9}Z\.json$/;

function fileOf(folder: string, sha256: string): string {
  return join(folder, 'content', sha256.slice(0, 2), sha256);
}

async function listManifests(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error) => {
    if (isMissing(error)) return [];
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

interface FolderOptions {
  path: string;
  /** How many backups stay. */
  keep: number;
  scratch: string;
  pace: Pace;
  /** @throws BackupError where there is no room for so many bytes */
  requireRoom(bytes: number): Promise<void>;
}

/** @throws BackupError where the folder holds backups of another data folder, which would be removed */
export async function openFolderSink(
  { path: folder, keep, scratch, pace, requireRoom }: FolderOptions,
  { folderId }: Pick<Manifest, 'folderId'>,
): Promise<Sink> {
  const newest = await newestManifest(folder);
  if (newest && newest.folderId !== folderId)
    throw new BackupError(
      `${folder} holds the backups of another data folder (${newest.folderId}): choose another one`,
    );
  return {
    async add(path, source, bytes) {
      const named = contentOf(path);
      if (named !== undefined && (await contentSize(fileOf(folder, named))) === bytes)
        return { path, bytes, sha256: named };
      await requireRoom(bytes);
      const temporary = join(scratch, 'content');
      const found = await createFile(temporary, (write) =>
        hashThrough(readContent(source), pace, write),
      );
      if ((await hashThrough(readContent(temporary), pace)).sha256 !== found.sha256)
        throw new BackupError(`what was written to ${temporary} is read back otherwise`);
      const place = fileOf(folder, found.sha256);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await rename(temporary, place);
      for (const above of [dirname(place), join(folder, 'content'), folder])
        await syncFolder(NODE_IO, above);
      return { path, ...found };
    },
    async end(manifest) {
      const name = `backup-${manifest.createdAt.replace(/[-:.]/g, '')}.json`;
      const temporary = join(scratch, name);
      await createFile(temporary, (write) => write(Buffer.from(`${JSON.stringify(manifest)}\n`)));
      await rename(temporary, join(folder, name));
      await syncFolder(NODE_IO, folder);
      await prune(folder, keep);
      return join(folder, name);
    },
  };
}

async function prune(folder: string, keep: number): Promise<void> {
  const names = await listManifests(folder);
  for (const name of names.slice(0, -keep)) await rm(join(folder, name));
  await syncFolder(NODE_IO, folder);
  const named = new Set<string>();
  for (const name of names.slice(-keep))
    for (const { sha256 } of (await manifestAt(folder, name)).entries) named.add(sha256);
  for (const first of await readdir(join(folder, 'content')))
    for (const name of await readdir(join(folder, 'content', first)))
      if (/^[0-9a-f]{64}$/.test(name) && !named.has(name)) await rm(fileOf(folder, name));
}

/**
 * Opens one backup of the folder to read it.
 * @param at - the name of its manifest; the newest where left out
 * @throws BackupError where there is none
 */
export async function openFolder(folder: string, at?: string): Promise<BackupSource> {
  const names = await listManifests(folder);
  const name = at === undefined ? names.at(-1) : names.find((one) => one === basename(at));
  if (name === undefined) throw new BackupError(`${folder} holds no backup ${at ?? ''}`);
  const manifest = await manifestAt(folder, name);
  return {
    bytes: manifest.entries.reduce((sum, { bytes }) => sum + bytes, 0),
    async *entries() {
      for (const { path, bytes, sha256 } of manifest.entries) {
        const file = fileOf(folder, sha256);
        const about = await lstat(file).catch(() => undefined);
        if (!about?.isFile()) throw new BackupError(`the content of ${path} is gone: ${file}`);
        yield { path, bytes, content: readContent(file) };
      }
    },
    manifest: () => manifest,
    close: async () => {},
  };
}
