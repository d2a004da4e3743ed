// The database of a store: Drizzle for reads, and writes that go through the write queue. The
// same code serves an embedded file and a libSQL server.
import { existsSync, mkdirSync } from 'node:fs';
import { VERSION } from '../version.ts';
import { type Db, drizzle, type Tx } from './client/drizzle.ts';
import { type EmbeddedClient, openEmbeddedClient } from './client/embedded.ts';
import type { RemoteOptions } from './client/remote.ts';
import { createWriteQueue, type WriteStats } from './client/write-queue.ts';
import { isDamaged, StoreRefused } from './errors.ts';
import type { FolderIdentity } from './identity.ts';
import { type Migration, migrate } from './migrations.ts';
import { instance } from './tables/projects.ts';

export type { Db, Tx } from './client/drizzle.ts';

export interface Database {
  read: Db;
  /**
   * Runs `work` with the writing connection: all of it is committed when the promise resolves, or
   * nothing of it when it rejects.
   * @throws what `work` throws; StoreUnavailable when the commit fails
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  writes: WriteStats;
  /** Commits so far, where nobody else makes any: what was read since the last one holds. */
  commits(): number | undefined;
  kind: 'file' | 'server';
  migrations: string[];
  /**
   * Calls back when writes that had failed are found to be committed, as after a server was away for
   * long: caches of the database are out of date; a listener that rejects is called again later.
   */
  onRecovered(listener: () => Promise<void> | void): void;
  /** Waits for the writes under way, puts the log into the database file where it can, and closes it. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  location: FileLocation | ServerLocation;
  /** Sees to it that the database is that of the data folder; a database for itself has none. */
  identity?: FolderIdentity;
  writesPerCommit: number;
  migrations: Migration[];
  onDamage?(error: unknown): void;
}

/** `leaseMs`: how long another process must wait for this one's database when it has died. */
export type ServerLocation = Omit<RemoteOptions, 'check' | 'onRecovered' | 'leaseMs'> &
  Partial<Pick<RemoteOptions, 'leaseMs'>>;

const SERVER_MS_PER_COMMIT = 1000;
const RETRY_MS = 1000;

const COMMON = [
  'pragma foreign_keys = on',
  'pragma temp_store = memory',
  'pragma cache_size = -8192',
];

const WRITER = [
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  // Twice the default: a checkpoint holds everybody up for as long as it has pages to write.
  'pragma wal_autocheckpoint = 2000',
  'pragma journal_size_limit = 67108864',
  ...COMMON,
];

const READER = ['pragma query_only = 1', 'pragma wal_autocheckpoint = 0', ...COMMON];

/**
 * Opens the database and brings its schema up to date.
 * @throws StoreRefused when it is newer than this executable, belongs to another data folder, or the
 *   file is no database; StoreUnavailable when it is away
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { location } = options;
  if ('url' in location) return openServer(options, location);
  try {
    return await openFile(options, location);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    throw new StoreRefused(`${location.path} cannot be read as a database: it is damaged, or none`);
  }
}

interface FileLocation {
  path: string;
  backups: string;
}

async function openFile(options: DatabaseOptions, location: FileLocation): Promise<Database> {
  const { path } = location;
  const { identity } = options;
  if (identity) {
    await checkFile(identity, path);
    await identity.writeToFolder();
  }
  const onError = (error: unknown) => {
    if (isDamaged(error)) options.onDamage?.(error);
  };
  const writer = openEmbeddedClient(path, WRITER, { onError });
  const migrations = await bringUpToDate(writer, options, location).catch((error) => {
    // What it had begun would keep the file locked for as long as the connection is remembered.
    if (writer.inTransaction) writer.exec('rollback');
    writer.close();
    throw error;
  });
  // Reads never meet an open transaction: they have a connection of their own that cannot write.
  const reader = openEmbeddedClient(path, READER, { onError });
  const checkpoints = startCheckpoints(writer);
  const queue = createWriteQueue(
    {
      begin: () => writer.exec('begin immediate'),
      // It waits for the disk.
      commit: () => writer.execApart('commit'),
      rollback: () => writer.exec('rollback'),
      savepoint: () => writer.exec('savepoint one'),
      release: () => writer.exec('release one'),
      rollbackToSavepoint: () => writer.exec('rollback to one; release one'),
      writes: () => writer.writes,
      inTransaction: () => writer.inTransaction,
    },
    options.writesPerCommit,
  );
  const tx: Tx = Object.assign(drizzle(writer), { afterCommit: queue.afterCommit });
  return {
    kind: 'file',
    migrations,
    onRecovered: () => {},
    read: drizzle(reader),
    write: (work) => queue.write(() => work(tx)),
    writes: queue.stats,
    commits: queue.committed,
    async close() {
      await queue.close();
      clearInterval(checkpoints);
      reader.close();
      // Closing alone would leave a transaction open while statements are cached.
      if (writer.inTransaction) writer.exec('rollback');
      try {
        writer.exec('pragma wal_checkpoint(truncate)');
      } catch {
        // On a full disk, for one: the log stays beside the file, and the next start reads both.
      }
      writer.close();
    },
  };
}

async function bringUpToDate(
  writer: EmbeddedClient,
  options: DatabaseOptions,
  { backups }: FileLocation,
): Promise<string[]> {
  const migrations = await migrate(writer, options.migrations, (newest) => {
    mkdirSync(backups, { recursive: true, mode: 0o700 });
    const copy = `${backups}/at-${newest}-${Date.now()}.db`;
    writer.exec(`vacuum into '${copy.replaceAll("'", "''")}'`);
  });
  if (!options.identity) return migrations;
  await options.identity.writeToDatabase(writer);
  // The copy that a later version sets aside says by it which version opens it.
  const row = { name: 'version', value: VERSION };
  await drizzle(writer)
    .insert(instance)
    .values(row)
    .onConflictDoUpdate({ target: instance.name, set: row });
  return migrations;
}

async function checkFile(identity: FolderIdentity, path: string): Promise<void> {
  if (!existsSync(path)) return void (await identity.check(undefined));
  const client = openEmbeddedClient(path, [], { readonly: existsSync(`${path}-wal`) });
  try {
    await identity.check(client);
  } finally {
    client.close();
  }
}

const CHECKPOINT_MS = 5000;

/**
 * Puts the write-ahead log into the database file every few seconds, so that a copy of that file alone
 * is seconds old. A checkpoint has 2,000 pages at the most: more do not gather.
 */
