// Calls the API of a server, one try at a time.
import type { Form } from './form.ts';

export interface Connection {
  /** Of the server, without the prefix of the API and without a slash at its end. */
  url: string;
  token: string;
}

export interface ApiRequest {
  method: 'GET' | 'POST';
  /** Below the prefix, with its query. */
  path: string;
  json?: unknown;
  form?: Form;
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

/** No answer came: the server is away, the name is unknown, the time is up. */
export class Unreachable extends Error {
  override name = 'Unreachable';
  /** Whether it may be different in a moment: not so where a certificate is wrong. */
  readonly isTransient: boolean;

  constructor(detail: string, isTransient: boolean) {
    super(detail);
    this.isTransient = isTransient;
  }
}

export type Send = (request: ApiRequest) => Promise<ApiAnswer>;

const TIMEOUT_MS = 30_000;

/**
 * A function that sends one request and gives its answer, whatever its status.
 *
 * @throws Unreachable where there is no answer; the form's own error where a file of it can't be read;
 *   the reason of the signal that ended the request
 */
export function createSend({ url, token }: Connection): Send {
  return async ({ method, path, json, form, idempotencyKey, timeoutMs = TIMEOUT_MS, signal }) => {
    const headers: Record<string, string> = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
    };
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    const init: RequestInit & { duplex?: 'half' } = { method, headers, redirect: 'manual' };
    if (json !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(json);
    } else if (form !== undefined) {
      headers['content-type'] = form.mediaType;
      headers['content-length'] = String(form.bytes);
      init.body = form.stream() as unknown as ReadableStream;
      init.duplex = 'half';
    }
    const timeUp = AbortSignal.timeout(timeoutMs);
    init.signal = signal === undefined ? timeUp : AbortSignal.any([timeUp, signal]);
    try {
      const response = await fetch(`${url}/api${path}`, init);
      const body = jsonOf(await response.text());
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now());
      return { status: response.status, body, retryAfterMs };
    } catch (error) {
      if (form?.fault() !== undefined) throw form.fault();
      if (signal?.aborted) throw signal.reason;
      throw unreachable(error, timeUp.aborted ? timeoutMs : undefined);
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

function unreachable(error: unknown, afterMs: number | undefined): Unreachable {
  if (afterMs !== undefined) return new Unreachable(`no answer in ${afterMs} ms`, true);
  const { code, message } = error as { code?: unknown; message?: unknown };
  const wrong = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_INVALID_URL/.test(String(code));
  return new Unreachable(String(message ?? error), !wrong);
}

/** The wait that a `Retry-After` asks for (RFC 9110 section 10.2.3), in milliseconds. */
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
  const fields = (Array.isArray(errors) ? errors : []).slice(0, 5).map((one) => {
    const { pointer, detail: why } = (one ?? {}) as { pointer?: unknown; detail?: unknown };
    return `${pointer} ${why}`;
  });
  const says = [typeof detail === 'string' ? detail : '', ...fields].filter((text) => text !== '');
  return `${status}${code === undefined ? '' : ` ${code}`}${says.length ? `: ${says.join('; ')}` : ''}`;
}

/** The code of a problem; undefined where the answer is none. */
export function codeOf({ body }: Pick<ApiAnswer, 'body'>): string | undefined {
  const { code } = (body ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
