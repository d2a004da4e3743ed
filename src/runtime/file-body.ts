// A file on disk as the body of a response: on Bun by the system's own copying from file to
// socket, elsewhere as a stream.

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
