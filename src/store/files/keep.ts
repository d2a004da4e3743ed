// Storing bytes, and the one right order of a file and its row.
import type { FileStore, StagedFile } from './files.ts';

/** Stores bytes; they are pinned until they are released or discarded. @throws StorageUnavailable */
export async function storeBytes(store: FileStore, bytes: Uint8Array): Promise<StagedFile> {
  const staged = await store.receive(once(bytes), { limitBytes: bytes.byteLength });
  await staged.commit();
  return staged;
}

/** Stores content again whose file is missing, cut or altered. @throws StorageUnavailable */
export async function restoreContent(
  store: FileStore,
  sha256: string,
  bytes: Uint8Array,
): Promise<void> {
  if ((await store.verify(sha256)) === 'ok') return;
  await store.remove(sha256, async () => false);
  (await storeBytes(store, bytes)).release();
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Commits a staged file, writes what names it, and unpins it. Where either fails the file is
 * dropped again, unless something else names it.
 * @param isReferenced whether a row names the content
 * @param writeRow writes the row; must be durable when it resolves
 * @returns what writeRow gave
 * @throws StorageUnavailable, or what writeRow throws
 */
export async function keepFile<T>(
  store: FileStore,
  staged: StagedFile,
  isReferenced: (sha256: string) => Promise<boolean>,
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
