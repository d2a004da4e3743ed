// What a backup says about itself: its entries with their hashes, and what made it.
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

/** A backup cannot be made, or is none that can be trusted; the text says why. */
export class BackupError extends Error {
  override name = 'BackupError';
}

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Entry = Type.Object({
  path: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Sha256,
});
const Manifest = Type.Object({
  format: Type.Literal(1),
  version: Type.String(),
  createdAt: Type.String(),
  folderId: Type.Union([Type.String(), Type.Null()]),
  schema: Type.String(),
  entries: Type.Array(Entry),
  /** Contents that the database names and that were gone, or had other bytes, when it was made. */
  missing: Type.Array(
    Type.Object({
      sha256: Sha256,
      why: Type.Union([Type.Literal('missing'), Type.Literal('damaged')]),
    }),
  ),
});

export type Entry = Static<typeof Entry>;
export type Manifest = Static<typeof Manifest>;
export type Missing = Manifest['missing'][number];

/** The last entry of an archive: one without it is not whole. */
export const MANIFEST = 'manifest.json';
export const DATABASE = 'pqrs.db';
export const SETTINGS = 'settings.json';
export const KEYS = 'keys.sealed';

export function contentPath(sha256: string): string {
  return `files/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
}

export function contentOf(path: string): string | undefined {
  const sha256 = /^files\/..\/..\/([0-9a-f]{64})$/.exec(path)?.[1];
  return sha256 !== undefined && contentPath(sha256) === path ? sha256 : undefined;
}

export function isEntryPath(path: string): boolean {
  return [DATABASE, SETTINGS, KEYS].includes(path) || contentOf(path) !== undefined;
}

/** @throws BackupError where it is none, of a newer format, or names what no backup holds */
export function readManifest(text: string): Manifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new BackupError('the manifest is no JSON');
  }
  if (!Value.Check(Manifest, manifest)) {
    const { path, message } = Value.Errors(Manifest, manifest).First() ?? {};
    throw new BackupError(`the manifest cannot be read: ${path} ${message}`);
  }
  const { entries } = manifest;
  const paths = new Set(entries.map(({ path }) => path));
  const strange = entries.find(
    ({ path, sha256 }) => !isEntryPath(path) || (contentOf(path) ?? sha256) !== sha256,
  );
  if (strange) throw new BackupError(`the manifest names ${JSON.stringify(strange.path)}`);
  if (paths.size < entries.length || !paths.has(DATABASE))
    throw new BackupError('the manifest names one thing twice, or no database');
  return manifest;
}

/** What takes the files of a backup one by one, then their manifest. */
export interface Sink {
  /** Reads a file and stores it; gives what was found. */
  add(path: string, source: string, bytes: number): Promise<Entry>;
  end(manifest: Manifest): Promise<string | undefined>;
}

export type BackupStage = 'database' | 'checking' | 'files' | 'verifying';

/** Reports how far a stage has come, as often as there is anything new. */
export type OnBackupProgress = (stage: BackupStage, done: number, total: number) => void;
