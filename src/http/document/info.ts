// What the API document says before it comes to any operation: the conventions that hold for all
// of them, the areas they belong to, and how a caller proves who it is.

import type { Area } from '../../access/access.ts';
import { PROBLEMS } from '../../errors.ts';
import { DEFAULT_LIMITS, IDEMPOTENCY_MS } from '../../limits.ts';
import { MAX_PAGE_SIZE, PAGE_DEFAULT } from '../../model/pages.ts';
import { VERSION } from '../../version.ts';

const MiB = 1024 * 1024;
const HOUR_MS = 3600 * 1000;
const {
  jsonBodyBytes,
  ndjsonBytes,
  reportBytes,
  attachmentBytes,
  attachmentsPerIssue,
  logBatchEntries,
  widgetPerMinute,
  widgetBurst,
  widgetTokenPerMinute,
  failedAuthPerMinute,
  bodySeconds,
  bodyBytesPerSecond,
  eventStreamsPerToken,
  eventStreamsPerDemoToken,
} = DEFAULT_LIMITS;

export const GUIDE_PAGES = [
  'tokens',
  'api',
  'sources',
  'markdown',
  'stories',
  'tests',
  'agents',
  'configuration',
  'operations',
  'changes',
  'contributing',
] as const;
export type GuidePage = (typeof GUIDE_PAGES)[number];

const CONVENTIONS = `
Requirements, tests and bug evidence of a project, over HTTP. Every request acts within one project:
the one of its bearer token. Further pages: ${GUIDE_PAGES.map((name) => `[${name}](/docs/${name})`).join(', ')}.

## Who may call

Every request carries \`Authorization: Bearer pqrs_<id>_<secret>\`. The one exception is a signed file
link. A token belongs to one project and holds one or more capabilities; each operation names those
that allow it, in its text and as \`x-capabilities\`, and any one of them is enough.

| capability | grants |
|---|---|
| \`project:owner\` | everything in the project |
| \`srs:edit\` | sources and edits of the requirements, validation, impact |
| \`agent:execute\` | test commands, plans and suites, runs, issues with evidence, system logs |
| \`widget:write\` | filing issues, evidence and run states; it reads back only what it sent itself |
| \`read:demo\` | reading, while the server serves the demo and the project is one |

A missing, malformed, unknown, expired or revoked token is \`401\`; a good one without the capability is
\`403\` and the problem names those that would do. An id of another project is \`404\`, exactly as one that does not exist.

## Requests

Bodies are \`application/json\` in UTF-8 unless the operation says more, without a \`Content-Encoding\`. An
unknown field or query parameter is an error. \`PATCH\` is JSON Merge Patch (RFC 7396): null takes a value
away. Times are RFC 3339, answered in UTC with milliseconds. Durations are whole milliseconds named
\`...Ms\`. Ids are opaque. A path takes only the methods that it has here; any other, \`HEAD\` and \`OPTIONS\`
included, is \`405\` with \`Allow\`. A client may name its request in \`X-Request-Id\`.

## Errors

Every error is a problem document (RFC 9457, \`application/problem+json\`) with a \`code\` for programs, a
\`detail\` for people, the \`requestId\` that the service logged, and in \`errors\` the fields that are wrong:
a JSON pointer (RFC 6901) into the body, or \`/<name>\` for a query parameter.

| status | code | |
|---|---|---|
${PROBLEMS.map(({ status, code, title }) => `| ${status} | \`${code}\` | ${title} |`).join('\n')}

