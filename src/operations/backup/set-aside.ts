// Brings back the database as it was before a migration, from the copy that was set aside then.
import { copyFile, link, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { takeLock } from '../../store/client/lock.ts';
import { readContent } from '../../store/files/content.ts';
import { NODE_IO, syncFolder } from '../../store/files/io.ts';
import { requireSound, withDatabase } from './copy-database.ts';
import { createFile, hashThrough, unpaced } from './files.ts';
import { BackupError, DATABASE } from './manifest.ts';

/**
 * Puts a copy in the place of the database, which is itself kept in `set-aside`.
 * @param wanted - the name of a copy, or LATEST
 * @returns names in `set-aside`, the newest migration of the database now, and the pqrs that last had
 *   it open (null where that was not recorded yet)
 * @throws BackupError where there is none, or it is damaged; FolderInUse while a server has the folder
 */
export async function bringBack(dataDir: string, wanted: string) {
  const folder = join(dataDir, 'set-aside');
  const timeOf = (name: string) => Number(/^at-.+-(\d+)\.db$/.exec(name)?.[1]);
  const copies = (await readdir(folder).catch(() => []))
    .filter((name) => timeOf(name) > 0)
    .sort((a, b) => timeOf(a) - timeOf(b));
  const restored = wanted === 'LATEST' ? copies.at(-1) : basename(wanted);
  if (restored === undefined || !copies.includes(restored))
    throw new BackupError(`${folder} has no such copy; there are: ${copies.join(', ') || 'none'}`);
  const unlock = takeLock(join(dataDir, 'lock.db'));
  try {
    const from = join(folder, restored);
    const database = join(dataDir, DATABASE);
    const temporary = `${database}.set-aside`;
    await requireSound(from, 'integrity_check');
    const [migration, version] = await withDatabase(from, async (client) => {
      const { rows } = await client.execute(
        "select max(name), (select value from instance where name = 'version') from migrations",
      );
      return [String(rows[0]?.[0]), (rows[0]?.[1] ?? null) as string | null] as const;
    });
    await rm(temporary, { force: true });
    await createFile(temporary, (write) => hashThrough(readContent(from), unpaced, write));
    // The log goes into the database, which keeps its place until the copy takes it.
    const checkpoint = 'pragma wal_checkpoint(truncate)';
    await withDatabase(database, async (client) => client.exec(checkpoint), []);
    const replaced = `replaced-${Date.now()}.db`;
    const kept = join(folder, replaced);
    await link(database, kept).catch(() => copyFile(database, kept));
    // Its log is empty, and would be taken for the log of the copy.
    for (const suffix of ['-wal', '-shm']) await rm(database + suffix, { force: true });
    await rename(temporary, database);
    await syncFolder(NODE_IO, folder);
    await syncFolder(NODE_IO, dataDir);
    return { restored, replaced, migration, version };
  } finally {
    unlock();
  }
}
