// Backups of the instance that this process has open: one at a time, made in a worker.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { withoutSecrets } from '../../config.ts';
import { COMMAND_LINE, recordAudit, SERVICE } from '../../evidence/logs/audit.ts';
import { startWorker } from '../../runtime/worker.ts';
import type { Services } from '../../services.ts';
import { keyedLock } from '../../store/client/keyed-lock.ts';
import type { Db } from '../../store/database.ts';
import { instance } from '../../store/tables/projects.ts';
import { VERSION } from '../../version.ts';
import { LAST_BACKUP, LAST_DRILL } from '../probes/readiness.ts';
import type { BackupReport, BackupTarget } from './make.ts';
import type { OnBackupProgress } from './manifest.ts';
import { BackupError } from './manifest.ts';
import type { RestoreReport } from './restore.ts';
import type { WorkerJob, WorkerMessage } from './worker.ts';

export interface BackupServices
  extends Pick<Services, 'clock' | 'config' | 'database' | 'faults' | 'files' | 'limits' | 'log'> {
  draining(): boolean;
  /** Calls back once when the service begins to stop. */
  whenStopping(listener: () => void): () => void;
}

const serialized = keyedLock();

/**
 * Makes a backup of the open instance and records when.
 *
 * @param sealedKeys - in base64, as `sealKeys` makes them
 * @throws BackupError where it cannot be made
 */
export function backUp(
  services: BackupServices,
  target: BackupTarget,
  { sealedKeys = null, paced = true }: { sealedKeys?: string | null; paced?: boolean },
  onProgress: OnBackupProgress = () => {},
): Promise<BackupReport> {
  const { config, database, files, limits, log } = services;
  if (database.kind === 'server') {
    throw new BackupError(
      'the database is on a libSQL server: back it up there, and the folders files and keys beside it',
    );
  }
  const dataDir = resolve(config.dataDir);
  return serialized(dataDir, async () => {
    const release = files.hold();
    try {
      const backup = {
        dataDir,
        target,
        version: VERSION,
        sealedKeys,
        paced,
        settings: withoutSecrets(config),
        freeDiskBytes: limits.freeDiskBytes,
      };
      const made = await inWorker(services, { dataDir, backup }, onProgress);
      if (!('backup' in made)) throw new Error('not a backup');
      const { createdAt, missing, files: stored, bytes } = made.backup;
      await database.write(async (db) => {
        await record(db, LAST_BACKUP, Date.parse(createdAt));
        await recordAudit(db, {
          projectId: null,
          action: 'backup.made',
          actor: target.kind === 'folder' ? SERVICE : COMMAND_LINE,
          fields: { target: target.kind, files: stored, bytes, missing: missing.length },
          now: services.clock(),
        });
      });
      log.info({ target: target.kind, files: stored, bytes, missing: missing.length }, 'backed up');
      return made.backup;
    } finally {
      release();
    }
  });
}

/**
 * Restores the newest backup of a folder into a temporary folder beside it, verified, and throws that away.
 *
 * @throws BackupError where it cannot be restored
 */
export function drill(services: BackupServices, folder: string): Promise<RestoreReport> {
  const dataDir = resolve(services.config.dataDir);
  const target = join(folder, 'drill.partial');
  const { freeDiskBytes } = services.limits;
  return serialized(dataDir, async () => {
    try {
      const restore = { path: folder, target, newKeys: false, freeDiskBytes };
      await rm(target, { recursive: true, force: true });
      const done = await inWorker(services, { dataDir, restore }, () => {});
      if (!('restore' in done)) throw new Error('not a restore');
      await services.database.write((db) => record(db, LAST_DRILL, services.clock()));
      return done.restore;
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

async function inWorker(
  services: BackupServices,
  job: WorkerJob,
  onProgress: OnBackupProgress,
): Promise<WorkerMessage> {
  const worker = startWorker('operations/backup/worker.ts', { small: true });
  const end = Promise.withResolvers<WorkerMessage>();
  let ended = false;
  const forget = services.whenStopping(() =>
    end.reject(new BackupError('the service is stopping: the backup was broken off')),
  );
  worker.onerror = ({ message }) => end.reject(new Error(`the backup worker failed: ${message}`));
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
    if ('progress' in data) return onProgress(...data.progress);
    ended = true;
    if (!('failed' in data)) end.resolve(data);
    else end.reject(data.expected ? new BackupError(data.failed) : new Error(data.failed));
  };
  worker.postMessage(job);
  try {
    return await end.promise;
  } finally {
    forget();
    // One that is inside libSQL would take the whole process with it; the end of that ends it too.
    if (ended) worker.terminate();
  }
}
