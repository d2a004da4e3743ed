// Restores a backup into a new data folder, says what a backup is worth without doing so, and brings back
// the database that was set aside before a migration.
import {
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { drizzle } from '../../store/client/drizzle.ts';
import { takeLock } from '../../store/client/embedded.ts';
import { isMissing, makeFolder, NODE_IO, readContent, syncFolder } from '../../store/files/io.ts';
import { writeFolderIds } from '../../store/identity.ts';
import { openBundleKey } from '../../store/keys/bundle-key.ts';
import { openSigningKeys } from '../../store/keys/key-files.ts';
import { KEY_RECORD_PREFIX } from '../../store/keys/key-record.ts';
import { openSealing } from '../../store/keys/sealing-key.ts';
import { MIGRATIONS } from '../../store/migrations.ts';
import { namedContents } from '../../store/references.ts';
import { type BackupSource, openArchive } from './archive.ts';
import { requireSound, withDatabase } from './copy-database.ts';
import { createFile, hashThrough, type Pace, requireSpace, unpaced } from './files.ts';
import { openFolder } from './folder.ts';
import {
  BackupError,
  contentOf,
  DATABASE,
  isEntryPath,
  KEYS,
  type Manifest,
  type OnBackupProgress,
} from './manifest.ts';
import { openSealedKeys } from './sealed-keys.ts';

export interface BackupPlace {
  path: string;
  /** The newest where left out. */
  at?: string | undefined;
}

export interface RestoreJob extends BackupPlace {
  /** The new data folder: missing, or empty. */
  target: string;
  /** Whether new keys are made; those of the backup are then left alone. */
  newKeys: boolean;
  freeDiskBytes: number;
}

export type VerifyReport = Awaited<ReturnType<typeof checkDatabase>>;
export type RestoreReport = Awaited<ReturnType<typeof restoreBackup>>;

export interface RestoreHooks {
  pace: Pace;
  onProgress: OnBackupProgress;
  /** Is asked where the backup holds keys; undefined where nobody knows it. */
  passphrase?(): Promise<string | undefined>;
}

async function openBackup({ path, at }: BackupPlace): Promise<BackupSource> {
  const about = await stat(path).catch(() => undefined);
  if (!about) throw new BackupError(`there is no backup at ${path}`);
  if (about.isDirectory()) return openFolder(path, at);
  if (at !== undefined) throw new BackupError(`${path} is one archive: it holds one backup alone`);
  return openArchive(path);
}

/** Gives the manifest, and the entries that it calls damaged. @throws BackupError where they do not agree */
export async function readBackup(
  source: BackupSource,
  { pace, onProgress }: Omit<RestoreHooks, 'passphrase'>,
  unpack?: { folder: string; wants(path: string): boolean },
): Promise<{ manifest: Manifest; damaged: string[] }> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  let done = 0;
  for await (const { path, bytes, content } of source.entries()) {
    if (!isEntryPath(path) || found.has(path))
      throw new BackupError(`the backup holds ${JSON.stringify(path)}, or that twice`);
    onProgress('verifying', done, source.bytes);
    done += bytes;
    if (unpack?.wants(path)) {
      const place = join(unpack.folder, path);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      found.set(path, await createFile(place, (write) => hashThrough(content, pace, write)));
    } else found.set(path, await hashThrough(content, pace));
  }
  const manifest = source.manifest();
  for (const { path, bytes, sha256 } of manifest.entries) {
    const entry = found.get(path);
    if (!entry) throw new BackupError(`${path} is not in the backup, which is not whole`);
    if (entry.bytes !== bytes || entry.sha256 !== sha256)
      throw new BackupError(`${path} is damaged: its SHA-256 is not that of the manifest`);
    found.delete(path);
  }
  const missing = new Set(manifest.missing.map(({ sha256 }) => sha256));
  const damaged = [...found.keys()];
  const unnamed = damaged.find((path) => !missing.has(contentOf(path) ?? ''));
  if (unnamed !== undefined) throw new BackupError(`${unnamed} is in no manifest`);
  return { manifest, damaged };
}

