// The way of a file's bytes to the disk: streamed to a temporary file and hashed on the way, never
// more than one chunk in memory, and nothing left behind where it fails.
import { createHash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { brokenOff, tooLarge } from '../../errors.ts';
import { collectBuffers } from '../../runtime/worker.ts';
import { storageError } from '../errors.ts';
import { type FileIo, removeFile, writeAll } from './io.ts';

export const HEAD_BYTES = 4096;

/** A temporary file with all of its bytes on disk (synced; its name is not). */
export interface ReceivedFile {
  path: string;
  sha256: string;
  bytes: number;
  head: Uint8Array;
}

// Hashing and writing take turns at this size, so that a large chunk does not hold the event loop.
const SLICE_BYTES = 1024 * 1024;
// So often the free disk is looked at and what was written is pushed out: a large file must not
// leave its whole weight to one fsync at the end, which every other fsync would then wait for.
const CHECK_BYTES = 16 * 1024 * 1024;

export async function receiveFile(
  io: FileIo,
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  options: {
    limitBytes: number;
    checkFloor: () => Promise<void>;
  },
): Promise<ReceivedFile> {
  const { limitBytes, checkFloor } = options;
  const path = join(folder, randomUUID());
  let handle: FileHandle | undefined;

  try {
    await checkFloor();
    handle = await onDisk(io.open(path, 'wx', 0o600));
    const hash = createHash('sha256');
    const head = new Uint8Array(HEAD_BYTES);
    let bytes = 0;
    let checked = 0;
    for await (const chunk of unbroken(chunks)) {
      if (bytes + chunk.byteLength > limitBytes) throw tooLarge(limitBytes);
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
    return { path, sha256: hash.digest('hex'), bytes, head: head.slice(0, bytes) };
  } catch (error) {
    await handle?.close().catch(() => undefined);
    await removeFile(io, path).catch(() => undefined);
    throw error;
  }
}

async function* unbroken(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw brokenOff(error);
  }
}

async function onDisk<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw storageError(error);
  });
}
