// A request's body as a stream, for handlers that read it themselves.
import { tooLarge } from './body.ts';
import { Problem } from './problem.ts';

/**
 * The chunks of a body, to its end: one that breaks off, or that nobody sends any more, is an error.
 *
 * @param limitBytes - no chunk that goes beyond is given
 * @throws Problem `too_large`, `malformed_body`, out of the iteration
 */
export async function* bodyChunks(
  request: Request,
  limitBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = request.body?.getReader();
  if (reader === undefined) return;
  const { signal } = request;
  const length = request.headers.get('content-length');
  let bytes = 0;
  let whole = false;
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted.promise]);
      if (done) break;
      bytes += value.byteLength;
      if (bytes > limitBytes) throw tooLarge(limitBytes);
      yield value;
    }
    signal.throwIfAborted();
    if (length !== null && Number(length) !== bytes) throw new Error('the body is not whole');
    whole = true;
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('malformed_body', 'The body broke off.', { cause });
  } finally {
    signal.removeEventListener('abort', abort);
    // A source that never answers again would never be cancelled either.
    if (!whole) reader.cancel().catch(() => {});
  }
}
