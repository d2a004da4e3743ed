// A process of its own that reads a report without an end: in that of the tests, what other tests
// leave behind or let go meanwhile would be measured too. Arguments: how it starts, and what comes
// again and again. Prints a reading as JSON.
import { judgeRun } from '../../../src/quality/runs/verdict.ts';
import { readAll } from './read-all.ts';

const PIECES = 512;
const PIECE_BYTES = 64 * 1024;

export interface EndlessReading {
  /** Bytes by which the heap grew at the most, over eight readings of it. */
  grown: number;
  /** Bytes that came. */
  read: number;
  status: string;
  results: number;
}

/** Starts it. @throws where it fails */
export async function readEndless(start: string, more: string): Promise<EndlessReading> {
  const command = [process.execPath, import.meta.path, start, more];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
  return JSON.parse(await new Response(child.stdout).text()) as EndlessReading;
}

function heapUsed(): number {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
}

if (import.meta.main) {
  const [start = '', more = ''] = process.argv.slice(2);
  const encoder = new TextEncoder();
  const piece = encoder.encode(more.repeat(Math.ceil(PIECE_BYTES / more.length)));
  const before = heapUsed();
  let grown = 0;
  let read = 0;
  function* chunks() {
    yield encoder.encode(start);
    for (let at = 1; at <= PIECES; at += 1) {
      yield piece;
      read += piece.byteLength;
      if (at % 64 === 0) grown = Math.max(grown, heapUsed() - before);
    }
  }
  const { results, summary } = await readAll(chunks());
  const { status } = judgeRun({ report: summary });
  const reading: EndlessReading = { grown, read, status, results: results.length };
  console.log(JSON.stringify(reading));
}
