// The worker that reads large source sets, off the event loop of the server.
import { collectNow } from '../../runtime/memory.ts';
import { yieldToOthers } from '../../runtime/worker.ts';
import { seldom } from './progress.ts';
import { type ImportJob, type ImportMessage, importText } from './run-import.ts';

declare const self: {
  onmessage: ((event: { data: ImportJob }) => void) | null;
  postMessage(message: ImportMessage, transfer?: ArrayBuffer[]): void;
};

yieldToOthers();
self.onmessage = ({ data }) => {
  try {
    const onProgress = seldom((...progress) => self.postMessage({ progress }));
    const done = importText(data, onProgress);
    const texts = [done.graph, done.findings, done.catalog];
    self.postMessage(
      { done },
      texts.map(({ buffer }) => buffer),
    );
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    self.postMessage({ failed });
  }
  // It may wait for a while for the next one.
  setTimeout(collectNow);
};
