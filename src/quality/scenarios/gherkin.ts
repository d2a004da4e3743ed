// Scenarios that come as Gherkin text, read as a source of the project is: large texts in a worker.
import { isUtf8 } from 'node:buffer';
import { invalid, Problem } from '../../errors.ts';
import { startWorker } from '../../runtime/worker.ts';
import type { GherkinRead } from './gherkin-reading.ts';
import type { GherkinMessage } from './gherkin-worker.ts';
import { MAX_CONTENT, MAX_SCENARIOS } from './model.ts';

export class GherkinText {
  readonly read: GherkinRead;
  constructor(read: GherkinRead) {
    this.read = read;
  }
}

/** A text of fewer bytes is read in less time than a worker takes to start. */
const AT_ONCE_BYTES = 64 * 1024;

/**
 * Reads the text of a feature.
 *
 * @throws Problem `malformed_body` for what is not UTF-8, `invalid` for NUL
 */
export async function readGherkinText(bytes: Uint8Array): Promise<GherkinText> {
  if (!isUtf8(bytes)) throw new Problem('malformed_body', 'The body is not UTF-8.');
  if (bytes.includes(0)) throw invalid('', 'must not hold the character NUL');
  if (bytes.byteLength > AT_ONCE_BYTES) return new GherkinText(await readInWorker(bytes));
  const { readScenarios } = await import('./gherkin-reading.ts');
  return new GherkinText(readScenarios(bytes));
}

async function readInWorker(bytes: Uint8Array): Promise<GherkinRead> {
  const worker = startWorker('quality/scenarios/gherkin-worker.ts');
  try {
    return await new Promise<GherkinRead>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`the Gherkin was not read: ${why}`));
      worker.onmessage = ({ data }: MessageEvent<GherkinMessage>) => {
        if ('read' in data) resolve(data.read);
        else fail(data.failed);
      };
      worker.onerror = ({ message }) => fail(message);
      worker.postMessage(bytes);
    });
  } finally {
    worker.terminate();
  }
}

/** @throws Problem `invalid` where something of the text could not be read, with the lines */
export function requireReadable({ faults, count, content }: GherkinRead): void {
  if (faults.length > 0) {
    const errors = faults.map(({ line, detail }) => ({ pointer: '', detail: lined(line, detail) }));
    throw new Problem('invalid', 'The Gherkin cannot be read.', { errors });
  }
  if (count === 0) throw invalid('', 'must hold at least one scenario');
  if (count > MAX_SCENARIOS)
    throw invalid('', `holds ${count} scenarios; at most ${MAX_SCENARIOS} go together`);
  if (content > MAX_CONTENT) {
    const said = `${content} characters, with the background in each`;
    throw invalid('', `its scenarios hold ${said}; at most ${MAX_CONTENT} go together`);
  }
}

export function lined(line: number, detail: string): string {
  return line > 0 ? `line ${line}: ${detail}` : detail;
}
