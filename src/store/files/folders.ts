// The file store's own folders: made, closed to others and emptied of what a crash left, and
// tried out for readiness.
import { randomUUID } from 'node:crypto';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { storageError } from './errors.ts';
import { type FileIo, makeFolder, removeFile, syncFolder, writeAll } from './io.ts';

/**
 * Makes the root and its temporary folder where they are missing (0700) and empties the latter.
 * @throws Error where either is no folder (a link is none), StorageUnavailable
 */
export async function prepareFolders(io: FileIo, root: string, temporary: string): Promise<void> {
  try {
    for (const folder of [root, temporary]) {
      await makeFolder(io, folder);
      if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
      await chmod(folder, 0o700);
    }
    await syncFolder(io, dirname(root));
    for (const name of await readdir(temporary)) {
      await rm(join(temporary, name), { recursive: true, force: true });
    }
  } catch (error) {
    throw storageError(error);
  }
}

/**
 * Writes, syncs and removes a small file.
 * @throws StorageUnavailable
 */
export async function probeFolder(io: FileIo, folder: string): Promise<void> {
  const path = join(folder, `probe-${randomUUID()}`);
  try {
    const handle = await io.open(path, 'wx', 0o600);
    try {
      await writeAll(handle, new TextEncoder().encode('probe'));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await io.unlink(path);
  } catch (error) {
    await removeFile(io, path).catch(() => undefined);
    throw storageError(error);
  }
}
