// Files in the data folder that hold tokens whose texts nobody can show again, for its user alone.
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDiskFull, StoreUnavailable } from '../../store/errors.ts';
import { NODE_IO, removeFile, syncFolder } from '../../store/files/io.ts';

/**
 * Commits what makes a token once its text is on disk: whoever ends this process at any moment finds no
 * token committed that no file holds. A file of an attempt that was never committed is replaced.
 *
 * @param path - the file; it is removed where it is certain that nothing was committed
 * @throws what `commit` throws; where the file cannot be written, and nothing is committed then
 */
export async function keepToken<T>(
  path: string,
  token: string,
  commit: () => Promise<T>,
): Promise<T> {
  await writeWhole(path, `${token}\n`);
  try {
    return await commit();
  } catch (error) {
    if (!mayBeCommitted(error)) await removeFile(NODE_IO, path).catch(() => {});
    throw error;
  }
}

/**
 * A commit whose sync or answer fails may be found to be there later, and then the file is all that
 * knows the token. On a full disk it was not written whole, and no start will find it.
 */
function mayBeCommitted(error: unknown): boolean {
  return error instanceof StoreUnavailable && !isDiskFull(error);
}

async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.chmod(0o600);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await removeFile(NODE_IO, temporary).catch(() => {});
    throw error;
  }
  await syncFolder(NODE_IO, dirname(path));
}
