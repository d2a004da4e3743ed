// Reading content back: its size, its bytes, whether they are still the ones that were stored.
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { storageError } from '../errors.ts';
import { isMissing } from './io.ts';

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
