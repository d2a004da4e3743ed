// The worker that reads large source sets, off the event loop of the server.
import { yieldToOthers } from '../../runtime/worker.ts';
import { type ImportJob, type ImportMessage, workOn } from './run-import.ts';

declare const self: {
  onmessage: ((event: { data: ImportJob }) => void) | null;
  postMessage(message: ImportMessage, transfer: ArrayBuffer[]): void;
};

yieldToOthers();
self.onmessage = ({ data }) => {
  workOn(data, (message, transfer) => self.postMessage(message, transfer));
};
