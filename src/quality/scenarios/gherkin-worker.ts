// The worker that reads large Gherkin texts, off the event loop of the server.
import { yieldToOthers } from '../../runtime/worker.ts';
import { type GherkinRead, readScenarios } from './gherkin-reading.ts';

/** How a text was read, or why it could not be. */
export type GherkinMessage = { read: GherkinRead } | { failed: string };

declare const self: {
  onmessage: ((event: { data: Uint8Array }) => void) | null;
  postMessage(message: GherkinMessage): void;
};

yieldToOthers();
self.onmessage = ({ data }) => {
  try {
    self.postMessage({ read: readScenarios(data) });
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    self.postMessage({ failed });
  }
};
