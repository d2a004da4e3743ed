// The worker that reads large reports, off the event loop of the server. It reads no further than a
// few batches of rows ahead of what is stored.
import { yieldToOthers } from '../../runtime/worker.ts';
import {
  type FromWorker,
  type ReadHooks,
  type ReadJob,
  readRows,
  type ToWorker,
} from './reading.ts';

declare const self: {
  onmessage: ((event: { data: ToWorker }) => void) | null;
  postMessage(message: FromWorker): void;
};

yieldToOthers();

const waiting: ((answer: unknown) => void)[] = [];

self.onmessage = ({ data }) => {
  if ('job' in data) void read(data.job);
  else waiting.shift()?.(data.answer);
};

const asking =
  (ask: keyof ReadHooks) =>
  (...args: unknown[]) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      self.postMessage({ ask, args });
    });

async function read(job: ReadJob): Promise<void> {
  const hooks = { onFields: asking('onFields'), onRows: asking('onRows') } as ReadHooks;
  try {
    self.postMessage({ done: await readRows(job, hooks) });
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    self.postMessage({ failed });
  }
}
