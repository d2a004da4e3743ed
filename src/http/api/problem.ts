// Errors as problem documents (RFC 9457).
import { Problem } from '../../errors.ts';
import { isDamaged, isTooLarge, isUnavailable, KeyLost } from '../../store/errors.ts';

/** Any error as a problem; what is not one becomes `500` or `503` without its text. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof KeyLost) {
    return new Problem('damaged', `${error.message}; an administrator should run pqrs doctor.`);
  }
  // Before what may be tried again: a commit that failed is unavailable, whatever the cause.
  if (isDamaged(error)) {
    const detail = 'The database is damaged; an administrator should run pqrs doctor.';
    return new Problem('damaged', detail, { cause: error });
  }
  if (isUnavailable(error)) {
    return new Problem('unavailable', 'Storage cannot take the request now; try again.', {
      headers: { 'Retry-After': '5' },
      cause: error,
    });
  }
  if (isTooLarge(error)) {
    const detail = 'The database server takes no text of this size.';
    return new Problem('too_large', detail, { cause: error });
  }
  const detail = 'The service failed; its log names this request id.';
  return new Problem('internal', detail, { cause: error });
}

export function problemDocument(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    type: `/problems/${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    requestId,
    errors: problem.errors,
    ...problem.members,
  };
}

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
