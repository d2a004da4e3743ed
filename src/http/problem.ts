// Problem documents (RFC 9457): one registry of all problems, one error class that carries one,
// one function that turns any error into one.
import { isDamaged, isTooLarge, isUnavailable, KeyLost } from '../store/errors.ts';
import { ContentGone } from '../store/files-errors.ts';

const REGISTRY = {
  malformed_body: [400, 'The body cannot be read'],
  unauthorized: [401, 'A valid bearer token is needed'],
  forbidden: [403, 'The token does not allow this'],
  signature_required: [403, 'The file link has no signature'],
  signature_invalid: [403, 'The signature of the file link is not valid'],
  signature_expired: [403, 'The file link has expired'],
  not_found: [404, 'There is no such resource'],
  method_not_allowed: [405, 'The path does not take this method'],
  timeout: [408, 'The body came too slowly'],
  conflict: [409, 'The request conflicts with the state of the resource'],
  illegal_transition: [409, 'The resource cannot move to this state'],
  slug_taken: [409, 'The slug is taken'],
  drops_stories: [409, 'The import would drop more than half of the stories'],
  lease_expired: [409, 'The lease has expired'],
  stale_sequence: [409, 'The sequence number is stale'],
  gone: [410, 'The file is missing or damaged on the server'],
  precondition_failed: [412, 'The resource has changed since'],
  too_large: [413, 'The content is too large'],
  unsupported_media_type: [415, 'The content type is not supported'],
  range_not_satisfiable: [416, 'The range lies outside the file'],
  invalid: [422, 'The request is not valid'],
  archive_refused: [422, 'An archive is not taken while credentials are lent'],
  untrusted_key: [422, 'The key is not trusted'],
  idempotency_mismatch: [422, 'The idempotency key was used with another request'],
  rate_limited: [429, 'Too many requests'],
  internal: [500, 'An error of the service'],
  unavailable: [503, 'The service cannot take the request now'],
  damaged: [503, 'What the service has stored is damaged'],
} as const;

export type ProblemCode = keyof typeof REGISTRY;

/** Every problem there is: its code, status and title. */
export const PROBLEMS = Object.entries(REGISTRY).map(([code, [status, title]]) => ({
  code: code as ProblemCode,
  status: status as number,
  title: title as string,
}));

export interface FieldError {
  /** RFC 6901 pointer into the body; for a query parameter `/<name>`. */
  pointer: string;
  detail: string;
}

export interface ProblemOptions {
  errors?: FieldError[];
  headers?: Record<string, string>;
  /** Further members of the problem document (RFC 9457, 3.2). */
  members?: Record<string, unknown>;
  /** For the log alone. */
  cause?: unknown;
}

/** An error with a public text. What caused it stays private. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: FieldError[];
  readonly headers: Record<string, string>;
  readonly members: Record<string, unknown>;
  /** Of the token that was refused, for the log alone. */
  tokenId: string | undefined;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.status = REGISTRY[code][0];
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }
}

/** `422 invalid` for one field. */
export function invalid(pointer: string, detail: string): Problem {
  return new Problem('invalid', `${pointer || 'The body'}: ${detail}`, {
    errors: [{ pointer, detail }],
  });
}

/** `404` for an identifier, worded alike whether it never existed or belongs to another project. */
export function notFound(what: string): Problem {
  return new Problem('not_found', `There is no such ${what} in this project.`);
}

/** `404` for what a field of the body names, with a pointer to it. */
export function notFoundAt(pointer: string, detail: string): Problem {
  return new Problem('not_found', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}

/** Any error as a problem; what is not one becomes `500` or `503` without its text. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ContentGone) return new Problem('gone', error.message);
  if (error instanceof KeyLost) {
    return new Problem('damaged', `${error.message}; an administrator should run pqrs doctor.`);
  }
  // Before what may be tried again: a commit that failed is unavailable, whatever the cause.
  if (isDamaged(error)) {
    return new Problem(
      'damaged',
      'The database is damaged; an administrator should run pqrs doctor.',
      {
        cause: error,
      },
    );
  }
  if (isUnavailable(error)) {
    return new Problem('unavailable', 'Storage cannot take the request now; try again.', {
      headers: { 'Retry-After': '5' },
      cause: error,
    });
  }
  if (isTooLarge(error)) {
    return new Problem('too_large', 'The database server takes no text of this size.', {
      cause: error,
    });
  }
  return new Problem('internal', 'The service failed; its log names this request id.', {
    cause: error,
  });
}

/** The members of a problem document. */
export function problemDocument(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    type: `/problems/${problem.code}`,
    title: REGISTRY[problem.code][1],
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    requestId,
    errors: problem.errors,
    ...problem.members,
  };
}

/** A problem as response, `application/problem+json`. */
export function problemResponse(problem: Problem, requestId: string): Response {
  return new Response(JSON.stringify(problemDocument(problem, requestId)), {
    status: problem.status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      ...problem.headers,
    },
  });
}
