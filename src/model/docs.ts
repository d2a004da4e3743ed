// What a noun says of its operations for the API document, beside its schemas.
import type { TSchema } from '@sinclair/typebox';
import type { ProblemCode } from '../errors.ts';

/** The headers of requests and answers: what they say, and an example. */
export const HEADERS = {
  'X-Request-Id': [
    "Names the request in logs and problems: the client's own where it is 1 to 128 safe characters",
    '9f2c61d0ab34-7k',
  ],
  ETag: [
    'Version of the resource and hash of the body (RFC 9110, 8.8.3)',
    '"3-Qm9yZWQgb2YgdGhpcw"',
  ],
  Link: [
    'The next page, where there is one (RFC 8288)',
    '</api/issues?cursor=WzEsIm4yUXZ3IiwxN10>; rel="next"',
  ],
  Location: ['Path of what was made', '/api/issues?id=iss_01k4mz3b6qf2gte8s9vxw0y1za'],
  'Idempotency-Replayed': [
    'Present where this is the answer to an earlier request with the same key',
    'true',
  ],
  'RateLimit-Policy': ['The limit that holds for the caller, if any does', '"widget";q=20;w=20'],
  RateLimit: ['What is left of it, and seconds until it is whole again', '"widget";r=19;t=1'],
  'Accept-Ranges': ['Parts of the file can be asked for', 'bytes'],
  'Content-Range': ['Which bytes these are, and of how many', 'bytes 0-1023/48213'],
  'Content-Disposition': [
    "The file's name, and whether a browser may show it in place (RFC 8187)",
    'inline; filename="screenshot.png"',
  ],
} as const;

export type HeaderName = keyof typeof HEADERS;

export interface OperationDocs {
  description: string;
  /** The body that the example request sends, as a value; NDJSON sends its entries. */
  bodyExample?: unknown;
  /** Examples for media types that are not JSON. */
  bodyExamples?: Record<string, unknown>;
  /** Parameters that the handler reads itself. */
  parameters?: readonly ParameterDocs[];
  /** A body that the handler reads itself, where one is sent. */
  optionalBody?: { schemas: Record<string, TSchema> };
  /** Answers of success, by status. */
  replies: Record<number, ReplyDocs>;
  /** Problems beside those that every operation may answer. */
  problems?: ProblemCode[];
}

export interface ParameterDocs {
  name: string;
  in: 'query' | 'header';
  required?: boolean;
  description: string;
  schema: object;
}

export interface ReplyDocs {
  description: string;
  /** Where it is not the route's; with a `title` it becomes a component of that name. */
  schema?: TSchema;
  /** `application/json` unless said. */
  mediaType?: string;
  example?: unknown;
  /** Other media types that it may have, each with an example of its text, or its own schema. */
  alsoAs?: Record<string, string | { schema: TSchema; example: unknown }>;
  /** Headers beside those that follow from method and status. */
  headers?: readonly HeaderName[];
}
