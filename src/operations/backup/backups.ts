// Backups of the instance that this process has open, one at a time: when they are asked for, by the
// clock, and each week the proof that the newest scheduled one can be restored.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { withoutSecrets } from '../../config.ts';
import { COMMAND_LINE, recordAudit, SERVICE } from '../../evidence/logs/entries.ts';
import type { Services } from '../../services.ts';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import type { Db } from '../../store/database.ts';
import { LAST_BACKUP, LAST_DRILL, readMoment } from '../../store/moments.ts';
import { instance } from '../../store/tables/projects.ts';
import { VERSION } from '../../version.ts';
import { inWorker } from '../in-worker.ts';
import { newestManifest } from './folder.ts';
import type { BackupReport, BackupTarget } from './make.ts';
import { BackupError, type OnBackupProgress } from './manifest.ts';

interface BackupServices
  extends Pick<Services, 'clock' | 'config' | 'database' | 'faults' | 'files' | 'limits' | 'log'> {
  draining(): boolean;
  whenStopping(listener: () => void): () => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DRILL_EVERY_MS = 7 * 24 * HOUR_MS;

const serialized = keyedLock();

/** Makes a backup of the open instance and records when. @throws BackupError */
export function backUp(
  services: BackupServices,
  target: BackupTarget,
  { sealedKeys = null, paced = true }: { sealedKeys?: string | null; paced?: boolean },
  onProgress?: OnBackupProgress,
): Promise<BackupReport> {
  const { config, database, files, limits, log, clock } = services;
  if (database.kind === 'server')
    throw new BackupError(
      'the database is on a libSQL server: back it up there, and the folders files and keys beside it',
    );
  const dataDir = resolve(config.dataDir);
  return serialized(dataDir, async () => {
    const release = files.hold();
    try {
      const job = {
        dataDir,
        target,
        version: VERSION,
        sealedKeys,
        paced,
        settings: withoutSecrets(config),
        freeDiskBytes: limits.freeDiskBytes,
      };
      const made = await inWorker(services, 'backup', job, onProgress);
      const { kind } = target;
      const fields = {
        target: kind,
        files: made.files,
        bytes: made.bytes,
        missing: made.missing.length,
      };
      await database.write(async (db) => {
        await record(db, LAST_BACKUP, Date.parse(made.createdAt));
        const actor = kind === 'folder' ? SERVICE : COMMAND_LINE;
        const entry = { action: 'backup.made', actor, fields, now: clock() } as const;
        await recordAudit(db, { ...entry, projectId: null });
      });
      log.info(fields, 'backed up');
      return made;
    } finally {
      release();
    }
  });
}

/** Restores the newest backup of a folder into a temporary folder beside it, and throws that away. */
function drill(services: BackupServices, path: string): Promise<void> {
  const target = join(path, 'drill.partial');
  const { freeDiskBytes } = services.limits;
  return serialized(resolve(services.config.dataDir), async () => {
    try {
      await rm(target, { recursive: true, force: true });
      await inWorker(services, 'restore', { path, target, newKeys: false, freeDiskBytes });
      await services.database.write((db) => record(db, LAST_DRILL, services.clock()));
    } finally {
      await rm(target, { recursive: true, force: true });
    }
  });
}

async function record(db: Db, name: string, at: number): Promise<void> {
  const value = String(at);
  await db
    .insert(instance)
    .values({ name, value })
    .onConflictDoUpdate({ target: instance.name, set: { value } });
}

export function startSchedule(services: BackupServices): () => void {
  const { config, clock } = services;
  // What a killed process left of an archive that it was sending.
  void rm(join(resolve(config.dataDir), 'backup.partial'), { recursive: true, force: true }).catch(
    () => {},
  );
  if (config.backupDir === undefined) return () => {};
  let notBefore = 0;
  let isRunning = false;
  async function check(): Promise<void> {
    if (isRunning || clock() < notBefore) return;
    isRunning = true;
    if (!(await runDue(services))) notBefore = clock() + Math.min(HOUR_MS, config.backupEvery);
    isRunning = false;
  }
  const timer = setInterval(() => void check(), Math.min(MINUTE_MS, config.backupEvery));
  return () => clearInterval(timer);
}

/** Makes the backup that is due, then the drill. Gives whether all went well; never throws. */
export async function runDue(services: BackupServices): Promise<boolean> {
  const { config, clock, draining, faults, log, database } = services;
  if (config.backupDir === undefined) return true;
  const path = resolve(config.backupDir);
  async function attempt(check: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      faults.clear(check);
      return true;
    } catch (error) {
      if (draining()) return false;
      log.error({ err: error }, `${check} failed`);
      const [output = ''] = (error as Error).message.split('\n');
      faults.report(check, { status: 'warn', output });
      return false;
    }
  }
  const isMade = await attempt('backup:schedule', async () => {
    const newest = await newestManifest(path);
    if (newest && clock() - Date.parse(newest.createdAt) < config.backupEvery) return;
    await backUp(services, { kind: 'folder', path, keep: config.backupKeep }, {});
  });
  if (!isMade) return false;
  return attempt('backup:drill', async () => {
    const at = await readMoment(database.read, LAST_DRILL);
    if (at === undefined || clock() - at >= DRILL_EVERY_MS) await drill(services, path);
  });
}
