// The few calls of the file system that the file store makes, all asynchronous: an fsync of a
// large file takes seconds. They are a value so that tests can have a disk that fails.
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, stat, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { storageError } from '../errors.ts';

export type FileIo = {
  open: (path: string, flags: string, mode?: number) => Promise<FileHandle>;
  mkdir: (path: string, mode: number) => Promise<unknown>;
  rename: (from: string, to: string) => Promise<void>;
  unlink: (path: string) => Promise<void>;
  statfs: (path: string) => Promise<{ bavail: number; bsize: number }>;
};

export const NODE_IO: FileIo = { open, mkdir, rename, unlink, statfs };

export function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Makes a folder that only its owner may enter; one that is there already is left as it is. */
export async function makeFolder(io: FileIo, path: string): Promise<void> {
  try {
    await io.mkdir(path, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Makes what was done to a folder's entries last (fsync of the folder; Windows has no such). */
export async function syncFolder(io: FileIo, path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await io.open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a small file (0600) whole or not at all, and for good. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const partial = `${path}.${randomUUID()}.tmp`;
  const handle = await open(partial, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, path);
  } catch (error) {
    await removeFile(NODE_IO, partial).catch(() => {});
    throw error;
  }
  await syncFolder(NODE_IO, dirname(path));
}

export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.byteLength - at);
    at += bytesWritten;
  }
}

/** Removes a file that may be gone already. Gives whether it was there. */
export async function removeFile(io: FileIo, path: string): Promise<boolean> {
  try {
    await io.unlink(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const READ_BYTES = 256 * 1024;

/** The size of a regular file in bytes, or undefined where there is none. */
export async function contentSize(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storageError(error);
  }
}

/** All of a file; undefined where it is missing, cut or altered. */
export async function loadContent(
  path: string,
  sha256: string,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if ((await contentSize(path)) !== size) return undefined;
  const bytes = new Uint8Array(size);
  let at = 0;
  const state = await verifyContent(path, sha256, (chunk) => {
    bytes.set(chunk.subarray(0, size - at), at);
    at += chunk.byteLength;
  }).catch((error) => {
    throw storageError(error);
  });
  return state === 'ok' ? bytes : undefined;
}

/** Streams a file, or from a first to a last byte, each chunk read when it is asked for. */
export async function* readContent(
  path: string,
  range?: { start: number; end: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(path, 'r');
  try {
    let at = range?.start ?? 0;
    const end = (range?.end ?? Number.MAX_SAFE_INTEGER - 1) + 1;
    while (at < end) {
      const buffer = new Uint8Array(Math.min(READ_BYTES, end - at));
      const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

export async function verifyContent(
  path: string,
  sha256: string,
  take?: (chunk: Uint8Array) => void,
): Promise<'ok' | 'missing' | 'corrupt'> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of readContent(path)) {
      hash.update(chunk);
      take?.(chunk);
    }
  } catch (error) {
    if (isMissing(error)) return 'missing';
    throw error;
  }
  return hash.digest('hex') === sha256 ? 'ok' : 'corrupt';
}
