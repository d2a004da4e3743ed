// The headers of requests and answers, as the API document describes them.

import type { HeaderName } from '../../model/docs.ts';

interface HeaderDocs {
  description: string;
  schema: { type: string; enum?: string[] };
  example: string | number;
}

function text(description: string, example: string): HeaderDocs {
  return { description, schema: { type: 'string' }, example };
}

const HEADERS = {
  'X-Request-Id': text(
    "Names the request in logs and problems: the client's own where it is 1 to 128 safe characters",
    '9f2c61d0ab34-7k',
  ),
  ETag: text(
    'Version of the resource and hash of the body (RFC 9110, 8.8.3)',
    '"3-Qm9yZWQgb2YgdGhpcw"',
  ),
  Link: text(
    'The next page, where there is one (RFC 8288)',
    '</api/issues?cursor=WzEsIm4yUXZ3IiwxN10>; rel="next"',
  ),
  Location: text('Path of what was made', '/api/issues?id=iss_01k4mz3b6qf2gte8s9vxw0y1za'),
  'Idempotency-Replayed': {
    description: 'Present where this is the answer to an earlier request with the same key',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'RateLimit-Policy': text(
    'The limit that holds for the caller, if any does',
    '"widget";q=20;w=20',
  ),
  RateLimit: text('What is left of it, and seconds until it is whole again', '"widget";r=19;t=1'),
  'Retry-After': {
    description: 'Seconds after which to try again',
    schema: { type: 'integer' },
    example: 5,
  },
  'WWW-Authenticate': text(
    'The challenge of RFC 6750',
    'Bearer realm="pqrs", error="invalid_token"',
  ),
  Allow: text('The methods that the path takes', 'GET, POST'),
  Accept: text('The media types that the operation takes', 'application/json'),
  'Accept-Ranges': text('Parts of the file can be asked for', 'bytes'),
  'Content-Range': text('Which bytes these are, and of how many', 'bytes 0-1023/48213'),
  'Content-Disposition': text(
    "The file's name, and whether a browser may show it in place (RFC 8187)",
    'inline; filename="screenshot.png"',
  ),
} satisfies Record<HeaderName, HeaderDocs>;

export function headerObjects(names: readonly HeaderName[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, HEADERS[name]]));
}

export const RATE_HEADERS: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];
