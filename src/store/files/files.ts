// The file store: content on local disk under the SHA-256 of its bytes, each content once. A file
// is durable before the row that names it is written, and only files without a row are removed.
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { keyedLock } from '../client/keyed-lock.ts';
import { StoreUnavailable, storageError } from '../errors.ts';
import {
  contentSize,
  type FileIo,
  isMissing,
  loadContent,
  makeFolder,
  NODE_IO,
  readContent,
  removeFile,
  syncFolder,
  verifyContent,
} from './io.ts';
import { type ReceivedFile, receiveFile } from './receive.ts';
import { filePath, type SweepOptions, type SweepResult, sweepFiles } from './sweep.ts';

export { HEAD_BYTES } from './receive.ts';
export type { SweepOptions, SweepResult } from './sweep.ts';

interface FileStoreOptions {
  /** Nothing is received while fewer bytes than this are free. Default 0. */
  freeFloorBytes?: number;
  io?: Partial<FileIo>;
}

/**
 * Content that was received whole and is not yet in its place. The order of its life: `commit`,
 * write the row, `release`; where the row fails `release`, then the store's `remove`.
 */
export interface StagedFile extends ReceivedFile {
  /**
   * Makes the content durable in its place and pins it: it is not removed before `release`.
   * @throws StoreUnavailable; the content is then dropped
   */
  commit(): Promise<void>;
  /** Unpins the content. May be called at any time and again. */
  release(): void;
  /** Drops the content where it was not committed, else releases it: fit for a `finally`. */
  discard(): Promise<void>;
}

export type FileStore = Awaited<ReturnType<typeof openFileStore>>;
type IsReferenced = (sha256: string) => Promise<boolean>;

/**
 * Opens (or makes) a file store, for its owner alone (0700, files 0600), and empties its temporary
 * folder. One process at a time may have it open.
 */
