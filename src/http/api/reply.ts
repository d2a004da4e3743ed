// What a handler answers, and how it becomes a response.
import type { Static, TSchema } from '@sinclair/typebox';
import type { ElysiaCustomStatusResponse } from 'elysia';
import { etagOf, matchesAny } from '../../model/etag.ts';
import type { Page } from '../../model/pages.ts';
import { type StandardSchema, standardSchema } from '../../model/schemas.ts';
import { bytesBody } from '../../runtime/file-body.ts';
import { pathOf, searchOf } from './request.ts';

const CACHE_CONTROL = 'private, no-cache';

export interface Reply {
  status: number;
  /** Sent as JSON; undefined for no body. */
  body?: unknown;
  /** The same as text that was made before. */
  text?: string;
  /** The same as bytes that were made before. */
  bytes?: Uint8Array<ArrayBuffer>;
  etag?: string;
  headers?: Record<string, string>;
  mediaType?: string;
  /** All headers but the request's id, made before: the quickest answer, for one that has no body. */
  head?: Headers;
}

type Status = 200 | 201 | 202 | 204 | 206 | 304 | 503;

/** An answer as the types see it, so that Elysia and its clients know what a route answers. */
// biome-ignore lint/suspicious/noExplicitAny: any answer
export type AnyReply = ElysiaCustomStatusResponse<any, any> | Reply;
export type Answered<S extends Status, T> = ElysiaCustomStatusResponse<S, T> & Reply;
type ReplyOptions = Omit<Reply, 'status' | 'body'>;

type AnswerSchema<T> = StandardSchema<T> & { schema: TSchema };

/** The `response` of a route, by status: what is answered is not checked when it is sent. */
export function answers<const R extends Record<number, TSchema>>(schemas: R) {
  const unchecked = standardSchema((value) => ({ value }));
  const wrapped = Object.entries(schemas).map(([status, schema]) => [
    status,
    { schema, ...unchecked },
  ]);
  return Object.fromEntries(wrapped) as {
    [S in keyof R]: AnswerSchema<Static<Extract<R[S], TSchema>>>;
  };
}

export function reply<const S extends Status, T>(status: S, body: T, options: ReplyOptions = {}) {
  return { ...options, status, body } as unknown as Answered<S, T>;
}

export function ok<T>(body: T, options: ReplyOptions = {}) {
  return reply(200, body, options);
}

/** An answer whose text was made before, of what it would be as a value. */
export function made<T, const S extends Status = 200>({
  status = 200 as S,
  ...options
}: ReplyOptions & { status?: S }) {
  return { ...options, status } as unknown as Answered<S, T>;
}

/** An answer that holds for a revision, its tag made of its text. */
export function tagged<T>(
  { revision }: { revision: { number: number } | undefined },
  body: T,
  headers: Record<string, string> = {},
) {
  const text = JSON.stringify(body);
  return made<T>({ text, etag: etagOf(revision?.number ?? 0, text), headers });
}

/**
 * A reply of 304, for a handler that has matched `If-None-Match` itself. It may be kept and given
 * again as long as the entity tag is the resource's.
 */
export function notModified(etag: string): Reply & { etag: string } {
  const head = new Headers({
    'Cache-Control': CACHE_CONTROL,
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
  });
  return { status: 304, etag, head };
}

export function created<T>(body: T, location: string, options: ReplyOptions = {}) {
  return reply(201, body, { ...options, headers: { Location: location, ...options.headers } });
}

export function toResponse(
  reply: Reply,
  request: Request,
  requestId: string,
  extra?: Record<string, string>,
): Response {
  if (reply.head !== undefined && extra === undefined) {
    // The response gets a copy; setting its own afterwards costs more than twice as much.
    reply.head.set('X-Request-Id', requestId);
    return new Response(null, { status: reply.status, headers: reply.head });
  }
  const headers: Record<string, string> = {
    'X-Request-Id': requestId,
    'Cache-Control': CACHE_CONTROL,
    'X-Content-Type-Options': 'nosniff',
  };
  if (reply.headers !== undefined) Object.assign(headers, reply.headers);
  if (extra !== undefined) Object.assign(headers, extra);
  if (reply.etag !== undefined) {
    headers.ETag = reply.etag;
    if (reply.status === 304) return new Response(null, { status: 304, headers });
    const known = request.headers.get('if-none-match');
    if (known !== null && request.method === 'GET' && matchesAny(known, reply.etag)) {
      return new Response(null, { status: 304, headers });
    }
  }
  const content =
    (reply.bytes && bytesBody(reply.bytes)) ??
    reply.text ??
    (reply.body === undefined ? undefined : JSON.stringify(reply.body));
  if (content === undefined) {
    return new Response(null, { status: reply.status, headers });
  }
  headers['Content-Type'] = reply.mediaType ?? 'application/json';
  return new Response(content, { status: reply.status, headers });
}

/** The `Link` header of a page's successor, if it has one. */
export function nextLink(request: Request, page: Page<unknown>): Record<string, string> {
  if (page.nextCursor === null) return {};
  const query = new URLSearchParams(searchOf(request));
  query.set('cursor', page.nextCursor);
  const path = pathOf(request).replace(/^\/api\/v1\//, '/api/');
  return { Link: `<${path}?${query}>; rel="next"` };
}
