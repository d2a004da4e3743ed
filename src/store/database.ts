// The database of a store: Drizzle for reads, and writes that go through the write queue. The
// same code serves an embedded file and a libSQL server.
import { mkdirSync } from 'node:fs';
import { drizzle, type LibSQLDatabase } from 'drizzle-orm/libsql';
import { openEmbeddedClient } from './embedded-client.ts';
import { type Migration, migrate } from './migrations.ts';
import { openRemote } from './remote-client.ts';
import { createWriteQueue } from './write-queue.ts';

/** Drizzle on the store's connection. */
export type Db = LibSQLDatabase<Record<string, never>>;

export interface Database {
  /** Sees what is committed. */
  read: Db;
  /**
   * Runs `work` with the writing connection: all of it is committed when the promise resolves, or
   * nothing of it when it rejects.
   *
   * @throws what `work` throws; StoreUnavailable when the commit fails
   */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** `file` or `server`. */
  kind: 'file' | 'server';
  /** Names of the migrations that are applied, in their order. */
  migrations: string[];
  /** Waits for the writes under way, puts the log into the database file and closes it. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Path of the database file, or the address of a libSQL server. */
  location: { path: string; backups: string } | { url: string; token: string | undefined };
  /** How many writes share a commit at most. */
  writesPerCommit: number;
  migrations: Migration[];
}

const COMMON = [
  'pragma foreign_keys = on',
  'pragma temp_store = memory',
  'pragma cache_size = -32768',
];

const WRITER = [
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma wal_autocheckpoint = 4000',
  'pragma journal_size_limit = 67108864',
  ...COMMON,
];

const READER = ['pragma query_only = 1', 'pragma wal_autocheckpoint = 0', ...COMMON];

/**
 * Opens the database and brings its schema up to date.
 *
 * @throws StoreRefused when it is newer than this executable; StoreUnavailable when it is away
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return 'url' in options.location
    ? openServer(options, options.location)
    : openFile(options, options.location);
}

async function openFile(
  options: DatabaseOptions,
  { path, backups }: { path: string; backups: string },
): Promise<Database> {
  const writer = openEmbeddedClient(path, WRITER);
  const write = drizzle(writer);
  const migrations = await migrate(writer, options.migrations, (newest) => {
    mkdirSync(backups, { recursive: true, mode: 0o700 });
    const copy = `${backups}/at-${newest}-${Date.now()}.db`;
    writer.exec(`vacuum into '${copy.replaceAll("'", "''")}'`);
  });
  // Reads never meet an open transaction: they have a connection of their own that cannot write.
  const reader = openEmbeddedClient(path, READER);
  const queue = createWriteQueue(
    {
      begin: () => writer.exec('begin immediate'),
      commit: () => writer.exec('commit'),
      rollback: () => writer.exec('rollback'),
      savepoint: () => writer.exec('savepoint one'),
      release: () => writer.exec('release one'),
      rollbackToSavepoint: () => writer.exec('rollback to one; release one'),
      inTransaction: () => writer.inTransaction,
    },
    options.writesPerCommit,
  );
  return {
    kind: 'file',
    migrations,
    read: drizzle(reader),
    write: (work) => queue.write(() => work(write)),
    async close() {
      await queue.close();
      reader.close();
      writer.exec('pragma wal_checkpoint(truncate)');
      writer.close();
    },
  };
}

async function openServer(
  options: DatabaseOptions,
  location: { url: string; token: string | undefined },
): Promise<Database> {
  const remote = await openRemote(location.url, location.token);
  const migrations = await migrate(remote.client, options.migrations, () => {});
  const queue = createWriteQueue(remote.control, options.writesPerCommit);
  const write = drizzle(remote.writer);
  return {
    kind: 'server',
    migrations,
    read: drizzle(remote.client),
    write: (work) => queue.write(() => work(write)),
    async close() {
      await queue.close();
      remote.client.close();
    },
  };
}