export async function openFileStore(
  root: string,
  { freeFloorBytes: floor = 0, io: given }: FileStoreOptions = {},
) {
  const io: FileIo = { ...NODE_IO, ...given };
  const temporary = join(root, 'tmp');
  const lock = keyedLock();
  const pins = new Map<string, number>();
  let holds = 0;
  // Which of the 65,536 folders are known to be durable, by the first two bytes of a hash.
  const madeFolders = new Uint8Array(65536);
  const pathOf = (sha256: string) => filePath(root, sha256);

  await prepareFolders(io, root, temporary);

  async function freeBytes(): Promise<number> {
    const { bavail, bsize } = await io.statfs(root);
    return bavail * bsize;
  }

  async function checkFloor(): Promise<void> {
    const free = floor > 0 ? await freeBytes() : 0;
    if (free < floor)
      throw new StoreUnavailable(new Error(`${free} bytes are free, the floor is ${floor}`));
  }

  async function place(file: ReceivedFile): Promise<void> {
    const path = pathOf(file.sha256);
    const folder = dirname(path);
    const index = Number.parseInt(file.sha256.slice(0, 4), 16);
    if (madeFolders[index] === 0) {
      for (const made of [dirname(folder), folder]) await makeFolder(io, made);
      for (const above of [root, dirname(folder)]) await syncFolder(io, above);
      madeFolders[index] = 1;
    }
    if ((await contentSize(path)) === file.bytes) await removeFile(io, file.path);
    else await io.rename(file.path, path);
    // Also where it was there: whoever put it there may have died before this.
    await syncFolder(io, folder);
  }

  function pin(sha256: string, by: 1 | -1): void {
    const count = (pins.get(sha256) ?? 0) + by;
    if (count > 0) pins.set(sha256, count);
    else pins.delete(sha256);
  }

  function stage(file: ReceivedFile): StagedFile {
    let state: 'staged' | 'pinned' | 'over' = 'staged';
    const drop = () => removeFile(io, file.path).catch(() => undefined);

    function release(): void {
      if (state !== 'pinned') return;
      state = 'over';
      pin(file.sha256, -1);
    }

    return {
      ...file,
      release,
      async commit() {
        if (state !== 'staged') throw new Error('a file is committed once, and not when dropped');
        state = 'pinned';
        pin(file.sha256, 1);
        try {
          await lock(file.sha256, () => place(file));
        } catch (error) {
          release();
          await drop();
          throw storageError(error);
        }
      },
      async discard() {
        if (state === 'staged') await drop();
        release();
        state = 'over';
      },
    };
  }

  /** @throws Problem `too_large` or the source's; StoreUnavailable; nothing is left then */
  async function receive(
    chunks: AsyncIterable<Uint8Array>,
    { limitBytes }: { limitBytes: number },
  ): Promise<StagedFile> {
    return stage(await receiveFile(io, temporary, chunks, { limitBytes, checkFloor }));
  }

  function take(
    sha256: string,
    isReferenced: IsReferenced,
    away: (path: string) => Promise<boolean>,
  ): Promise<boolean> {
    const path = pathOf(sha256);
    return lock(sha256, async () => {
      const isInUse = () => holds > 0 || pins.has(sha256);
      if (isInUse() || (await isReferenced(sha256)) || isInUse()) return false;
      return away(path);
    });
  }

  return {
    receive,
    freeBytes,
    /** Where content lies, whether it is there or not. @throws TypeError where it is no hash */
    path: pathOf,
    verify: (sha256: string) => verifyContent(pathOf(sha256), sha256),
    /** All of content; undefined where it is missing, of another size, or altered. */
    load: (sha256: string, bytes: number) => loadContent(pathOf(sha256), sha256, bytes),
    /** Streams content, from `start` to `end` inclusive where given; read a chunk at a time. */
    read: (sha256: string, range?: { start: number; end: number }) =>
      readContent(pathOf(sha256), range),
    /** Removes content unless it is pinned or referenced, which is asked while no commit of it can pass. */
    remove: (sha256: string, isReferenced: IsReferenced) =>
      take(sha256, isReferenced, (path) => removeFile(io, path)),
    /**
     * Moves content that no row names, and that is a day old, to `trash/<day>` for seven days. More than
     * 100 files and 5 % of all are not moved without `force`.
     */
    sweep(
      isReferenced: (sha256s: string[]) => Promise<Set<string>>,
      options: SweepOptions = {},
    ): Promise<SweepResult> {
      // The batch was asked for some time ago; a row may have come since.
      const isNamed = async (sha256: string) => (await isReferenced([sha256])).has(sha256);
      return sweepFiles(root, options, isReferenced, (sha256, folder) =>
        take(sha256, isNamed, async (path) => {
          for (const made of [dirname(folder), folder]) await makeFolder(io, made);
          try {
            await io.rename(path, join(folder, basename(path)));
            return true;
          } catch (error) {
            // It was removed since it was listed.
            if (isMissing(error)) return false;
            throw error;
          }
        }),
      );
    },
    /** Until the given function is called no content is removed or moved: somebody reads it. */
    hold() {
      holds += 1;
      let isHeld = true;
      return () => {
        if (isHeld) holds -= 1;
        isHeld = false;
      };
    },
    /** The bytes of content; undefined where it is missing. */
    sizeOf: (sha256: string) => contentSize(pathOf(sha256)),
    /** Writes, syncs and removes a small file. Gives milliseconds. @throws StoreUnavailable */
    async probe() {
      const began = performance.now();
      await (await receive(asStream([Buffer.from('probe')]), { limitBytes: 5 })).discard();
      return performance.now() - began;
    },
  };
}

async function prepareFolders(io: FileIo, root: string, temporary: string): Promise<void> {
  try {
    for (const folder of [root, temporary]) {
      await makeFolder(io, folder);
      if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a folder`);
      await chmod(folder, 0o700);
    }
    await syncFolder(io, dirname(root));
    for (const name of await readdir(temporary))
      await rm(join(temporary, name), { recursive: true, force: true });
  } catch (error) {
    throw storageError(error);
  }
}

/** Stores bytes; they are pinned until they are released or discarded. @throws StoreUnavailable */
export async function storeBytes(store: FileStore, ...chunks: Uint8Array[]): Promise<StagedFile> {
  const limitBytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const staged = await store.receive(asStream(chunks), { limitBytes });
  await staged.commit();
  return staged;
}

/** Stores content again whose file is missing, cut or altered. @throws StoreUnavailable */
export async function restoreContent(
  store: FileStore,
  sha256: string,
  bytes: Uint8Array,
): Promise<void> {
  if ((await store.verify(sha256)) === 'ok') return;
  await store.remove(sha256, async () => false);
  (await storeBytes(store, bytes)).release();
}

async function* asStream(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Commits a file and writes what names it. Where either fails it is dropped, unless something else names it. */
export async function keepFile<T>(
  store: FileStore,
  staged: StagedFile,
  isReferenced: IsReferenced,
  writeRow: () => Promise<T>,
): Promise<T> {
  try {
    await staged.commit();
    const row = await writeRow();
    staged.release();
    return row;
  } catch (error) {
    await staged.discard();
    // A sweep finds it where this fails too.
    await store.remove(staged.sha256, isReferenced).catch(() => false);
    throw error;
  }
}
