// Finds the files that no row names and moves them to the trash.
import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './io.ts';

export type SweepResult = {
  /** Contents that were seen. */
  files: number;
  /** How many of them no row names, and are old enough to go. */
  unused: number;
  isStopped: boolean;
  moved: number;
  bytes: number;
};

export type SweepOptions = {
  /** Files that changed less long ago are left. Default a day. */
  minAgeMs?: number;
  force?: boolean;
  now?: number;
};

const BATCH = 500;
const DAY_MS = 24 * 3600 * 1000;
const TRASH_DAYS = 7;
/** More than both are not moved without force: the database may be another one. */
const MAX_UNUSED = 100;
const MAX_UNUSED_PART = 0.05;
const OWN_NAMES = new Set(['tmp', 'trash', 'folder.id']);

export async function sweepFiles(
  root: string,
  { minAgeMs = DAY_MS, force = false, now = Date.now() }: SweepOptions,
  isReferenced: (sha256s: string[]) => Promise<Set<string>>,
  moveIfUnused: (sha256: string, folder: string) => Promise<boolean>,
): Promise<SweepResult> {
  const unused = new Map<string, number>();
  let files = 0;
  let batch: string[] = [];

  async function settle(): Promise<void> {
    const referenced = await isReferenced(batch);
    for (const sha256 of batch) {
      if (referenced.has(sha256)) continue;
      const about = await stat(filePath(root, sha256)).catch(orUndefined);
      if (about && Math.max(about.ctimeMs, about.mtimeMs) < now - minAgeMs)
        unused.set(sha256, about.size);
    }
    batch = [];
  }

  for await (const { sha256 } of walk(root)) {
    // The doctor names what is not ours.
    if (sha256 === undefined) continue;
    files += 1;
    if (batch.push(sha256) === BATCH) await settle();
  }
  if (batch.length > 0) await settle();

  const isTooMany = unused.size > MAX_UNUSED && unused.size > files * MAX_UNUSED_PART;
  const isStopped = isTooMany && !force;
  const result = { files, unused: unused.size, isStopped, moved: 0, bytes: 0 };
  if (isStopped) return result;
  const trash = join(root, 'trash');
  const today = join(trash, new Date(now).toISOString().slice(0, 10));
  for (const [sha256, size] of unused) {
    if (!(await moveIfUnused(sha256, today))) continue;
    result.moved += 1;
    result.bytes += size;
  }
  await emptyTrash(trash, now);
  return result;
}

async function emptyTrash(trash: string, now: number): Promise<void> {
  for (const day of (await readdir(trash).catch(orUndefined)) ?? []) {
    const began = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
    // The last of a day came at its end.
    if (began + (TRASH_DAYS + 1) * DAY_MS <= now)
      await rm(join(trash, day), { recursive: true, force: true });
  }
}

/** Where content lies: two levels of folders by the first bytes of its hash. */
export function filePath(root: string, sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError('not a SHA-256 in lower-case hex');
  return join(root, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
}

/** What lies in a store, with its hash where it is content. @throws ENOENT where there is no store */
export async function* walk(root: string): AsyncGenerator<{ path: string; sha256?: string }> {
  for (const first of await readdir(root, { withFileTypes: true })) {
    if (OWN_NAMES.has(first.name)) continue;
    if (!isFolder(first)) {
      yield { path: first.name };
      continue;
    }
    for (const second of await readdir(join(root, first.name), { withFileTypes: true })) {
      const folder = `${first.name}/${second.name}`;
      if (!isFolder(second)) {
        yield { path: folder };
        continue;
      }
      for (const file of await readdir(join(root, folder), { withFileTypes: true })) {
        const path = `${folder}/${file.name}`;
        const isContent = /^[0-9a-f]{64}$/.test(file.name) && file.isFile();
        const isInPlace = file.name.startsWith(first.name + second.name);
        yield isContent && isInPlace ? { path, sha256: file.name } : { path };
      }
    }
  }
}

function isFolder(entry: Dirent): boolean {
  return entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name);
}

function orUndefined(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
