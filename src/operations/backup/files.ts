// Reading and writing large files beside a server that must not wait for them.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, statfs } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { writeAll } from '../../store/files/io.ts';
import { BackupError } from './manifest.ts';

export type Pace = () => Promise<void>;
export type Write = (bytes: Uint8Array) => Promise<void>;

const UNSYNCED_BYTES = 1024 * 1024;
/** A pause is worth a timer after so much work, and never longer than so. */
const WORK_MS = 4;
const MAX_PAUSE_MS = 50;

export const BACKUP_NICE = 15;

export const unpaced: Pace = async () => {};

/** Pauses after each piece of work about as long as it took, so that others get disk and processor. */
export function createPace(): Pace {
  let since = performance.now();
  return async () => {
    const took = performance.now() - since;
    if (took < WORK_MS) return;
    await setTimeout(Math.min(MAX_PAUSE_MS, took));
    since = performance.now();
  };
}

/** Makes a file that is synced as it grows: one sync of all of it would hold up every other one. */
export async function createFile<T>(path: string, fill: (write: Write) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx', 0o600);
  let unsynced = 0;
  try {
    const filled = await fill(async (bytes) => {
      await writeAll(file, bytes);
      unsynced += bytes.byteLength;
      if (unsynced < UNSYNCED_BYTES) return;
      await file.datasync();
      unsynced = 0;
    });
    await file.sync();
    return filled;
  } finally {
    await file.close();
  }
}

export async function writeToSocket(path: string, fill: (write: Write) => Promise<void>) {
  const socket = createConnection(path);
  const failed = new Promise<never>((_, fail) => {
    socket.once('error', fail);
    socket.once('close', () => fail(new BackupError('nobody reads the archive any more')));
  });
  failed.catch(() => {});
  try {
    await Promise.race([once(socket, 'connect'), failed]);
    await fill(async (bytes) => {
      if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), failed]);
    });
    // The other side answers a byte when it has handed on the last one.
    const taken = once(socket, 'data');
    socket.end();
    await Promise.race([taken, failed]);
  } finally {
    socket.destroy();
  }
}

/** Hands content on and hashes it on the way. */
export async function hashThrough(
  content: AsyncIterable<Uint8Array>,
  pace: Pace,
  take?: Write,
): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    await take?.(chunk);
    await pace();
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** @throws BackupError where writing so many bytes would leave fewer than the floor */
export async function requireSpace(folder: string, bytes: number, floor: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free - bytes >= floor) return;
  throw new BackupError(
    `${folder} has ${free} bytes free; ${bytes} are needed, and ${floor} are to stay free`,
  );
}
