// Reads and checks the body of an admitted request, within what may be under way at once.
import type { AccessRow } from '../../access/access.ts';
import { type Caller, isPublic, requireFields } from '../../access/caller.ts';
import { type Lent, maskBody } from '../../masking/body.ts';
import { acceptBody, type BodyReader } from './body.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { Context } from './context.ts';
import type { Admission } from './guard.ts';
import { type KeyedRequest, requestHash } from './idempotency.ts';
import type { Reply } from './reply.ts';
import { searchOf } from './request.ts';
import { readBody as readBytes } from './request-body.ts';

/** A request from its first moment, when it may be nobody's yet. */
export interface Arrival {
  request: Request;
  requestId: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** The same moment in milliseconds of `performance.now`. */
  began: number;
  caller: Caller | undefined;
  route: Route;
  leave?: (() => void) | undefined;
  leaveLong?: (() => void) | undefined;
  keyed?: KeyedRequest | undefined;
  /** By which two bodies are the same request. */
  hash: string;
  /** The answer given before to the same idempotency key. */
  replayed?: Reply | undefined;
}

export interface Route {
  access: AccessRow;
  admission: Admission;
  count(status: number, ms: number): void;
}

/** What a request costs in memory while its body comes, however small that is. */
const BODY_OVERHEAD_BYTES = 4096;

interface Reading {
  slots: ConcurrencyLimit;
  authorizeBody?: ((body: unknown, caller: Caller) => void | Promise<void>) | undefined;
}

/**
 * @returns the checked body; undefined where the handler reads the stream itself
 * @throws Problem for what the body is not
 */
export async function readBody<T>(
  context: Context,
  arrival: Arrival,
  reader: BodyReader<T>,
  { slots, authorizeBody }: Reading,
): Promise<T> {
  const { request, keyed, route } = arrival;
  const { limits } = context;
  const caller = arrival.caller as Caller;
  const mediaType = acceptBody(request, reader, limits);
  if (!reader.parse) {
    arrival.leave = slots.enterByShare(caller, context.networkOf(request));
    return reader.check(undefined, limits);
  }
  const bytes = await bytesOf(context, arrival, reader.limitOf(limits, mediaType), slots);
  const lent = await context.lent.of(caller.tokenId);
  const body = await parsed(reader, bytes, mediaType, request, lent?.mask);
  if (keyed) {
    const parts = reader.idempotencyFingerprint?.(body) ?? [bytes];
    arrival.hash = requestHash(mediaType, searchOf(request), ...parts);
    arrival.replayed = await keyed.replay(arrival.hash);
    if (arrival.replayed) return body as T;
  }
  const known = reader.schemas['application/json']?.properties;
  if (known) requireFields(route.access, caller, body, known);
  await authorizeBody?.(body, caller);
  return reader.check(body, limits);
}

async function bytesOf(
  context: Context,
  arrival: Arrival,
  limit: number,
  slots: ConcurrencyLimit,
): Promise<Uint8Array> {
  const { request } = arrival;
  const { limits } = context;
  const caller = arrival.caller as Caller;
  const length = request.headers.get('content-length');
  if (Number(length ?? limit) > limits.jsonBodyBytes) {
    arrival.leave = slots.enterByShare(caller, context.networkOf(request));
    return readBytes(request, limit, limits);
  }
  // To ask for the address costs more than all else here.
  const network = isPublic(caller) ? context.networkOf(request) : undefined;
  const take = (bytes: number) => context.bodies.enterByShare(caller, network, bytes);
  const taken = [take(Math.max(Number(length), BODY_OVERHEAD_BYTES))];
  try {
    const bytes = await readBytes(request, limit, limits, (more) => taken.push(take(more)));
    arrival.leave = slots.enter(caller);
    return bytes;
  } finally {
    for (const leave of taken) leave();
  }
}

async function parsed(
  reader: BodyReader<unknown>,
  bytes: Uint8Array,
  mediaType: string,
  request: Request,
  mask: Lent['mask'] | undefined,
): Promise<unknown> {
  if (!mask) return reader.parse?.(bytes, mediaType, request);
  if (!/[/+](?:json|x-ndjson)$/.test(mediaType)) {
    const clean = await Array.fromAsync(mask.chunks(once(bytes)));
    return reader.parse?.(Buffer.concat(clean), mediaType, request);
  }
  const sent = await reader.parse?.(bytes, mediaType, request);
  const schema = reader.schemas[mediaType];
  return maskBody(sent, schema ? [schema] : [], mask.text);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
