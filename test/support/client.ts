// The client of the contract tests: it calls one target under one prefix as one of the roles,
// checks what holds for every answer, and writes down what was said.
import { type Answer, readAnswer } from './answer.ts';
import { checkInvariants } from './invariants.ts';
import { type RawRequest, sendRaw } from './raw-http.ts';
import type { Role } from './roles.ts';
import type { Target } from './target.ts';
import { beginTranscript, type Exchange } from './transcript.ts';

export type Prefix = '/api' | '/api/v1';

export type Body = string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams | ReadableStream;

export interface Sending {
  /** Who calls; null for nobody. The owner unless told. */
  as?: Role | null;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  body?: Body;
  query?: Record<string, string | number | boolean | readonly string[] | undefined>;
  /** The answer may hold the text of a token. */
  tokenShown?: boolean;
}

export interface Client {
  target: Target;
  prefix: Prefix;
  /** A word of letters that no other run has. */
  unique: string;
  /** Calls an operation; the path is below the prefix. */
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
  get(path: string, sending?: Sending): Promise<Answer>;
  post(path: string, json: unknown, sending?: Sending): Promise<Answer>;
  patch(path: string, json: unknown, sending?: Sending): Promise<Answer>;
  /** Calls an address as it stands: a link of an answer, a page beside the API. */
  follow(address: string, sending?: Sending & { method?: string }): Promise<Answer>;
  /** Sends bytes over a socket; `{prefix}` in them stands for the prefix. */
  raw(request: RawRequest): Promise<Answer>;
  exchanges: Exchange[];
}

/** Makes a client. */
export function createClient(target: Target, prefix: Prefix): Client {
  const unique = uniqueWord();
  const transcript = beginTranscript(unique);

  async function call(method: string, address: string, asked: string, sending: Sending) {
    const headers = new Headers(sending.headers);
    const role = sending.as === undefined ? 'owner' : sending.as;
    if (role !== null && !headers.has('authorization')) {
      headers.set('authorization', `Bearer ${target.token(role)}`);
    }
    let { body } = sending;
    if ('json' in sending) {
      body = JSON.stringify(sending.json);
      if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    }
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    return keep(
      await readAnswer(
        `${method} ${asked} as ${role ?? 'nobody'}`,
        await target.fetch(address, init),
      ),
      sending,
    );
  }

  function keep(answer: Answer, sending: Sending): Answer {
    transcript.add(answer);
    checkInvariants(answer, { token: sending.tokenShown === true });
    return answer;
  }

  const client: Client = {
    target,
    prefix,
    unique,
    exchanges: transcript.exchanges,
    send(method, path, sending = {}) {
      const asked = path + queryString(sending.query);
      return call(method, prefix + asked, asked, sending);
    },
    get: (path, sending) => client.send('GET', path, sending),
    post: (path, json, sending) => client.send('POST', path, { json, ...sending }),
    patch: (path, json, sending) => client.send('PATCH', path, { json, ...sending }),
    follow(address, { method = 'GET', ...sending } = {}) {
      const path = address.replace(/^\/api(?=\/)/, prefix);
      return call(method, path, address, { as: null, ...sending });
    },
    async raw(request) {
      const answer = await sendRaw(await target.socket(), {
        ...request,
        head: request.head.replaceAll('{prefix}', prefix),
      });
      return keep(Object.assign(answer, { asked: request.head.split('\r\n')[0] ?? '' }), {});
    },
  };
  return client;
}

/** A query string with its question mark; an array repeats its parameter. */
export function queryString(query: Sending['query']): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const pairs = given.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Letters alone, since digits are folded out of fingerprints; none that make hexadecimal words. */
function uniqueWord(): string {
  const letters = 'ghjkmnpqrtvwxyz';
  const random = crypto.getRandomValues(new Uint8Array(14));
  return `u${[...random].map((byte) => letters[byte % letters.length]).join('')}`;
}
