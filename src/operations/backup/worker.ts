// The worker of backups and drills, off the event loop of the server.
import { prepareNative } from '../../runtime/native.ts';
import { yieldToOthers } from '../../runtime/worker.ts';
import { BACKUP_NICE, createPace } from './files.ts';
import { type BackupJob, type BackupReport, makeBackup } from './make.ts';
import type { BackupStage } from './manifest.ts';
import { BackupError } from './manifest.ts';
import { type RestoreJob, type RestoreReport, restoreBackup } from './restore.ts';

export type WorkerJob = { dataDir: string } & ({ backup: BackupJob } | { restore: RestoreJob });
export type WorkerMessage =
  | { progress: [stage: BackupStage, done: number, total: number] }
  | { backup: BackupReport }
  | { restore: RestoreReport }
  | { failed: string; expected: boolean };

declare const self: {
  onmessage: ((event: { data: WorkerJob }) => void) | null;
  postMessage(message: WorkerMessage): void;
};

const PROGRESS_EVERY_MS = 100;

self.onmessage = ({ data }) => void work(data);

async function work(job: WorkerJob): Promise<void> {
  let reportedAt = 0;
  let stage: BackupStage | undefined;
  function onProgress(...progress: [BackupStage, number, number]): void {
    if (progress[0] === stage && performance.now() - reportedAt < PROGRESS_EVERY_MS) return;
    reportedAt = performance.now();
    stage = progress[0];
    self.postMessage({ progress });
  }
  try {
    prepareNative(job.dataDir);
    if ('backup' in job) self.postMessage({ backup: await makeBackup(job.backup, onProgress) });
    else {
      yieldToOthers(BACKUP_NICE);
      self.postMessage({
        restore: await restoreBackup(job.restore, { pace: createPace(), onProgress }),
      });
    }
  } catch (error) {
    const { message, stack } = error as NodeJS.ErrnoException;
    // Errors of the system say what was tried, where, and why it failed.
    const expected =
      error instanceof BackupError || (error as { syscall?: string }).syscall !== undefined;
    self.postMessage({ failed: expected ? message : (stack ?? message), expected });
  }
}
