// Large bodies of responses: files on disk, on Bun by the system's own copying from file to socket and
// elsewhere as a stream, and bytes in memory.

interface BunFiles {
  file(path: string): { slice(start: number, end: number): Blob } & Blob;
}

/**
 * The body of a response that sends a file or a part of it.
 * @param range - first and last byte, or undefined for the whole
 * @param read - reads it in chunks, where the runtime cannot send files itself
 */
export function fileBody(
  path: string,
  range: { start: number; end: number } | undefined,
  read: () => AsyncIterable<Uint8Array>,
): Blob | ReadableStream<Uint8Array> {
  const bun = (globalThis as { Bun?: BunFiles }).Bun;
  if (bun) {
    const file = bun.file(path);
    return range ? file.slice(range.start, range.end + 1) : file;
  }
  const chunks = read()[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}

const STREAMED_BYTES = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** The body of a response that sends bytes: of many, Bun would copy all before it sends the first. */
export function bytesBody(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.byteLength <= STREAMED_BYTES) return bytes;
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES));
      at += CHUNK_BYTES;
      if (at >= bytes.byteLength) controller.close();
    },
  });
}
