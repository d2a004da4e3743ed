// The way of a file's bytes to the disk: streamed to a temporary file and hashed on the way, never
// more than one chunk in memory, and nothing left behind where it fails.
import { createHash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { collectBuffers } from '../../runtime/memory.ts';
import { FileTooLarge, sourceError, storageError } from './errors.ts';
import { type FileIo, removeFile, writeAll } from './io.ts';

/** How many bytes of a file's beginning are kept for telling its type. */
export const HEAD_BYTES = 4096;

/** A temporary file with all of its bytes on disk (synced; its name is not). */
export type ReceivedFile = {
  path: string;
  sha256: string;
  bytes: number;
  head: Uint8Array;
};

// Hashing and writing take turns at this size, so that a large chunk does not hold the event loop.
const SLICE_BYTES = 1024 * 1024;
// So often the free disk is looked at and what was written is pushed out: a large file must not
// leave its whole weight to one fsync at the end, which every other fsync would then wait for.
const CHECK_BYTES = 16 * 1024 * 1024;

/**
 * Receives a file into a folder.
 * @param checkFloor throws where the disk is too full to go on
 * @throws FileTooLarge, FileAborted (or the source's own error where that has a problem's code),
 *   StorageUnavailable
 */
export async function receiveFile(
  io: FileIo,
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  options: { limitBytes: number; signal?: AbortSignal; checkFloor: () => Promise<void> },
): Promise<ReceivedFile> {
  const { limitBytes, signal, checkFloor } = options;
  const path = join(folder, randomUUID());
  const source = abortable(chunks, signal);
  let handle: FileHandle | undefined;
  try {
    await checkFloor();
    handle = await onDisk(io.open(path, 'wx', 0o600));
    const hash = createHash('sha256');
    const head = new Uint8Array(HEAD_BYTES);
    let bytes = 0;
    let checked = 0;
    for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
      if (bytes + chunk.byteLength > limitBytes) throw new FileTooLarge(limitBytes);
      if (bytes < HEAD_BYTES) head.set(chunk.subarray(0, HEAD_BYTES - bytes), bytes);
      for (let at = 0; at < chunk.byteLength; at += SLICE_BYTES) {
        const slice = chunk.subarray(at, at + SLICE_BYTES);
        hash.update(slice);
        await onDisk(writeAll(handle, slice));
      }
      bytes += chunk.byteLength;
      if (bytes - checked >= CHECK_BYTES) {
        checked = bytes;
        collectBuffers();
        await onDisk(handle.datasync());
        await checkFloor();
      }
    }
    // Here and not later, on the handle that wrote: a handle that waits for its owner would be lost
    // with it, and a runtime that collects an open one throws out of nowhere.
    await onDisk(handle.sync());
    await onDisk(handle.close());
    const sha256 = hash.digest('hex');
    return { path, sha256, bytes, head: head.slice(0, Math.min(bytes, HEAD_BYTES)) };
  } catch (error) {
    await source.cancel();
    await handle?.close().catch(() => undefined);
    await removeFile(io, path).catch(() => undefined);
    throw error;
  }
}

async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storageError(error);
  }
}

type Source = { next: () => Promise<Uint8Array | undefined>; cancel: () => Promise<void> };

// A source whose wait for the next chunk ends at once when the signal fires, even where the source
// itself never answers again.
function abortable(chunks: AsyncIterable<Uint8Array>, signal?: AbortSignal): Source {
  const iterator = chunks[Symbol.asyncIterator]();
  let waiting = false;
  let done = false;
  const read = async (): Promise<Uint8Array | undefined> => {
    waiting = true;
    try {
      const result = await iterator.next();
      done = result.done === true;
      return result.done ? undefined : result.value;
    } catch (error) {
      done = true;
      throw error;
    } finally {
      waiting = false;
    }
  };
  const readOrAbort = (given: AbortSignal) =>
    new Promise<Uint8Array | undefined>((resolve, reject) => {
      const abort = () => reject(given.reason);
      given.addEventListener('abort', abort, { once: true });
      const settled = () => given.removeEventListener('abort', abort);
      read().then(resolve, reject).finally(settled);
    });
  return {
    async next() {
      try {
        signal?.throwIfAborted();
        return await (signal === undefined ? read() : readOrAbort(signal));
      } catch (error) {
        throw sourceError(error);
      }
    },
    async cancel() {
      if (done) return;
      const cancelled = Promise.resolve(iterator.return?.()).then(
        () => undefined,
        () => undefined,
      );
      // A generator that is being waited for would only end after that wait.
      if (!waiting) await cancelled;
    },
  };
}
