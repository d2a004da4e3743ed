// Has a worker do what would hold the event loop up.
import { resolve } from 'node:path';
import { startWorker } from '../runtime/worker.ts';
import type { Services } from '../services.ts';
import type { BackupJob, BackupReport } from './backup/make.ts';
import { BackupError, type OnBackupProgress } from './backup/manifest.ts';
import type { RestoreJob, RestoreReport } from './backup/restore.ts';
import type { Finding, Inspection } from './doctor/inspect.ts';

export interface Jobs {
  backup: { job: BackupJob; done: BackupReport };
  restore: { job: RestoreJob; done: RestoreReport };
  inspection: { job: Inspection; done: Finding[] };
}

export type WorkerJob = {
  [Kind in keyof Jobs]: { dataDir: string; kind: Kind; job: Jobs[Kind]['job'] };
}[keyof Jobs];

export type WorkerMessage =
  | { progress: Parameters<OnBackupProgress> }
  | { done: unknown }
  | { failed: string; isExpected: boolean };

interface Stopping extends Pick<Services, 'config'> {
  /** Calls back once when the service begins to stop. */
  whenStopping(listener: () => void): () => void;
}

/** @throws BackupError for what an administrator can mend, and when the service stops */
export async function inWorker<Kind extends keyof Jobs>(
  { config, whenStopping }: Stopping,
  kind: Kind,
  job: Jobs[Kind]['job'],
  onProgress: OnBackupProgress = () => {},
): Promise<Jobs[Kind]['done']> {
  const worker = startWorker('operations/worker.ts', { small: true });
  const end = Promise.withResolvers<Jobs[Kind]['done']>();
  let ended = false;
  const forget = whenStopping(() =>
    end.reject(new BackupError('the service is stopping: the work was broken off')),
  );
  worker.onerror = ({ message }) => end.reject(new Error(`the worker failed: ${message}`));
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
    if ('progress' in data) return onProgress(...data.progress);
    ended = true;
    if ('done' in data) end.resolve(data.done as Jobs[Kind]['done']);
    else end.reject(data.isExpected ? new BackupError(data.failed) : new Error(data.failed));
  };
  worker.postMessage({ dataDir: resolve(config.dataDir), kind, job });
  try {
    return await end.promise;
  } finally {
    forget();
    // One that is inside libSQL would take the whole process with it; the end of that ends it too.
    if (ended) worker.terminate();
  }
}
