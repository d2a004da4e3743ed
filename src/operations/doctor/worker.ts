// The worker of the doctor, off the event loop of the server.
import { prepareNative } from '../../runtime/native.ts';
import { yieldToOthers } from '../../runtime/worker.ts';
import type { Finding } from './findings.ts';
import { type Inspection, inspect } from './inspect.ts';

declare const self: {
  onmessage: ((event: { data: Inspection }) => void) | null;
  postMessage(message: { findings: Finding[] } | { failed: string }): void;
};

yieldToOthers();

self.onmessage = async ({ data }) => {
  try {
    prepareNative(data.dataDir);
    self.postMessage({ findings: await inspect(data) });
  } catch (error) {
    self.postMessage({ failed: (error as Error).message });
  }
};
