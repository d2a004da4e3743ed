// Brings back the database as it was before a migration, from the copy that was set aside then.
import { copyFile, link, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { takeLock } from '../../store/client/lock.ts';
import { readContent } from '../../store/files/content.ts';
import { NODE_IO, syncFolder } from '../../store/files/io.ts';
import { requireSound, withDatabase } from './copy-database.ts';
import { createFile, hashThrough, unpaced } from './files.ts';
import { BackupError, DATABASE } from './manifest.ts';

export interface BroughtBack {
  /** Names in the folder `set-aside`. */
  restored: string;
  replaced: string;
  /** The newest migration of the database now. */
  migration: string;
  /** Of the pqrs that last had it open; null where that was not recorded yet. */
  version: string | null;
}

const COPY = /^at-(.+)-(\d+)\.db$/;

/**
 * Puts a copy in the place of the database, which is itself kept in `set-aside`.
 *
 * @param wanted - the name of a copy, or LATEST
 * @throws BackupError where there is none, or it is damaged; FolderInUse while a server has the folder
 */
export async function bringBack(dataDir: string, wanted: string): Promise<BroughtBack> {
  const folder = join(dataDir, 'set-aside');
  const timeOf = (name: string) => Number(COPY.exec(name)?.[2]);
  const copies = (await readdir(folder).catch(() => []))
    .filter((name) => COPY.test(name))
    .sort((a, b) => timeOf(a) - timeOf(b));
  const name = wanted === 'LATEST' ? copies.at(-1) : basename(wanted);
  if (name === undefined || !copies.includes(name))
    throw new BackupError(`${folder} has no such copy; there are: ${copies.join(', ') || 'none'}`);
  const unlock = takeLock(join(dataDir, 'lock.db'));
  try {
    const from = join(folder, name);
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
    await withDatabase(
      database,
      async (client) => client.exec('pragma wal_checkpoint(truncate)'),
      [],
    );
    const replaced = `replaced-${Date.now()}.db`;
    await link(database, join(folder, replaced)).catch(() =>
      copyFile(database, join(folder, replaced)),
    );
    // Its log is empty, and would be taken for the log of the copy.
    for (const suffix of ['-wal', '-shm']) await rm(database + suffix, { force: true });
    await rename(temporary, database);
    await syncFolder(NODE_IO, folder);
    await syncFolder(NODE_IO, dataDir);
    return { restored: name, replaced, migration, version };
  } finally {
    unlock();
  }
}
