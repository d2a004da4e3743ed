// A request's body, whole or as a stream, and how long its sender may take.

import { brokenOff, Problem, tooLarge } from '../../errors.ts';
import type { Limits } from '../../limits.ts';

export type BodyRate = Pick<Limits, 'bodySeconds' | 'bodyBytesPerSecond'>;

/**
 * Reads a whole body, and no byte more than the limit.
 * @param onChunk - is called with the bytes of each piece of a body that does not say its length
 * @throws Problem `too_large`, `timeout`, or `malformed_body` when it breaks off
 */
export async function readBody(
  request: Request,
  limitBytes: number,
  rate: BodyRate,
  onChunk?: (bytes: number) => void,
): Promise<Uint8Array> {
  const length = request.headers.get('content-length');
  if (length === null) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bodyChunks(request, limitBytes, rate)) {
      onChunk?.(chunk.byteLength);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
  const secondsLeft = rate.bodySeconds + Number(length) / rate.bodyBytesPerSecond;
  try {
    const bytes = await beforeTimeout(request.bytes(), { secondsLeft, reject: () => {} });
    if (bytes.byteLength > limitBytes) throw tooLarge(limitBytes);
    return bytes;
  } catch (cause) {
    throw brokenOff(cause);
  }
}

/**
 * The chunks of a body, to its end: one that breaks off, or that nobody sends any more, is an error.
 * @throws Problem `too_large`, `timeout`, `malformed_body`, out of the iteration
 */
export async function* bodyChunks(
  request: Request,
  limitBytes: number,
  { bodySeconds, bodyBytesPerSecond }: BodyRate,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = request.body?.getReader();
  if (reader === undefined) return;
  const { signal } = request;
  const length = request.headers.get('content-length');
  const timeout: BodyTimeout = { secondsLeft: bodySeconds, reject: () => {} };
  let bytes = 0;
  let whole = false;
  const abort = () => timeout.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await beforeTimeout(reader.read(), timeout);
      if (done) break;
      bytes += value.byteLength;
      if (bytes > limitBytes) throw tooLarge(limitBytes);
      const earned = value.byteLength / bodyBytesPerSecond;
      timeout.secondsLeft = Math.min(bodySeconds, timeout.secondsLeft + earned);
      yield value;
    }
    signal.throwIfAborted();
    if (length !== null && Number(length) !== bytes) throw new Error('the body is not whole');
    whole = true;
  } catch (cause) {
    throw brokenOff(cause);
  } finally {
    signal.removeEventListener('abort', abort);
    // A source that never answers again would never be cancelled either.
    if (!whole) reader.cancel().catch(() => {});
  }
}

interface BodyTimeout {
  /** For how long the sender may still be waited for. */
  secondsLeft: number;
  /** Ends the wait. */
  reject(reason: unknown): void;
}

const TICK_MS = 1000;
const waiting = new Set<BodyTimeout>();
let timer: ReturnType<typeof setInterval> | undefined;

function beforeTimeout<T>(read: Promise<T>, timeout: BodyTimeout): Promise<T> {
  return new Promise((resolve, reject) => {
    timeout.reject = reject;
    waiting.add(timeout);
    timer ??= setInterval(tick, TICK_MS).unref();
    read.then(
      (value) => {
        waiting.delete(timeout);
        resolve(value);
      },
      (error) => {
        waiting.delete(timeout);
        reject(error);
      },
    );
  });
}

// One timer for all bodies. It counts its ticks and reads no clock: while the event loop is busy,
// nobody sees what a sender sends.
function tick(): void {
  for (const timeout of waiting) {
    timeout.secondsLeft -= 1;
    if (timeout.secondsLeft >= 0) continue;
    waiting.delete(timeout);
    timeout.reject(tooSlow());
  }
  if (waiting.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

function tooSlow(): Problem {
  // RFC 9110, 15.5.9: the connection is closed, since the rest of the body may still come.
  return new Problem('timeout', 'The body came too slowly.', { headers: { Connection: 'close' } });
}
