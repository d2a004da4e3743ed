// What a noun says of its operations for the API document, beside its schemas.
import type { TSchema } from '@sinclair/typebox';
import type { ProblemCode } from '../errors.ts';

export type HeaderName =
  | 'X-Request-Id'
  | 'ETag'
  | 'Link'
  | 'Location'
  | 'Idempotency-Replayed'
  | 'RateLimit-Policy'
  | 'RateLimit'
  | 'Retry-After'
  | 'WWW-Authenticate'
  | 'Allow'
  | 'Accept'
  | 'Accept-Ranges'
  | 'Content-Range'
  | 'Content-Disposition';

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

/** A parameter that an operation's handler reads itself. */
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
