// A report and files as they are received: hashed on the way, a small report in memory, what is large
// on disk, from where it is read as a stream.
import { createHash } from 'node:crypto';
import type { AttachedFile } from '../../evidence/attachments/rows.ts';
import type { FileStore, StagedFile } from '../../store/files/files.ts';

export interface ReceivedReport {
  mediaType: string | undefined;
  sha256: string;
  /** The bytes themselves, or the path of the file that holds them. */
  content: Uint8Array | string;
  drop(): Promise<void>;
}

export interface ReceivedFile extends Pick<AttachedFile, 'name' | 'mediaType' | 'kind'> {
  file: StagedFile;
}

/** A report of fewer bytes is read in less time than a worker takes to start. */
const MAX_IN_MEMORY_BYTES = 128 * 1024;

export async function receiveReport(
  store: FileStore,
  chunks: AsyncIterable<Uint8Array>,
  mediaType: string | undefined,
  limitBytes: number,
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
    start.push(value);
    if (bytes > limitBytes) break;
  }
  const file = await store.receive(continued(start, source), { limitBytes });
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
