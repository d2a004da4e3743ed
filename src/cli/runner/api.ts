// Calls the API of a server: where it is, one try at a time, and again while its failure is one that passes.
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { client } from '../../client.ts';
import { type CommandCall, UsageError } from '../command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Connection {
  /** Of the server, without the prefix of the API and without a slash at its end. */
  url: string;
  token: string;
}

/**
 * Reads `--url` or PQRS_URL, and `--token-file`, PQRS_TOKEN_FILE or PQRS_TOKEN. The token itself never
 * stands in an argument.
 *
 * @throws UsageError where one is missing, no address, or a file that cannot be read
 */
export async function readConnection(
  call: Pick<CommandCall, 'text'>,
  environment: Environment,
): Promise<Connection> {
  const url = call.text('url') ?? environment.PQRS_URL;
  if (url === undefined || url === '') throw new UsageError('--url or PQRS_URL is required');
  const file = call.text('token-file') ?? (environment.PQRS_TOKEN_FILE || undefined);
  const text =
    file === undefined
      ? environment.PQRS_TOKEN
      : await readFile(file, 'utf8').catch(() => {
          throw new UsageError(`the token file ${file} cannot be read`);
        });
  const token = text?.trim() ?? '';
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(
      file === undefined
        ? '--token-file, PQRS_TOKEN_FILE or PQRS_TOKEN is required, and holds a token'
        : `there is no token in ${file}`,
    );
  return { url: baseUrl(url), token };
}

export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${text} is not the address of a server, such as http://127.0.0.1:4870`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError('the address of a server has no user, query or fragment');
  return url.href.replace(/\/+$/, '').replace(/\/api(?:\/v1)?$/, '');
}

export interface ApiRequest {
  method: 'GET' | 'POST';
  /** Below the prefix, with its query. */
  path: string;
  json?: unknown;
  /** A body that is no JSON. */
  body?: { mediaType: string; bytes: Uint8Array<ArrayBuffer> };
  idempotencyKey?: string;
  /** Until the whole answer is there. */
  timeoutMs?: number;
  /** Ends the request early. */
  signal?: AbortSignal | undefined;
}

export interface ApiAnswer {
  status: number;
  /** The JSON of the answer; undefined where it is none. */
  body: unknown;
  /** What `Retry-After` says. */
  retryAfterMs: number | undefined;
}

export class Unreachable extends Error {
  override name = 'Unreachable';
  /** Whether it may be different in a moment: not so where a certificate is wrong. */
  readonly isTransient: boolean;

  constructor(detail: string, isTransient: boolean) {
    super(detail);
    this.isTransient = isTransient;
  }
}

type Api = ReturnType<typeof client>;
type Data<Operation extends (...args: never[]) => Promise<{ data: unknown }>> = NonNullable<
  Awaited<ReturnType<Operation>>['data']
>;
export type RunAnswer = Data<Api['test-runs']['post']>;
export type RunStateAnswer = Data<Api['run-state']['post']>;

export type Send = (request: ApiRequest) => Promise<ApiAnswer>;

const TIMEOUT_MS = 30_000;
export const REPORT_TIMEOUT_MS = 5 * 60_000;

/**
 * A function that sends one request and gives its answer, whatever its status.
 *
 * @throws Unreachable where there is no answer; the reason of the signal that ended the request
 */
export function createSend({ url, token }: Connection): Send {
  return async ({ method, path, json, body, idempotencyKey, timeoutMs = TIMEOUT_MS, signal }) => {
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
    };
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    if (json !== undefined) headers['content-type'] = 'application/json';
    if (body !== undefined) headers['content-type'] = body.mediaType;
    const timeUp = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers,
        redirect: 'manual',
        body: json === undefined ? (body?.bytes ?? null) : JSON.stringify(json),
        signal: signal === undefined ? timeUp : AbortSignal.any([timeUp, signal]),
      });
      const text = await response.text();
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now());
      return { status: response.status, body: jsonOf(text), retryAfterMs };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (timeUp.aborted) throw new Unreachable(`no answer in ${timeoutMs} ms`, true);
      const { code, message } = error as { code?: unknown; message?: unknown };
      const isWrong = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_INVALID_URL/.test(String(code));
      throw new Unreachable(String(message ?? error), !isWrong);
    }
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The wait that a `Retry-After` asks for (RFC 9110, 10.2.3), in milliseconds. */
export function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** A problem as a line (RFC 9457): `409 lease_expired: The lease has run out.` */
export function describeRefusal({ status, body }: ApiAnswer): string {
  const { detail, errors } = (body ?? {}) as { detail?: unknown; errors?: unknown };
  const code = codeOf({ body });
  const fields = (Array.isArray(errors) ? errors : [])
    .slice(0, 5)
    .map((one) => `${one?.pointer} ${one?.detail}`);
  const texts = [typeof detail === 'string' ? detail : '', ...fields].filter(Boolean).join('; ');
  return `${status}${code === undefined ? '' : ` ${code}`}${texts === '' ? '' : `: ${texts}`}`;
}

export function codeOf({ body }: Pick<ApiAnswer, 'body'>): string | undefined {
  const { code } = (body ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

export interface Retrying {
  /** The moment (epoch, ms) after which no try begins; asked each time, since leases move it. */
  until(): number;
  /** Called before each wait. */
  onWait?(ms: number, why: string): void;
  /** Ends a wait early; the reason is thrown. */
  signal?: AbortSignal | undefined;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;
const LONGEST_ASKED_MS = 120_000;

export function isTransient({ status, retryAfterMs }: ApiAnswer): boolean {
  return (
    [408, 429, 502, 503, 504].includes(status) || (status === 409 && retryAfterMs !== undefined)
  );
}

/**
 * How long to wait before the next try: exponential, half of it random, and no shorter than the
 * server asks.
 */
export function backoffMs(failures: number, random: number, askedMs = 0): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 20));
  const own = Math.round(full * (0.5 + random / 2));
  return Math.max(own, Math.min(askedMs, LONGEST_ASKED_MS));
}

/**
 * Sends a request until there is an answer that does not pass, or the time is up.
 *
 * @returns the last answer, which may be one that passes where the time was up
 * @throws Unreachable where the time was up without an answer, or it is no use to try
 */
export async function persist(
  send: Send,
  request: ApiRequest,
  { until, onWait, signal }: Retrying,
): Promise<ApiAnswer> {
  for (let failures = 1; ; failures += 1) {
    const tried = await send({ signal, ...request }).catch((error: unknown) => {
      if (error instanceof Unreachable) return error;
      throw error;
    });
    const isGone = tried instanceof Unreachable;
    const ms = backoffMs(failures, Math.random(), isGone ? 0 : tried.retryAfterMs);
    if (!(isGone ? tried.isTransient : isTransient(tried)) || Date.now() + ms > until()) {
      if (isGone) throw tried;
      return tried;
    }
    onWait?.(ms, isGone ? tried.message : describeRefusal(tried));
    await pause(ms, signal);
  }
}

export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw signal?.reason;
  }
}
