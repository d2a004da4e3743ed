// A report that was received whole, hashed on the way: a small one in memory, a large one on disk,
// from where it is read as a stream.
import { createHash } from 'node:crypto';
import { Problem } from '../../errors.ts';
import { tooLarge } from '../../http/api/body.ts';
import { FileAborted, type FileStore, FileTooLarge } from '../../store/files/files.ts';

export interface HeldReport {
  /** As its sender says; undefined where that tells nothing. */
  mediaType: string | undefined;
  bytes: number;
  /** Of the bytes as they came. */
  sha256: string;
  /** The bytes themselves, or the path of the file that holds them. */
  content: Uint8Array | string;
  /** Takes the file away. */
  drop(): Promise<void>;
}

/** A report of fewer bytes is read in less time than a worker takes to start. */
const AT_ONCE_BYTES = 128 * 1024;

/**
 * Receives a report.
 *
 * @throws Problem `too_large`, `malformed_body`; nothing is left of it then
 */
export async function holdReport(
  files: FileStore,
  chunks: AsyncIterable<Uint8Array>,
  options: { limitBytes: number; mediaType: string | undefined; signal?: AbortSignal },
): Promise<HeldReport> {
  const { limitBytes, mediaType, signal } = options;
  const source = chunks[Symbol.asyncIterator]();
  const start: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= AT_ONCE_BYTES) {
    const { done, value } = await source.next();
    if (done) return inMemory(start, mediaType);
    bytes += value.byteLength;
    if (bytes > limitBytes) {
      await source.return?.();
      throw tooLarge(limitBytes);
    }
    start.push(value);
  }
  try {
    const limits = { limitBytes, ...(signal === undefined ? {} : { signal }) };
    const file = await files.receive(continued(start, source), limits);
    const { sha256, path } = file;
    return { mediaType, sha256, bytes: file.bytes, content: path, drop: () => file.discard() };
  } catch (error) {
    if (error instanceof FileTooLarge) throw tooLarge(limitBytes);
    if (error instanceof FileAborted)
      throw new Problem('malformed_body', 'The body broke off.', { cause: error });
    throw error;
  }
}

function inMemory(chunks: Uint8Array[], mediaType: string | undefined): HeldReport {
  const content = Buffer.concat(chunks);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { mediaType, bytes: content.byteLength, sha256, content, drop: async () => {} };
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
