// The one right order of a file and its row, for callers that have nothing to do in between.
import type { FileStore, StagedFile } from './files.ts';

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
