// Brings back the database as it was before a migration, from the copy that was set aside then.
import { copyFile, link, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openEmbeddedClient } from '../../store/client/embedded.ts';
import { takeLock } from '../../store/client/lock.ts';
import { readContent } from '../../store/files/content.ts';
import { NODE_IO, syncFolder } from '../../store/files/io.ts';
import { requireSound } from './copy-database.ts';
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
  const copies = (await readdir(folder).catch(() => [])).filter((name) => COPY.test(name));
  const timeOf = (name: string) => Number(COPY.exec(name)?.[2]);
  const newest = copies.sort((a, b) => timeOf(a) - timeOf(b)).at(-1);
  const restored = wanted === 'LATEST' ? newest : copies.find((name) => name === basename(wanted));
  if (restored === undefined)
    throw new BackupError(
      `${folder} has no such copy; there are: ${copies.join(', ') || 'none, as no migration has changed this database'}`,
    );
  const giveBack = takeLock(join(dataDir, 'lock.db'));
  try {
    const from = join(folder, restored);
    await requireSound(from, 'integrity_check');
    const about = await readFacts(from);
    const database = join(dataDir, DATABASE);
    const temporary = `${database}.set-aside`;
    await rm(temporary, { force: true });
    await createFile(temporary, (write) => hashThrough(readContent(from), unpaced, write));
    const replaced = `replaced-${Date.now()}.db`;
    await keepOld(database, join(folder, replaced));
    // Its log is empty, and would be taken for the log of the copy.
    for (const suffix of ['-wal', '-shm']) await rm(database + suffix, { force: true });
    await rename(temporary, database);
    await syncFolder(NODE_IO, folder);
    await syncFolder(NODE_IO, dataDir);
    return { restored, replaced, ...about };
  } finally {
    giveBack();
  }
}

/** Puts the log into the database, which keeps its place until the copy takes it. */
async function keepOld(database: string, to: string): Promise<void> {
  const client = openEmbeddedClient(database, []);
  try {
    client.exec('pragma wal_checkpoint(truncate)');
  } finally {
    client.close();
  }
  await link(database, to).catch(() => copyFile(database, to));
}

async function readFacts(path: string): Promise<Pick<BroughtBack, 'migration' | 'version'>> {
  const client = openEmbeddedClient(path, ['pragma query_only = 1']);
  try {
    const { rows } = await client.execute('select max(name) from migrations');
    const version = await client.execute("select value from instance where name = 'version'");
    return {
      migration: String(rows[0]?.[0]),
      version: version.rows[0] === undefined ? null : String(version.rows[0][0]),
    };
  } finally {
    client.close();
  }
}
