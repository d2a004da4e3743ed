// The worker of backups, drills and the doctor, off the event loop of the server.
import { prepareNative } from '../runtime/native.ts';
import { yieldToOthers } from '../runtime/worker.ts';
import { BACKUP_NICE, createPace } from './backup/files.ts';
import { makeBackup } from './backup/make.ts';
import { BackupError, type BackupStage, type OnBackupProgress } from './backup/manifest.ts';
import { restoreBackup } from './backup/restore.ts';
import { inspect } from './doctor/inspect.ts';
import type { Jobs, WorkerJob, WorkerMessage } from './in-worker.ts';

declare const self: {
  onmessage: ((event: { data: WorkerJob }) => void) | null;
  postMessage(message: WorkerMessage): void;
};

const PROGRESS_EVERY_MS = 100;

const WORK: {
  [Kind in keyof Jobs]: (
    job: Jobs[Kind]['job'],
    onProgress: OnBackupProgress,
  ) => Promise<Jobs[Kind]['done']>;
} = {
  backup: makeBackup,
  restore(job, onProgress) {
    yieldToOthers(BACKUP_NICE);
    return restoreBackup(job, { pace: createPace(), onProgress });
  },
  inspection(job) {
    yieldToOthers();
    return inspect(job);
  },
};

self.onmessage = async ({ data: { dataDir, kind, job } }) => {
  let reportedAt = 0;
  let reported: BackupStage | undefined;
  function onProgress(...progress: Parameters<OnBackupProgress>): void {
    const [stage] = progress;
    if (stage === reported && performance.now() - reportedAt < PROGRESS_EVERY_MS) return;
    reportedAt = performance.now();
    reported = stage;
    self.postMessage({ progress });
  }
  try {
    prepareNative(dataDir);
    self.postMessage({ done: await WORK[kind](job as never, onProgress) });
  } catch (error) {
    const { message, stack } = error as Error;
    // Errors of the system say what was tried, where, and why it failed.
    const isExpected = error instanceof BackupError || 'syscall' in (error as object);
    self.postMessage({ failed: isExpected ? message : (stack ?? message), isExpected });
  }
};
