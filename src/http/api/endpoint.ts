// The way of every request through the service, once for all operations: identity, capability,
// rates, body, query, the handler, the response. A room describes its operations with
// `endpoint` and serves them with `room`.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { type AccessRow, accessRow, type Operation } from '../../access/access.ts';
import { ANONYMOUS, type Caller, isPublic } from '../../access/caller.ts';
import type { Problem } from '../../errors.ts';
import { type Lent, maskBody } from '../../masking/body.ts';

import type { Tx } from '../../store/database.ts';
import type { OperationDocsSource } from '../document/operation.ts';

import { acceptBody, type BodyReader } from './body.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { Context } from './context.ts';
import { beginKeyed, type KeyedRequest, requestHash } from './idempotency.ts';
import { problemResponse, toProblem } from './problem.ts';
import { compileQuery, searchOf } from './query.ts';
import { type Reply, toResponse } from './reply.ts';
import { readBody } from './request-body.ts';
import { requestIdOf } from './request-id.ts';
import { pathOf } from './request-target.ts';

/** A request on its way, as a handler sees it. */
export interface Call<Q = unknown, B = unknown> {
  request: Request;
  requestId: string;
  caller: Caller;
  query: Q;
  body: B;
  params: Record<string, string>;
  /** Milliseconds since the epoch when the request came. */
  now: number;
  /** The same moment in milliseconds of `performance.now`. */
  began: number;
  /** Set where the request carries an idempotency key. */
  keyed: KeyedRequest | undefined;
  /** What is lent to the caller now, for a handler that reads the body itself. */
  lent(): undefined | Promise<Lent | undefined>;
  /**
   * Does the operation's effect in one write, and keeps its reply under the idempotency key.
   *
   * @param hash - what makes two requests the same, where the handler read the body itself
   */
  write(work: (tx: Tx) => Promise<Reply>, hash?: string): Promise<Reply>;
}

export interface Endpoint<Q, B> {
  docs: OperationDocsSource;
  query: TSchema | undefined;
  body: BodyReader<B> | undefined;
  /** Which limit it counts against: `requests` unless said, `streams` where it may take long. */
  slots?: 'requests' | 'streams' | 'heartbeats' | 'probes';
  /** True where the handler reads the query itself, as it was sent. */
  ownQuery?: boolean;
  /** Refuses fields by the caller's capability, before they are checked. @throws Problem `forbidden` */
  allowFields?(body: unknown, caller: Caller): void | Promise<void>;
  /** True where the operation may be open to callers without a token, by a setting. */
  open?: boolean;
  /**
   * The reply of 304 to who has the answer to a request without parameters already, where that is
   * known at once: asked before anything else is made of a request.
   */
  unchanged?(caller: Caller): (Reply & { etag: string }) | undefined;
  /** Makes a kept reply fit to be sent again. */
  refresh?(reply: Reply, call: Call<Q, B>): Reply | Promise<Reply>;
  handler(call: Call<Q, B>): Reply | Response | Promise<Reply | Response>;
}

interface EndpointInput<S extends TSchema, B>
  extends Omit<Endpoint<Static<S>, B>, 'query' | 'body'> {
  query?: S;
  body?: BodyReader<B>;
}

const NO_QUERY = Type.Object({}, { additionalProperties: false });

/** Describes an operation; the types of query and body follow from their schemas. */
export function endpoint<S extends TSchema = typeof NO_QUERY, B = undefined>(
  input: EndpointInput<S, B>,
): Endpoint<Static<S>, B> {
  return { ...input, query: input.query, body: input.body };
}

// biome-ignore lint/suspicious/noExplicitAny: operations of one room differ in query and body
type AnyEndpoint = Endpoint<any, any>;

/**
 * An Elysia plugin that serves a room's operations.
 *
 * @param operations - by their keys in the access table; one without a row is refused
 */
export function room(
  context: Context,
  name: string,
  operations: Partial<Record<Operation, AnyEndpoint>>,
): Elysia {
  const plugin = new Elysia({ name });
  for (const [operation, spec] of Object.entries(operations)) {
    const access = accessRow(operation as Operation);
    const detail = { 'x-docs': spec.docs, 'x-query': spec.query, 'x-body': spec.body };
    // Elysia reads the text of a function: where it gives back a call, or where a parser is named,
    // each answer is taken to be a promise. A bound function has no text.
    const handler = madeWhenAsked(() => createHandler(context, access, spec)).bind(undefined);
    const options = access.method === 'GET' ? { detail } : { parse: 'none' as const, detail };
    plugin.route(access.method, access.path, handler, options as never);
  }
  return plugin;
}

