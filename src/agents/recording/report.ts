// A report and files as they are received: hashed on the way, a small report in memory, what is large
// on disk, from where it is read as a stream.
import { createHash } from 'node:crypto';
import { Problem } from '../../errors.ts';
import type { usualKind } from '../../evidence/attachments/rows.ts';
import {
  FileAborted,
  type FileStore,
  FileTooLarge,
  type StagedFile,
} from '../../store/files/files.ts';

export interface ReceivedReport {
  /** As its sender says; undefined where that says nothing. */
  mediaType: string | undefined;
  /** Of the bytes as they came. */
  sha256: string;
  /** The bytes themselves, or the path of the file that holds them. */
  content: Uint8Array | string;
  drop(): Promise<void>;
}

export interface ReceivedFile {
  file: StagedFile;
  name: string;
  mediaType: string;
  kind: ReturnType<typeof usualKind>;
}

/** A report of fewer bytes is read in less time than a worker takes to start. */
const MAX_IN_MEMORY_BYTES = 128 * 1024;

/**
 * Receives a report.
 *
 * @throws Problem `too_large`, `malformed_body`; nothing is left of it then
 */
export async function receiveReport(
  store: FileStore,
  chunks: AsyncIterable<Uint8Array>,
  mediaType: string | undefined,
  limitBytes: number,
  signal: AbortSignal,
): Promise<ReceivedReport> {
  const source = chunks[Symbol.asyncIterator]();
  const start: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= MAX_IN_MEMORY_BYTES) {
    const { done, value } = await source.next();
    if (done) {
      const content = Buffer.concat(start);
      const sha256 = createHash('sha256').update(content).digest('hex');
      return { mediaType, sha256, content, drop: async () => {} };
    }
    bytes += value.byteLength;
    if (bytes > limitBytes) {
      await source.return?.();
      throw tooLarge(limitBytes);
    }
    start.push(value);
  }
  const file = await receiveFile(store, continued(start, source), limitBytes, signal);
  return { mediaType, sha256: file.sha256, content: file.path, drop: () => file.discard() };
}

async function* continued(
  start: Uint8Array[],
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* start.splice(0);
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}

/** Stages a file. @throws Problem `too_large`, `malformed_body` */
export async function receiveFile(
  store: FileStore,
  chunks: AsyncIterable<Uint8Array>,
  limitBytes: number,
  signal: AbortSignal,
): Promise<StagedFile> {
  try {
    return await store.receive(chunks, { limitBytes, signal });
  } catch (error) {
    if (error instanceof FileTooLarge) throw tooLarge(limitBytes);
    if (error instanceof FileAborted)
      throw new Problem('malformed_body', 'The body broke off.', { cause: error });
    throw error;
  }
}

function tooLarge(limit: number): Problem {
  return new Problem('too_large', `The body may have at most ${limit} bytes.`);
}
