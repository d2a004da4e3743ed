// What holds for every answer, whatever was asked: checked on each one that a test gets.
import { expect } from 'bun:test';
import type { Answer } from './answer.ts';
import type { ProblemDocument } from './shapes.ts';

/** Every problem: its code and the status that goes with it. */
export const PROBLEM_STATUS: Readonly<Record<string, number>> = {
  ...{ malformed_body: 400, unauthorized: 401, forbidden: 403, signature_required: 403 },
  ...{ signature_invalid: 403, signature_expired: 403, not_found: 404, method_not_allowed: 405 },
  ...{ timeout: 408, conflict: 409, illegal_transition: 409, slug_taken: 409, drops_stories: 409 },
  ...{ lease_expired: 409, stale_sequence: 409, gone: 410, precondition_failed: 412 },
  ...{ too_large: 413, unsupported_media_type: 415, range_not_satisfiable: 416, invalid: 422 },
  ...{ untrusted_key: 422, archive_refused: 422, idempotency_mismatch: 422, rate_limited: 429 },
  ...{ internal: 500, unavailable: 503, too_costly: 503, damaged: 503 },
};

/** Traces of the inside: a statement, a driver, a stack, a path. */
const LEAKS =
  /sqlite|drizzle|libsql|(?<![0-9a-z])fts5|node_modules|\bat \S+ \(|\.ts:\d+|\/(?:tmp|home|root|usr|var|work)\/|\b(?:select|insert into|update|delete from) [a-z_"]+ (?:set|from|where|values)\b/i;

/** The text of a token, and what a signed link adds to its path. */
const TOKEN = /pqrs_[0-9a-hjkmnp-tv-z]{26}_[0-9a-hjkmnp-tv-z]{52}/;

/**
 * Checks an answer.
 *
 * @param may - `token`: the answer may hold a token, since it has just been made
 */
export function checkInvariants(answer: Answer, may: { token?: boolean } = {}): void {
  const { headers, status, asked, text } = answer;
  expect(headers.get('x-request-id'), `${asked}: request id`).toMatch(/^[\w.~:@+/=-]{1,128}$/);
  expect(headers.get('x-content-type-options'), `${asked}: sniffing`).toBe('nosniff');
  expect(headers.get('x-powered-by'), `${asked}: X-Powered-By`).toBeNull();
  if (!may.token) expect(text, `${asked}: no token is told`).not.toMatch(TOKEN);
  const readiness = headers.get('content-type') === 'application/health+json';
  // The answer to HEAD has the headers of a body, and no body.
  if (status >= 400 && !readiness && !asked.startsWith('HEAD ')) checkProblem(answer);
  if (status === 304 || status === 204) expect(text, `${asked}: body`).toBe('');
  if (status === 503) expect(answer.header('retry-after')).toMatch(/^[1-9]\d*$/);
}

function checkProblem(answer: Answer): void {
  const { asked, status, headers } = answer;
  expect(headers.get('content-type'), `${asked}: media type`).toBe('application/problem+json');
  expect(headers.get('cache-control'), `${asked}: caching`).toBe('no-store');
  const problem = answer.json<ProblemDocument>();
  const [method] = asked.split(' ');
  expect(Object.keys(problem), `${asked}: members`).toEqual([
    ...['type', 'title', 'status', 'detail', 'code', 'requestId', 'errors'],
    // What a deletion would reach is told with its refusal.
    ...(method === 'DELETE' && problem.code === 'conflict' ? ['impact'] : []),
    ...(problem.code === 'drops_stories' ? ['stories', 'dropped'] : []),
  ]);
  expect(problem.type).toBe(`/problems/${problem.code}`);
  expect(problem.status, `${asked}: status`).toBe(status);
  expect(PROBLEM_STATUS[problem.code], `${asked}: the status of ${problem.code}`).toBe(status);
  expect(problem.requestId).toBe(answer.header('x-request-id'));
  expect(problem.title.length).toBeGreaterThan(0);
  expect(problem.detail.length).toBeGreaterThan(0);
  for (const error of problem.errors) {
    expect(Object.keys(error)).toEqual(['pointer', 'detail']);
    expect(error.pointer, `${asked}: pointer`).toMatch(/^(?:\/.*)?$/s);
    expect(error.detail.length).toBeGreaterThan(0);
  }
  expect(answer.text, `${asked}: nothing of the inside is told`).not.toMatch(LEAKS);
  checkHeaders(answer, problem.code);
}

function checkHeaders(answer: Answer, code: string): void {
  const { headers, asked } = answer;
  if (code === 'unauthorized') {
    expect(headers.get('www-authenticate'), asked).toBe(
      'Bearer realm="pqrs", error="invalid_token"',
    );
  }
  if (code === 'forbidden') {
    expect(headers.get('www-authenticate'), asked).toMatch(
      /^Bearer realm="pqrs", error="insufficient_scope", scope="project:owner(?: [a-z]+:[a-z]+)*"$/,
    );
  }
  if (code === 'method_not_allowed') {
    expect(headers.get('allow'), asked).toMatch(/^[A-Z]+(?:, [A-Z]+)*$/);
  }
  if (code === 'rate_limited') {
    expect(headers.get('retry-after'), asked).toMatch(/^[1-9]\d*$/);
    expect(headers.get('ratelimit'), asked).toMatch(/^"[a-z-]+";r=\d+;t=\d+$/);
    expect(headers.get('ratelimit-policy'), asked).toMatch(
      /^"[a-z-]+";q=\d+;(?:w=\d+|qu="[a-z-]+")$/,
    );
  }
}
