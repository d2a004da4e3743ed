// The worker that reads large reports, off the event loop of the server. It reads no further than a
// few batches of rows ahead of what is stored.
import { yieldToOthers } from '../../runtime/worker.ts';
import { type ReadJob, type ReadMessage, type ReadRequest, readRows } from './reading.ts';

declare const self: {
  onmessage: ((event: { data: ReadRequest }) => void) | null;
  postMessage(message: ReadMessage): void;
};

yieldToOthers();

let forFields: ((secrets: readonly string[]) => void) | undefined;
const stored: (() => void)[] = [];

self.onmessage = ({ data }) => {
  if ('secrets' in data) forFields?.(data.secrets);
  else if ('stored' in data) stored.shift()?.();
  else void read(data.job);
};

async function read(job: ReadJob): Promise<void> {
  try {
    const done = await readRows(job, {
      onFields: (fields, faults) =>
        new Promise((resolve) => {
          forFields = resolve;
          self.postMessage({ fields, faults });
        }),
      onRows: (rows) =>
        new Promise((resolve) => {
          stored.push(resolve);
          self.postMessage({ rows });
        }),
    });
    self.postMessage({ done });
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    self.postMessage({ failed });
  }
}
