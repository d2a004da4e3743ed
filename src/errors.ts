// The errors of the domain: one registry of their codes, one class that carries one.

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
  too_costly: [503, 'The query takes too long'],
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
  readonly title: string;
  readonly errors: FieldError[];
  readonly headers: Record<string, string>;
  readonly members: Record<string, unknown>;
  /** Of the token that was refused, for the log alone. */
  tokenId: string | undefined;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    [this.status, this.title] = REGISTRY[code];
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }
}

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

export function tooLarge(limitBytes: number): Problem {
  return new Problem('too_large', `The body may have at most ${limitBytes} bytes.`);
}

/** What to throw where a body could not be read to its end. */
export function brokenOff(cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  return new Problem('malformed_body', 'The body broke off.', { cause });
}
