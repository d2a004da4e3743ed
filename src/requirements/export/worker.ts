// The worker that writes large graphs, off the event loop of the server.
import { Problem } from '../../errors.ts';
import { yieldToOthers } from '../../runtime/worker.ts';
import { type WritingJob, type WritingMessage, writeJob } from './write-graph.ts';

declare const self: {
  onmessage: ((event: { data: WritingJob }) => void) | null;
  postMessage(message: WritingMessage, transfer?: ArrayBuffer[]): void;
};

yieldToOthers();
self.onmessage = async ({ data }) => {
  try {
    const done = await writeJob(data);
    self.postMessage({ done }, [done.bytes.buffer]);
  } catch (error) {
    if (error instanceof Problem) self.postMessage({ absent: true });
    else self.postMessage({ failed: (error as Error).stack ?? String(error) });
  }
};
