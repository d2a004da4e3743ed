// Reads a report where it disturbs nobody: a small one at once, a large one in a worker.
import type { FieldFault } from '../../quality/reports/model.ts';
import type { RowBatch } from '../../quality/runs/rows.ts';
import { startWorker } from '../../runtime/worker.ts';
import { type ReadHooks, type ReadJob, type ReadRows, readRows } from './rows.ts';

/** What the worker is told: its job, what must not be stored, that the first batch under way is. */
export type ReadRequest = { job: ReadJob } | { secrets: readonly string[] } | { stored: true };

/** What it says: fields and rows, which it waits to be answered; how it ended. */
export type ReadMessage =
  | { fields: Record<string, unknown>; faults: readonly FieldFault[] }
  | { rows: RowBatch }
  | { done: ReadRows }
  | { failed: string };

/**
 * Reads a report, and no faster than its rows are taken.
 *
 * @throws what the hooks throw
 */
export function readRowsAside(job: ReadJob, hooks: ReadHooks): Promise<ReadRows> {
  return typeof job.content === 'string' ? inWorker(job, hooks) : readRows(job, hooks);
}

async function inWorker(job: ReadJob, hooks: ReadHooks): Promise<ReadRows> {
  const worker = startWorker('agents/recording/worker.ts', { small: true });
  const end = Promise.withResolvers<ReadRows>();
  const tell = (request: ReadRequest) => worker.postMessage(request);
  worker.onerror = ({ message }) => end.reject(new Error(`reading a report failed: ${message}`));
  let ended = false;
  let storing = Promise.resolve();
  worker.onmessage = ({ data }: MessageEvent<ReadMessage>) => {
    if ('rows' in data) {
      storing = storing.then(async () => {
        if (ended) return;
        await hooks.onRows(data.rows);
        tell({ stored: true });
      });
      storing.catch(end.reject);
    } else if ('fields' in data) {
      hooks
        .onFields(data.fields, data.faults)
        .then((secrets) => tell({ secrets }))
        .catch(end.reject);
    } else if ('done' in data) end.resolve(data.done);
    else end.reject(new Error(`reading a report failed: ${data.failed}`));
  };
  tell({ job });
  try {
    return await end.promise;
  } finally {
    ended = true;
    worker.terminate();
    // What is being stored is there before the caller takes it away.
    await storing.catch(() => {});
  }
}
