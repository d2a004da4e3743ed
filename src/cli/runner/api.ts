// The API of a running server through its typed client: where it is, and what is tried again.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { client } from '../../client.ts';
import { type CommandCall, CommandFailed, UsageError } from '../command.ts';

export type Api = ReturnType<typeof client>;

export interface Connection {
  /** Of the server, without the prefix of the API and without a slash at its end. */
  url: string;
  token: string;
  /** Certificates that are trusted; those of the system unless given. */
  ca?: readonly string[] | undefined;
}

/** The token itself never stands in an argument. @throws UsageError */
export async function readConnection(
  call: Pick<CommandCall, 'text'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Connection> {
  const url = call.text('url') || environment.PQRS_URL;
  if (!url) throw new UsageError('--url or PQRS_URL is required');
  const file = call.text('token-file') ?? (environment.PQRS_TOKEN_FILE || undefined);
  const text =
    file === undefined
      ? environment.PQRS_TOKEN
      : await readFile(file, 'utf8').catch(() => {
          throw new UsageError(`the token file ${file} cannot be read`);
        });
  const token = text?.trim() ?? '';
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError('--token-file, PQRS_TOKEN_FILE or PQRS_TOKEN must hold a token');
  const ca = call.text('ca');
  return { url: baseUrl(url), token, ca: ca === undefined ? undefined : await readAuthority(ca) };
}

async function readAuthority(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(`--ca: ${path} cannot be read`);
  });
  try {
    return [...rootCertificates, new X509Certificate(text) && text];
  } catch {
    throw new UsageError(`--ca: ${path} holds no certificate (PEM)`);
  }
}

export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${text} is not the address of a server, such as http://127.0.0.1:4870`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError('the address of a server has no user, query or fragment');
  return url.href.replace(/\/+$/, '').replace(/\/api(?:\/v1)?$/, '');
}

export class Unreachable extends CommandFailed {
  override name = 'Unreachable';
  override readonly exitCode = 2;
  /** Whether it is as it is when tried again. */
  readonly isLasting: boolean;

  constructor(message: string, isLasting = false) {
    super(message);
    this.isLasting = isLasting;
  }
}

/** The server has answered with a problem (RFC 9457): `409 lease_expired: The lease has run out.` */
export class Refused extends CommandFailed {
  override name = 'Refused';
  readonly status: number;
  readonly code: string | undefined;
  readonly errors: ProblemBody['errors'];

  constructor(status: number, body: unknown, what?: string) {
    const { code, detail, errors = [] } = (body ?? {}) as Partial<ProblemBody>;
    const fields = errors.slice(0, 5).map((one) => `${one.pointer} ${one.detail}`);
    const head = [status, code].filter(Boolean).join(' ');
    const line = [head, [detail, ...fields].filter(Boolean).join('; ')].filter(Boolean).join(': ');
    super(what === undefined ? line : `${what}: ${line}`);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  /** Whether it is a matter of what was sent, and not of who sent it. */
  get isOfBody(): boolean {
    return [400, 409, 413, 415, 422].includes(this.status);
  }
}

interface ProblemBody {
  code: string;
  detail: string;
  errors: { pointer: string; detail: string }[];
}

export interface Patience {
  /** The moment (epoch, ms) of the last try; asked each time, since leases move it. */
  until(): number;
  onWait(ms: number, why: string): void;
  /** Ends a try or a wait early; its reason is thrown. */
  signal?: AbortSignal | undefined;
  /** For one try, until the whole answer is there. */
  timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 30_000;
export const REPORT_TIMEOUT_MS = 5 * 60_000;

/** A client that tries a request again which fails for a reason that passes. */
export function connect(connection: Connection, patience: Patience): Api {
  const { url, token } = connection;
  const fetcher = async (target: string, init: RequestInit) => {
    for (let failures = 1; ; failures += 1) {
      const tried = await tryOnce(connection, target, init, patience);
      const isGone = tried instanceof Unreachable;
      const leftMs = patience.until() - Date.now();
      if (leftMs <= 0 || !(isGone ? !tried.isLasting : isTransient(tried))) {
        if (isGone) throw tried;
        return tried;
      }
      const askedMs = isGone ? 0 : Number(tried.headers.get('retry-after')) * 1000 || 0;
      const ms = Math.min(leftMs, backoffMs(failures, Math.random(), askedMs));
      patience.onWait(ms, isGone ? tried.message : `the server answers ${tried.status}`);
      await pause(ms, patience.signal);
    }
  };
  return client(url, token, fetcher as unknown as typeof fetch);
}

async function tryOnce(
  { url, ca }: Connection,
  target: string,
  init: RequestInit,
  { signal, timeoutMs = TIMEOUT_MS }: Patience,
): Promise<Response | Unreachable> {
  const timeUp = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? timeUp : AbortSignal.any([timeUp, signal]);
  try {
    const tls = ca === undefined ? {} : { tls: { ca: [...ca] } };
    const response = await fetch(target, { ...init, ...tls, redirect: 'manual', signal: either });
    return new Response(await response.arrayBuffer(), response);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (timeUp.aborted)
      return new Unreachable(`${url} cannot be reached: no answer in ${timeoutMs} ms`);
    const { code = 'no answer' } = error as { code?: string };
    const [, why = code, isLasting] = FAULTS.find(([codes]) => codes.test(code)) ?? [];
    return new Unreachable(`${url} cannot be reached: ${why}`, isLasting);
  }
}

/** What the codes of Bun and OpenSSL mean, and whether trying again is of no use. */
const FAULTS: readonly [codes: RegExp, why: string, isLasting: boolean][] = [
  [/^ECONNREFUSED$/, 'nothing listens there (connection refused)', false],
  [/^(?:ENOTFOUND|EAI_AGAIN|ENODATA)$/, 'its name is not known', false],
  [/^(?:ECONNRESET|EPIPE)$/, 'the connection was closed without an answer', false],
  [/^(?:ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)$/, 'there is no way to it', false],
  [/^EPROTO$/, 'it does not speak TLS there', true],
  [/ALTNAME/, 'its certificate is for another name', true],
  [/^CERT_/, 'its certificate is not valid now (expired, not yet valid or revoked)', true],
  [/SELF_SIGNED|UNABLE_TO_/, 'its certificate is signed by nobody who is trusted: see --ca', true],
];

function isTransient({ status, headers }: Response): boolean {
  return (
    [408, 429].includes(status) || status >= 500 || (status === 409 && headers.has('retry-after'))
  );
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;
const LONGEST_ASKED_MS = 120_000;

/** The wait before the next try: exponential, half of it random, and no shorter than the server asks. */
export function backoffMs(failures: number, random: number, askedMs = 0): number {
  const full = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 20));
  const own = Math.round(full * (0.5 + random / 2));
  return Math.max(own, Math.min(askedMs, LONGEST_ASKED_MS));
}

interface Answer<T> {
  data: T;
  error: { status: unknown; value: unknown } | null;
}

/** @throws Refused, its text begun by `what`; Unreachable; the reason of the signal that ended the request */
export async function dataOf<T>(call: Promise<Answer<T>>, what?: string): Promise<DataOf<T>> {
  const { data, error } = await call;
  if (error?.value instanceof Error) throw error.value;
  if (error !== null || data === null || data === undefined)
    throw new Refused(Number(error?.status), error?.value, what);
  return data as DataOf<T>;
}

/** Some routes answer with text that they have at hand, beside the shape that it has. */
type DataOf<T> = Exclude<NonNullable<T>, Response>;

export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw signal?.reason;
  }
}
