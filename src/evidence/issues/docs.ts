// What the API document says of the operations on issues.
import type { OperationDocs } from '../../model/docs.ts';

const OWNER = { tokenId: 'tok_01k4mz2v9cf8ptw0yq3e6r7h5d', label: 'owner' };
const AT = '2026-01-31T12:00:00.000Z';

export const LISTED_EXAMPLE = {
  id: 'iss_01k4mz3b6qf2gte8s9vxw0y1za',
  number: 17,
  title: 'Paying twice when the button is pressed twice',
  description: 'Two charges appear on the receipt.',
  severity: 'critical',
  priority: null,
  status: 'open',
  resolution: null,
  duplicateOf: null,
  storyIds: ['US-12'],
  labels: ['payment'],
  assignee: null,
  reporter: 'Ada',
  author: OWNER,
  url: 'https://shop.example/checkout',
  route: '/checkout',
  build: '2026.1.31',
  environment: 'staging',
  runId: null,
  occurredAt: AT,
  resolvedAt: null,
  fixedInBuild: null,
  fingerprint: 'i1:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is',
  occurrences: 1,
  possibleRegression: false,
  untrusted: false,
  version: 1,
  createdAt: AT,
  updatedAt: AT,
  attachments: [],
};

export const CREATED_EXAMPLE = {
  ...LISTED_EXAMPLE,
  context: { errors: [{ type: 'TypeError', message: 'x is undefined' }] },
  history: [{ at: AT, by: OWNER, event: 'created', changes: [] }],
  duplicates: [],
};

const { id, title, severity, route, build, context } = CREATED_EXAMPLE;

export const ISSUE_DOCS = {
  read: {
    description:
      'Issues, the newest first, duplicates left out unless asked for. `id` or `number` answers one bare, with its ' +
      'context, history, duplicates and fresh links to its evidence.',
    replies: {
      200: {
        description: 'A page of issues, or one issue',
        example: { items: [LISTED_EXAMPLE], nextCursor: null },
        headers: ['ETag', 'Link'],
      },
    },
  },
  create: {
    description:
      'Files an issue. Where its fingerprint (title, route and first error, numbers folded out) meets an earlier issue, ' +
      'it is born closed as the duplicate of that one, or of what that one is a duplicate of, unless `dedupe` is false; ' +
      'where the original was fixed before, it may come back as a regression. A `widget:write` token is answered with ' +
      'the id and what it sent.',
    bodyExample: { title, severity, route, build, context },
    replies: {
      201: {
        description: 'The issue; for a widget, what it sent',
        examples: { issue: CREATED_EXAMPLE, widget: { id, title, severity, route, build } },
        headers: ['ETag'],
      },
    },
  },
  update: {
    description:
      'Changes an issue by a merge patch; every change is kept in its history. `open` goes to triaged, in_progress or ' +
      'resolved; `triaged` to in_progress or resolved; `in_progress` to triaged or resolved; `resolved` to verified, ' +
      'closed or open; `verified` to closed or open; `closed` to open; and any to `closed` with a resolution. Any other ' +
      'move is `409 illegal_transition`. `removeAttachments` takes evidence away, on record.',
    bodyExample: { status: 'resolved', resolution: 'fixed', fixedInBuild: '2026.2.1' },
    replies: {
      200: { description: 'The issue as it is now', example: CREATED_EXAMPLE, headers: ['ETag'] },
    },
    problems: ['illegal_transition'],
  },
} satisfies Record<string, OperationDocs>;
