// Finds the files that no row names and removes them; names what does not belong there.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from './files-io.ts';

/** What a sweep found: files seen, files removed and their bytes, and what is none of ours. */
export type SweepResult = {
  files: number;
  removed: number;
  bytes: number;
  /** Paths below the root of things the store did not make, at most 1,000; never touched. */
  aliens: string[];
};

const BATCH = 500;
const MAX_ALIENS = 1000;
/** What lies beside the contents. */
const OWN_NAMES = new Set(['tmp', 'trash', 'folder.id']);

/**
 * Walks a store's folders. Files that came after it began are left alone.
 * @param isReferenced gives, of some hashes, those that a row names
 * @param removeIfUnused asks again for one file and removes it, alone with it; gives whether it did
 */
export async function sweepFiles(
  root: string,
  isReferenced: (sha256s: string[]) => Promise<Set<string>>,
  removeIfUnused: (sha256: string) => Promise<boolean>,
): Promise<SweepResult> {
  const startedAt = Date.now();
  const result: SweepResult = { files: 0, removed: 0, bytes: 0, aliens: [] };
  let batch: string[] = [];

  const settle = async () => {
    const referenced = await isReferenced(batch);
    for (const sha256 of batch) {
      if (referenced.has(sha256)) continue;
      const bytes = await sizeIfOlder(filePath(root, sha256), startedAt);
      if (bytes === undefined || !(await removeIfUnused(sha256))) continue;
      result.removed++;
      result.bytes += bytes;
    }
    batch = [];
  };

  for await (const found of walk(root)) {
    if (found.sha256 === undefined) {
      if (result.aliens.length < MAX_ALIENS) result.aliens.push(found.path);
      continue;
    }
    result.files++;
    if (batch.push(found.sha256) === BATCH) await settle();
  }
  if (batch.length > 0) await settle();
  return result;
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
    if (!first.isDirectory() || !/^[0-9a-f]{2}$/.test(first.name)) {
      yield { path: first.name };
      continue;
    }
    for (const second of await readdir(join(root, first.name), { withFileTypes: true })) {
      const folder = `${first.name}/${second.name}`;
      if (!second.isDirectory() || !/^[0-9a-f]{2}$/.test(second.name)) {
        yield { path: folder };
        continue;
      }
      for (const file of await readdir(join(root, folder), { withFileTypes: true })) {
        const path = `${folder}/${file.name}`;
        const ours = /^[0-9a-f]{64}$/.test(file.name) && file.isFile();
        const inPlace = file.name.startsWith(first.name + second.name);
        yield ours && inPlace ? { path, sha256: file.name } : { path };
      }
    }
  }
}

async function sizeIfOlder(path: string, startedAt: number): Promise<number | undefined> {
  try {
    const { size, ctimeMs, mtimeMs } = await stat(path);
    return Math.max(ctimeMs, mtimeMs) < startedAt ? size : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