/** Checks every hash of a backup, and its database in a temporary folder. @throws BackupError */
export async function verifyBackup(
  place: BackupPlace,
  pace: Pace,
  onProgress: OnBackupProgress,
): Promise<VerifyReport> {
  const folder = await mkdtemp(join(tmpdir(), 'pqrs-verify-'));
  const source = await openBackup(place);
  try {
    const unpack = { folder, wants: (path: string) => path === DATABASE };
    const { manifest } = await readBackup(source, { pace, onProgress }, unpack);
    onProgress('checking', 0, 1);
    return await checkDatabase(folder, manifest);
  } finally {
    await source.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Restores a backup. It is unpacked beside its target, verified there, and renamed: whatever ends
 * this half-way leaves no folder in the target's place.
 * @throws BackupError where the target is in use, or anything of the backup is wrong
 */
export async function restoreBackup(
  job: RestoreJob,
  { pace, onProgress, passphrase }: RestoreHooks,
) {
  const { target, newKeys } = job;
  const inside = await readdir(target).catch((error) => {
    if (isMissing(error)) return [];
    throw new BackupError(`${target} is no folder`);
  });
  if (inside.length > 0)
    throw new BackupError(`${target} is not empty: restore into a new folder, by --data-dir`);
  const partial = partialFolder(target);
  const source = await openBackup(job);
  try {
    await rm(partial, { recursive: true, force: true });
    await makeFolder(NODE_IO, partial);
    await requireSpace(partial, source.bytes, job.freeDiskBytes);
    const unpack = { folder: partial, wants: () => true };
    const { manifest, damaged } = await readBackup(source, { pace, onProgress }, unpack);
    for (const path of damaged) await rm(join(partial, path));
    onProgress('checking', 0, 1);
    const checked = await checkDatabase(partial, manifest);
    for (const part of ['keys', 'files'])
      await mkdir(join(partial, part), { recursive: true, mode: 0o700 });
    const isRestored = checked.withKeys && !newKeys;
    if (isRestored) await restoreKeys(partial, await passphrase?.());
    await rm(join(partial, KEYS), { force: true });
    if (newKeys) await makeKeys(partial);
    if (manifest.folderId !== null) await writeFolderIds(partial, manifest.folderId);
    await syncAll(partial);
    await rename(partial, target);
    await syncFolder(NODE_IO, dirname(target));
    const made: 'made' | 'none' = newKeys ? 'made' : 'none';
    return { ...checked, target, keys: isRestored ? ('restored' as const) : made };
  } finally {
    await source.close();
    await rm(partial, { recursive: true, force: true });
  }
}

export function partialFolder(target: string): string {
  return join(dirname(target), `.${basename(target)}.pqrs-restore`);
}

/** Whether the database is sound, known to this executable, and names nothing that is not there. */
async function checkDatabase(folder: string, manifest: Manifest) {
  const path = join(folder, DATABASE);
  await requireSound(path, 'integrity_check');
  const { version, createdAt, schema, entries, missing } = manifest;
  return withDatabase(path, async (client) => {
    const { rows } = await client.execute('select name from migrations');
    const known = new Set(MIGRATIONS.map(({ name }) => name));
    if (rows.some((row) => !known.has(String(row[0]))))
      throw new BackupError(`pqrs ${version} made this backup: restore it with that one`);
    const there = new Set([...entries, ...missing].map(({ sha256 }) => sha256));
    const gone = (await namedContents(drizzle(client))).find((sha256) => !there.has(sha256));
    if (gone !== undefined)
      throw new BackupError(`the backup lacks ${gone}, which its database names`);
    const credentials = await client
      .execute('select count(*) from credentials')
      // A database of an older schema has none.
      .catch(() => ({ rows: [[0]] }));
    return {
      version,
      createdAt,
      schema,
      files: entries.filter((entry) => contentOf(entry.path) !== undefined).length,
      bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
      missing,
      withKeys: entries.some((entry) => entry.path === KEYS),
      /** Sealed credentials, which nothing but the old keys opens. */
      credentials: Number(credentials.rows[0]?.[0]),
    };
  });
}

async function restoreKeys(folder: string, passphrase: string | undefined): Promise<void> {
  if (passphrase === undefined)
    throw new BackupError(
      'the backup holds keys: --passphrase-file opens them, --new-keys does without',
    );
  for (const [name, content] of openSealedKeys(await readFile(join(folder, KEYS)), passphrase))
    await createFile(join(folder, 'keys', name), (write) => write(content));
}

async function makeKeys(folder: string): Promise<void> {
  // The database says which keys it has: others in their place would count as damaged.
  const forget = `delete from instance where name like '${KEY_RECORD_PREFIX}%'`;
  await executeIn(join(folder, DATABASE), forget);
  for (const open of [openSigningKeys, openSealing, openBundleKey])
    await open(join(folder, 'keys'));
}

async function syncAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncAll(join(folder, entry.name));
  await syncFolder(NODE_IO, folder);
}

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
    await executeIn(database, 'pragma wal_checkpoint(truncate)');
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

function executeIn(path: string, statement: string): Promise<void> {
  return withDatabase(path, async (client) => client.exec(statement), []);
}
