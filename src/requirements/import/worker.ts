// The worker that reads large source sets, off the event loop of the server.
import { collectNow, yieldToOthers } from '../../runtime/worker.ts';
import {
  type GraphBytes,
  type ImportJob,
  type ImportMessage,
  importText,
  movable,
} from './run-import.ts';

declare const self: {
  onmessage: ((event: { data: ImportJob }) => void) | null;
  postMessage(message: ImportMessage, transfer?: ArrayBuffer[]): void;
};

const buffersOf = (texts: GraphBytes) => texts.map(({ buffer }) => buffer);

yieldToOthers();
self.onmessage = ({ data }) => {
  try {
    const onGraph = (graph: GraphBytes) => self.postMessage({ graph }, buffersOf(graph));
    const done = importText(data, onGraph, () => {
      // The files go back: they would lie here beside all that is still to be made.
      self.postMessage({ parsed: data.files }, movable(data.files));
      for (const file of data.files) file.bytes = new Uint8Array();
      collectNow();
    });
    self.postMessage({ done }, buffersOf([done.findings, done.catalog]));
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    self.postMessage({ failed });
  }
};
