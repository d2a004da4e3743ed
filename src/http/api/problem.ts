// Errors as problem documents (RFC 9457), those of paths and methods that no route takes among them.

import { ACCESS, PREFIXES } from '../../access/access.ts';
import { Problem } from '../../errors.ts';
import { isDamaged, isTooLarge, isUnavailable, KeyLost } from '../../store/errors.ts';
import { pathOf } from './request.ts';

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

const operations = [...Map.groupBy(ACCESS, ({ path }) => path)].map(([path, rows]) => ({
  pattern: patternOf(`(?:${PREFIXES.join('|')})${path}`),
  methods: rows.map(({ method }) => method),
}));
const pages: RegExp[] = [];

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/(?<=\/):[a-z]+/g, '[^/]+')}$`);
}

/** Makes a path outside the API known, such as `/console/:file`, which takes GET and HEAD. */
export function servePage<const P extends string>(path: P): P {
  pages.push(patternOf(path));
  return path;
}

/** Whether a path lies outside the API, where HEAD is answered as GET is. */
export function isPage(path: string): boolean {
  return pages.some((pattern) => pattern.test(path));
}

/** The methods of a path, in the order of the specification; empty for an unknown path. */
function methodsOf(path: string): string[] {
  if (isPage(path)) return ['GET', 'HEAD'];
  return operations.find(({ pattern }) => pattern.test(path))?.methods ?? [];
}

/** For who asks behind a list, as other APIs have it. */
const READS = ' One resource is read by ?id= of its list, one story at /api/srs-story/<id>.';

/** The problem of a path and method that no route takes. */
export function unrouted(request: Request): Problem {
  const path = pathOf(request);
  const methods = methodsOf(path);
  if (methods.length === 0 || methods.includes(request.method)) {
    return new Problem('not_found', `There is nothing at this path.${READS}`);
  }
  const allow = methods.join(', ');
  return new Problem('method_not_allowed', `This path takes ${allow}.${READS}`, {
    headers: { Allow: allow },
  });
}
