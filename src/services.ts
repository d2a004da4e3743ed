// Opens what the application needs (folders, lock, database, keys, files) in the order in which
// each rests on the others, and closes it in the other.
import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openTokenRegistry, type TokenRegistry } from './access/tokens.ts';
import type { Config } from './config.ts';
import { createFaults, type Faults } from './faults.ts';
import type { Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Lent } from './masking/body.ts';
import { createMetrics, type Metrics } from './model/metrics.ts';
import { createNotices, type Notices } from './model/notices.ts';
import { prepareNative } from './runtime/native.ts';
import { takeLock } from './store/client/embedded.ts';
import { type KeyedLock, keyedLock } from './store/client/keyed-lock.ts';
import { type Database, openDatabase } from './store/database.ts';
import { type FileStore, openFileStore } from './store/files/files.ts';
import { openIdentity } from './store/identity.ts';
import { type LiveSigningKeys, openSigningKeys } from './store/keys/key-files.ts';
import { type KeyRecord, openKeyRecord } from './store/keys/key-record.ts';
import { openSealing, type Sealing } from './store/keys/sealing-key.ts';
import { MIGRATIONS, type Migration } from './store/migrations.ts';

export interface Services {
  config: Config;
  limits: Limits;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
  database: Database;
  files: FileStore;
  faults: Faults;
  signingKeys: LiveSigningKeys;
  keyRecord: KeyRecord;
  /** Seals secrets; its key is made when it is first asked for. To be opened before a write. */
  sealing(): Promise<Sealing>;
  tokens: TokenRegistry;
  metrics: Metrics;
  /** What the service notes about projects, for their system logs. */
  notices: Notices;
  /** Imports of a project, one at a time: each is made on the revision of the one before. */
  importTurns: KeyedLock;
  /** The values lent to a token now, undefined at once where none are; set by what lends. */
  lent: { of(tokenId: string): undefined | Promise<Lent | undefined> };
  /** Whether the service has begun to stop. */
  draining(): boolean;
  /** From now on takes no new request. */
  refuseNew(): void;
  /** Calls back once when the service begins to stop: streams are to end, timers too. */
  whenStopping(listener: () => void): () => void;
  /** When the services were opened. */
  startedAt: number;
  /** Closes everything; what was acknowledged is on disk already. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  config: Config;
  log: Log;
  clock?: () => number;
  migrations?: Migration[];
  /** Called when another process has taken over the database server's lease. */
  onLeaseLost?: () => void;
}

/**
 * Opens the services over the configured data folder, which is made when missing.
 * @throws StoreRefused when another process uses it, or its database is newer or that of another folder
 */
export async function openServices(options: ServiceOptions): Promise<Services> {
  const { config, log } = options;
  const clock = options.clock ?? Date.now;
  const dataDir = resolve(config.dataDir);
  // The database makes its files itself: none of them is for others to read.
  process.umask(0o077);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(dataDir, 0o700);
  prepareNative(dataDir);
  const closing: (() => Promise<void> | void)[] = [];
  async function close(): Promise<void> {
    for (const one of closing.reverse()) await one();
  }
  try {
    closing.push(takeLock(join(dataDir, 'lock.db')));
    const faults = createFaults();
    const onDamage = (error: unknown) => {
      if (faults.list().has('database:damage')) return;
      log.error({ err: error }, 'the database is damaged');
      const output = 'the database is damaged: run pqrs doctor; what it hits is not answered';
      faults.report('database:damage', { status: 'fail', output });
    };
    const database = await openConfiguredDatabase(options, dataDir, onDamage);
    closing.push(() => database.close());
    const files = await openFileStore(join(dataDir, 'files'), {
      freeFloorBytes: config.limits.freeDiskBytes,
    });
    const folder = join(dataDir, 'keys');
    const keyRecord = await openKeyRecord({ database, folder, faults, log });
    const signingKeys = await openSigningKeys(folder, keyRecord);
    // Not waited for: it may write, and may be called inside a write.
    let checking: Promise<void> | undefined;
    const checkKeys = () => {
      checking = keyRecord
        .check()
        .catch((error) => log.warn({ err: error }, 'the keys could not be checked'));
    };
    checkKeys();
    closing.push(() => checking);
    const tokens = await openTokenRegistry(database);
    closing.push(() =>
      tokens
        .flush()
        .catch((error) => log.warn({ err: error }, 'times of last use were not written')),
    );
    const notices = createNotices(clock, (error) =>
      log.warn({ err: error }, 'a notice was not written'),
    );
    const stopping = createStopping();
    closing.push(stopping.refuseNew);
    return {
      ...stopping,
      tokens,
      metrics: createMetrics(),
      notices,
      importTurns: keyedLock(),
      lent: { of: () => undefined },
      config,
      limits: config.limits,
      log,
      clock,
      database,
      files,
      faults,
      signingKeys,
      keyRecord,
      sealing: once(async () => {
        const sealing = await openSealing(folder, keyRecord);
        checkKeys();
        return sealing;
      }),
      startedAt: clock(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function createStopping(): Pick<Services, 'draining' | 'refuseNew' | 'whenStopping'> {
  const listeners = new Set<() => void>();
  let draining = false;
  return {
    draining: () => draining,
    refuseNew() {
      draining = true;
      for (const listener of [...listeners]) listener();
      listeners.clear();
    },
    whenStopping(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open().catch((error) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

function openConfiguredDatabase(
  { config, migrations = MIGRATIONS, onLeaseLost }: ServiceOptions,
  dataDir: string,
  onDamage: (error: unknown) => void,
): Promise<Database> {
  const { writesPerCommit } = config.limits;
  if (config.databaseUrl !== undefined) {
    const { databaseUrl: url, databaseToken: token } = config;
    const location = { url, token, dataDir, onLost: onLeaseLost ?? (() => {}) };
    const identity = openIdentity(dataDir, 'the database at PQRS_DATABASE_URL');
    return openDatabase({ location, identity, writesPerCommit, migrations });
  }
  const location = { path: join(dataDir, 'pqrs.db'), backups: join(dataDir, 'set-aside') };
  const identity = openIdentity(dataDir, location.path);
  return openDatabase({ location, identity, writesPerCommit, migrations, onDamage });
}
