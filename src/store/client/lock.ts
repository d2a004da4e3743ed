// One process for one data folder: an exclusive transaction, held for life, on a database file
// that serves for nothing else. The system frees it however the process ends.
import Database from 'libsql';
import { FolderInUse, isLocked } from '../errors.ts';

/**
 * Takes the lock. The file must never be opened with file functions inside this process: closing
 * any descriptor of it would drop the lock.
 * @throws FolderInUse when another process holds it
 */
export function takeLock(path: string): () => void {
  const database = new Database(path, { timeout: 0 } as Database.Options);
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    throw isLocked(error) ? new FolderInUse() : error;
  }
  return () => database.close();
}
