// The worker that reads large source sets, off the event loop of the server.
import { type ImportedText, type ImportJob, importText } from './run-import.ts';

declare const self: {
  onmessage: ((event: { data: ImportJob }) => void) | null;
  postMessage(message: { done: ImportedText } | { failed: string }): void;
};

self.onmessage = ({ data }) => {
  try {
    self.postMessage({ done: importText(data) });
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    self.postMessage({ failed });
  }
};