They are looked for in this order: \`404\` for the path, 405, 401, 403 for the operation, 429, 422 for the
query, 413 and 415, 400, 403 for a field, 422, 404 for the id, 412, 409.
\`gone\` and \`damaged\` say that what the service has stored is missing or damaged: trying again does
not help, an administrator has to see to it.

## Lists

\`limit\` takes 1 to ${MAX_PAGE_SIZE}, ${PAGE_DEFAULT} by default. The newest comes first. \`nextCursor\` leads to the next page: send
it as \`cursor\` with the same filters, or follow the \`Link\` header's \`rel="next"\`; null ends the list. A
filter is an exact match named like the field. A repeated parameter means any of its values, and for
enumerations a comma does so too. \`q\` searches the full text: words are ANDed, \`"phrases"\`, a trailing \`*\`.
\`id\` answers the bare resource.

## Concurrency

Single resources carry a \`version\` and an \`ETag\`. \`If-None-Match\` on a read gives \`304\` while nothing has
changed; \`If-Match\` on a write gives \`412\` where the version is no longer that one.

## Retries

Every \`POST\` takes an \`Idempotency-Key\` of 1 to 255 printable characters. For ${IDEMPOTENCY_MS / HOUR_MS} hours the same key with
the same request answers the first success again, with \`Idempotency-Replayed: true\` and fresh file links;
with another request it is \`422 idempotency_mismatch\`, and while the first is still under way \`409\`. Only
successes are kept. The key belongs to the token, the method and the path.

## Files

Answers that show an attachment hold a signed link to its file, made for the caller of that answer. Who
holds the link may read the file: no token is needed, and a token alone does not open it. A link lasts at
least 15 minutes, or as many seconds as \`linkTtl\` asks for (7 days at most), and dies earlier with the
attachment or with the token that it was made for.

## Leases

A suite that an agent has claimed is its own for as long as its lease lasts: every write to one of its runs
carries \`runId\`, \`attempt\` and \`lease\`, and a heartbeat (\`POST /api/run-state\` with a higher \`seq\`) on any
of them renews it. When it has run out and the item was claimed again, a heartbeat is \`409 lease_expired\` and
a report is \`202\` with \`late: true\`: kept, and never counted.

## Limits

Unless the server is configured otherwise: ${jsonBodyBytes / MiB} MiB for a JSON body, ${ndjsonBytes / MiB} MiB for NDJSON, ${reportBytes / MiB} MiB for a
test report, ${attachmentBytes / MiB} MiB for an attachment and ${attachmentsPerIssue} of them an issue, ${logBatchEntries} entries a log batch. A body over its limit is \`413\` before it is
read to the end. \`widget:write\` tokens may call ${widgetPerMinute} times a minute from one address, in bursts of ${widgetBurst}, and
${widgetTokenPerMinute} times a minute together; ${failedAuthPerMinute} failed authentications a minute from one address make the next one \`429\`.
A body that falls ${bodySeconds} seconds behind ${bodyBytesPerSecond / 1024} KiB a second is \`408\`. Of what may be under way at once a token has a share,
widget and demo tokens one together, and it may follow ${eventStreamsPerToken} streams of events (of the demo ${eventStreamsPerDemoToken}): beyond is \`429\`.
Where a limit holds, answers tell of it in \`RateLimit-Policy\` and \`RateLimit\`
(draft-ietf-httpapi-ratelimit-headers). \`429\` and \`503\` say in \`Retry-After\` when to come again.
`.trim();

const AREAS: Record<Area, string> = {
  'Project and SRS':
    'The project and its requirements: sources, the canonical graph, edits and additions laid over it, traceability ' +
    'and the transfer of validation results.',
  'Quality and execution':
    'Test commands, runs and their state, plans and suites for agents, scenarios, and the catalog of routes.',
  'Issues, evidence, and health':
    'Issues with attached evidence, signed access to files, system logs, the probes, and the handoff.',
};

/** The parts of the document that do not come from routes. */
export const DOCUMENT_FRAME = {
  info: {
    title: 'pqrs: Project Quality and Requirements Service',
    version: VERSION,
    description: CONVENTIONS,
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    contact: { name: 'pqrs' },
  },
  servers: [{ url: '/', description: 'The server that this document comes from' }],
  tags: Object.entries(AREAS).map(([name, description]) => ({ name, description })),
  components: {
    securitySchemes: {
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        bearerFormat: 'pqrs_<id>_<secret>',
        description: 'The token of a project. It decides the project and what the caller may do.',
      },
      signature: {
        type: 'apiKey' as const,
        in: 'query' as const,
        name: 'signature',
        description:
          'The signature of a file link, together with the other parameters of the link. Links come ready in answers.',
      },
    },
  },
};