/** What a request costs in memory while its body comes, however small that is. */
const BODY_OVERHEAD_BYTES = 4096;

const NO_PARAMS: Record<string, string> = Object.freeze({});

interface Routed {
  request: Request;
  params?: Record<string, string>;
}

type Handler = (routed: Routed) => Response | Promise<Response>;

/** A handler that is made with its first request: whoever describes the operations needs none. */
function madeWhenAsked(make: () => Handler): Handler {
  let made: Handler | undefined;
  return (routed) => {
    made ??= make();
    return made(routed);
  };
}

interface Slot {
  leave: (() => void) | undefined;
}

/** What is known of a request from its first moment, when it may be nobody's yet. */
interface Arrival extends Pick<Call, 'request' | 'requestId' | 'now' | 'began'> {
  caller: Caller | undefined;
}

function createHandler(context: Context, access: AccessRow, spec: AnyEndpoint): Handler {
  const readQuery = spec.ownQuery ? () => undefined : compileQuery(spec.query ?? NO_QUERY);
  const gate = context[spec.slots ?? 'requests'];
  const { database, guard, accessLog, limits } = context;
  const admission = guard.admissionTo(access);
  const count = context.metrics.counterOf(access.operationId);
  const mayHaveBody = access.method !== 'GET';
  const writeOnce: Call['write'] = (work) => database.write(work);

  // This is done for every request: what can be made once is made above.
  return ({ request, params = NO_PARAMS }) => {
    const began = performance.now();
    const now = context.clock();
    const requestId = requestIdOf(request);
    let caller: Caller | undefined;
    try {
      context.refuseWhenDraining(access.operationId);
      caller = callerOf(request, now);
      const same = spec.unchanged?.(caller);
      if (same !== undefined && hasAlready(request, same.etag)) {
        const limits = guard.headersFor(caller, request, now);
        const response = toResponse(same, request, requestId, limits);
        record({ request, requestId, caller, began }, same.status);
        return response;
      }
      const call: Call = {
        request,
        requestId,
        caller,
        query: undefined,
        body: undefined,
        params,
        now,
        began,
        keyed: undefined,
        lent: () => context.lent.of(call.caller.tokenId),
        write: writeOnce,
      };
      if (mayHaveBody) return ended(call, withBody(call));
      call.query = readQuery(searchOf(request));
      const outcome = spec.handler(call);
      if (!(outcome instanceof Promise)) return finish(call, outcome);
      return ended(call, outcome, enterOrForget(gate, caller, outcome));
    } catch (error) {
      return fail({ request, requestId, caller, now, began }, error);
    }
  };

  function ended(
    arrival: Arrival,
    outcome: Promise<Reply | Response>,
    leave?: () => void,
  ): Promise<Response> {
    return outcome.then(
      (one) => {
        leave?.();
        return finish(arrival, one);
      },
      (error) => {
        leave?.();
        return fail(arrival, error);
      },
    );
  }

  function finish(arrival: Arrival, outcome: Reply | Response): Response {
    const { request, requestId, caller, now } = arrival;
    try {
      const response =
        outcome instanceof Response
          ? outcome
          : toResponse(
              outcome,
              request,
              requestId,
              caller && guard.headersFor(caller, request, now),
            );
      record(arrival, response.status);
      return response;
    } catch (error) {
      return fail(arrival, error);
    }
  }

  function fail(arrival: Arrival, error: unknown): Response {
    const { request, requestId, caller, now } = arrival;
    const problem = toProblem(error);
    const limits = caller && guard.headersFor(caller, request, now);
    record(arrival, problem.status, problem);
    const response = problemResponse(problem, requestId);
    for (const [name, value] of Object.entries(limits ?? {})) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    return response;
  }

  function record(
    { request, requestId, caller, began }: Omit<Arrival, 'now'>,
    status: number,
    problem?: Problem,
  ): void {
    const ms = performance.now() - began;
    count(status, ms);
    if (status < 400 && !accessLog.logsAll) return;
    const tokenId = caller?.tokenId || problem?.tokenId || null;
    accessLog.record({ request, requestId, route: access.path, status, ms, tokenId }, problem);
  }

  function callerOf(request: Request, now: number): Caller {
    if (access.allow === 'signature') return ANONYMOUS;
    if (spec.open && context.config.openProbes && !request.headers.has('authorization'))
      return ANONYMOUS;
    return admission(request, now);
  }

  async function withBody(call: Call): Promise<Reply | Response> {
    const { request, caller, now } = call;
    const reader = spec.body;
    const mediaType = reader ? acceptBody(request, reader, limits) : '';
    const slot: Slot = { leave: undefined };
    if (access.method === 'POST') {
      call.keyed = beginKeyed(database, request, caller.tokenId, pathBelowPrefix(request), now);
      if (call.keyed) call.write = (work, hash = '') => writeKept(call, work, hash);
    }
    try {
      if (reader?.parse) {
        const { body, hash } = await parsed(call, reader, mediaType, slot);
        if (call.keyed) {
          call.write = (work) => writeKept(call, work, hash);
          const kept = await call.keyed.replay(hash);
          if (kept) return spec.refresh ? await spec.refresh(kept, call) : kept;
        }
        await spec.allowFields?.(body, caller);
        call.query = readQuery(searchOf(request));
        call.body = reader.check(body, limits);
      } else {
        slot.leave = gate.enterByShare(caller, context.networkOf(request));
        call.query = readQuery(searchOf(request));
      }
      return await spec.handler(call);
    } finally {
      slot.leave?.();
      call.keyed?.done();
    }
  }

  /** The body, and what tells it from others: often its bytes, which may be many; they are let go here. */
  async function parsed(
    { request, caller, keyed, lent }: Call,
    reader: BodyReader<unknown>,
    mediaType: string,
    slot: Slot,
  ): Promise<{ body: unknown; hash: string }> {
    const limit = reader.limitOf(limits, mediaType);
    const length = request.headers.get('content-length');
    let bytes: Uint8Array;
    if (Number(length ?? limit) <= limits.jsonBodyBytes) {
      bytes = await smallBody(request, caller, limit);
      slot.leave = gate.enter(caller);
    } else {
      slot.leave = gate.enterByShare(caller, context.networkOf(request));
      bytes = await readBody(request, limit, limits);
    }
    const looked = lent();
    const mask = looked && (await looked)?.mask;
    const isJson = /[/+](?:json|x-ndjson)$/.test(mediaType);
    const clean = mask && !isJson ? await gathered(mask.chunks(once(bytes))) : bytes;
    const sent = await reader.parse?.(clean, mediaType, request);
    const schema = reader.schemas[mediaType];
    const body = mask && isJson ? maskBody(sent, schema ? [schema] : [], mask.text) : sent;
    if (!keyed) return { body, hash: '' };
    const said = reader.idempotencyFingerprint?.(body) ?? [bytes];
    return { body, hash: requestHash(mediaType, searchOf(request), ...said) };
  }

  /** Read before a slot is taken: who sends slowly takes memory alone. */
  async function smallBody(request: Request, caller: Caller, limit: number): Promise<Uint8Array> {
    // To ask for the address costs more than all else here.
    const network = isPublic(caller) ? context.networkOf(request) : undefined;
    const take = (bytes: number) => context.bodies.enterByShare(caller, network, bytes);
    const length = Number(request.headers.get('content-length'));
    const held = [take(Math.max(length, BODY_OVERHEAD_BYTES))];
    try {
      return await readBody(request, limit, limits, (bytes) => held.push(take(bytes)));
    } finally {
      for (const leave of held) leave();
    }
  }

  function writeKept(call: Call, work: (tx: Tx) => Promise<Reply>, hash: string): Promise<Reply> {
    const { keyed, now } = call;
    if (!keyed) return database.write(work);
    return database.write(async (db) => {
      const reply = await work(db);
      await keyed.keep(db, hash, reply, now);
      return reply;
    });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function gathered(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

/** Whether a request without parameters names the tag, alone and as it is: what caches send. */
function hasAlready(request: Request, etag: string): boolean {
  return request.headers.get('if-none-match') === etag && searchOf(request) === '';
}

/** Enters, or leaves what has begun to itself: nobody waits for how it ends then. */
function enterOrForget(
  gate: ConcurrencyLimit,
  caller: Caller,
  begun: Promise<unknown>,
): () => void {
  try {
    return gate.enter(caller);
  } catch (error) {
    begun.catch(() => {});
    throw error;
  }
}

function pathBelowPrefix(request: Request): string {
  return pathOf(request).replace(/^\/api(?:\/v1)?(?=\/)/, '');
}

/**
 * The value of a path parameter. One that cannot be decoded, or holds NUL, where the database would
 * take it to end, is the name of nothing: empty.
 */
export function param(call: Pick<Call, 'params'>, name: string): string {
  const value: unknown = call.params[name];
  return typeof value === 'string' && !value.includes('\0') ? value : '';
}
