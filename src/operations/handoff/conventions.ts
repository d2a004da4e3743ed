// The conventions of the interface, for a program that has nothing else to read.
import { IDEMPOTENCY_MS } from '../../limits.ts';
import { MAX_PAGE_SIZE, PAGE_DEFAULT } from '../../model/pages.ts';
import type { Handoff } from './model.ts';

const HOUR_MS = 3_600_000;

export const CONVENTIONS: Handoff['conventions'] = [
  {
    topic: 'authentication',
    rules: [
      'Send Authorization: Bearer <token> with every request; nothing else identifies a caller.',
      '401 means that the token is not good (any more), 403 that it lacks the capability, 404 that there is no such thing in this project.',
    ],
  },
  {
    topic: 'bodies',
    rules: [
      'JSON in UTF-8, without Content-Encoding. An unknown field or query parameter is 422.',
      'PATCH is JSON Merge Patch (RFC 7396); a body\'s "id" names the resource where the path does not.',
      'Times are RFC 3339; durations are whole milliseconds in fields that end in Ms; sizes are bytes in fields that end in Bytes.',
    ],
  },
  {
    topic: 'errors',
    rules: [
      "Every error is application/problem+json (RFC 9457): code for programs, detail for people, errors[] with a JSON pointer for each wrong field, requestId for the operator's log.",
      '429 and 503 say in Retry-After, in seconds, when to come again.',
    ],
  },
  {
    topic: 'lists',
    rules: [
      `limit is 1 to ${MAX_PAGE_SIZE}, ${PAGE_DEFAULT} by default. The answer is { items, nextCursor }: send nextCursor as cursor with the same filters until it is null.`,
      'A filter is named like the field; repeated it means any of its values. id answers the bare resource.',
    ],
  },
  {
    topic: 'retries',
    rules: [
      `Give every POST an Idempotency-Key of 1 to 255 printable characters: the same key with the same body answers the first success again for ${IDEMPOTENCY_MS / HOUR_MS} hours, so a POST may be repeated after a lost answer.`,
    ],
  },
  {
    topic: 'concurrency',
    rules: [
      'Single resources carry version and ETag. If-Match on PATCH and DELETE gives 412 where the version is no longer that one; If-None-Match on GET gives 304.',
      'A request of nextActions is for what was there when it was offered: send its headers along. 409 or 412, or a verdict that was not applied, says that somebody was quicker: read the handoff again.',
    ],
  },
  {
    topic: 'signatures',
    rules: [
      'Files are opened by the signed url of an attachment, without a token. A link lasts at least 15 minutes and is made afresh in every answer; ask for more seconds with linkTtl.',
    ],
  },
  {
    topic: 'leases',
    rules: [
      'A claimed suite has one lease, { id, token }. Every write to a run of it carries runId, attempt and lease.',
      'A heartbeat is POST /api/run-state with the next seq; one on any run renews the lease of its suite. Send one each renewAfterMs, from where a busy command cannot hold it up.',
      "One heartbeat that fails ends nothing before expiresAt. 409 lease_expired does: stop the work, the item is somebody else's. cancelRequested in an answer asks for the same.",
      'A claimed run becomes passed or failed by POST /api/test-runs alone. A report that comes too late is answered 202 with late: true, kept, and never counted.',
    ],
  },
  {
    topic: 'links between tests and stories',
    rules: [
      'A story id in brackets, or as @id, in the name of a test links its results to that story: "pays once [US-12]".',
    ],
  },
];