function startCheckpoints(writer: EmbeddedClient): ReturnType<typeof setInterval> {
  let seen = -1;
  return setInterval(() => {
    if (writer.writes === seen || writer.inTransaction) return;
    try {
      writer.exec('pragma wal_checkpoint(passive)');
      seen = writer.writes;
    } catch {
      // On a full disk, for one: the next tick tries again.
    }
  }, CHECKPOINT_MS);
}

async function openServer(
  options: DatabaseOptions,
  { leaseMs: wanted, ...location }: ServerLocation,
): Promise<Database> {
  // Loaded here: most starts open a file.
  const { LEASE_MS, RENEWED_AFTER } = await import('./client/remote-transactions.ts');
  const { openRemote } = await import('./client/remote.ts');
  const leaseMs = wanted ?? LEASE_MS;
  const listeners: (() => Promise<void> | void)[] = [];
  let closed = false;
  async function call(listener: () => Promise<void> | void): Promise<void> {
    try {
      await listener();
    } catch {
      if (!closed) setTimeout(() => void call(listener), RETRY_MS);
    }
  }
  const remote = await openRemote({
    ...location,
    leaseMs,
    check: async (client) => (await options.identity?.check(client)) ?? '',
    onRecovered: () => void listeners.map(call),
  });
  const queue = createWriteQueue(remote.control, options.writesPerCommit, SERVER_MS_PER_COMMIT);
  // Any transaction renews the lease.
  const renew = () => queue.write(() => remote.writer.execute('select 1'));
  try {
    await options.identity?.writeToFolder();
    const migrations = await migrate(remote.primary, options.migrations, () => {});
    // A replica that loses its primary half-way does not say so.
    const { rows } = await remote.primary.execute('select name from migrations');
    if (rows.length < migrations.length) throw new StoreRefused('the schema was not made whole');
    await options.identity?.writeToDatabase(remote.primary);
    // Numbered after the migrations, so that no read sees a replica that lacks them.
    await renew();
    const timer = setInterval(() => renew().catch(() => {}), leaseMs * RENEWED_AFTER);
    const tx: Tx = Object.assign(drizzle(remote.writer), { afterCommit: queue.afterCommit });
    return {
      kind: 'server',
      migrations,
      read: drizzle(remote.reader),
      onRecovered: (listener) => void listeners.push(listener),
      write: (work) => queue.write(() => work(tx)),
      writes: queue.stats,
      commits: () => undefined,
      async close() {
        closed = true;
        clearInterval(timer);
        await queue.close();
        await remote.close();
      },
    };
  } catch (error) {
    await remote.close();
    throw error;
  }
}
