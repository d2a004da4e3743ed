// Sends a request again while its failure is one that passes: the server is away, busy or ends.
import { setTimeout } from 'node:timers/promises';
import { type ApiAnswer, describeRefusal, Unreachable } from './api-client.ts';

export interface Retrying {
  /** The moment (epoch, ms) after which no try begins; asked each time, since leases move it. */
  until(): number;
  /** Is told of each wait before it. */
  onWait?: ((ms: number, why: string) => void) | undefined;
  /** Ends a wait early; the reason is thrown. */
  signal?: AbortSignal | undefined;
  random?: () => number;
  now?: () => number;
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;
/** No server is waited for longer than this at a time, whatever it asks. */
const LONGEST_ASKED_MS = 120_000;

/** Whether an answer tells of what passes. A 409 with `Retry-After` is the same request under way. */
export function isTransient({ status, retryAfterMs }: ApiAnswer): boolean {
  return (
    [408, 429, 502, 503, 504].includes(status) || (status === 409 && retryAfterMs !== undefined)
  );
}

/**
 * How long to wait before the next try: exponential, half of it random, and no shorter than the
 * server asks.
 *
 * @param failures - tries so far, from 1
 * @param random - from 0 to 1
 */
export function backoffMs(
  failures: number,
  random: number,
  askedMs: number | undefined = undefined,
): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 20));
  const own = Math.round(full * (0.5 + random / 2));
  return Math.max(own, Math.min(askedMs ?? 0, LONGEST_ASKED_MS));
}

/**
 * Tries until there is an answer that does not pass, or the time is up.
 *
 * @returns the last answer, which may be one that passes where the time was up
 * @throws Unreachable where the time was up without an answer, or it is no use to try
 */
export async function persist(
  once: () => Promise<ApiAnswer>,
  retrying: Retrying,
): Promise<ApiAnswer> {
  const { until, onWait, signal, random = Math.random, now = Date.now } = retrying;
  const wait = retrying.wait ?? pause;
  for (let failures = 1; ; failures += 1) {
    const tried = await attempt(once);
    if (!isAgain(tried)) return outcomeOf(tried);
    const asked = 'answer' in tried ? tried.answer.retryAfterMs : undefined;
    const ms = backoffMs(failures, random(), asked);
    if (now() + ms > until()) return outcomeOf(tried);
    onWait?.(ms, 'answer' in tried ? describeRefusal(tried.answer) : tried.error.message);
    await wait(ms, signal);
  }
}

type Tried = { answer: ApiAnswer } | { error: Unreachable };

async function attempt(once: () => Promise<ApiAnswer>): Promise<Tried> {
  try {
    return { answer: await once() };
  } catch (error) {
    if (error instanceof Unreachable) return { error };
    throw error;
  }
}

function isAgain(tried: Tried): boolean {
  return 'answer' in tried ? isTransient(tried.answer) : tried.error.isTransient;
}

function outcomeOf(tried: Tried): ApiAnswer {
  if ('answer' in tried) return tried.answer;
  throw tried.error;
}

/** Waits, unless the signal ends it, whose reason is thrown. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw signal?.reason;
  }
}
