// What the API document says of the operations on issues.
import { Type } from '@sinclair/typebox';
import type { OperationDocs } from '../http/api-operation.ts';
import { oneOf } from '../http/schemas.ts';
import { ATTACHMENT_EXAMPLE, Attachment } from './attachment-docs.ts';
import { IssueContext, SEVERITIES } from './issue-model.ts';
import { RESOLUTIONS, STATUSES } from './issue-states.ts';

const Time = Type.String({ documentedFormat: 'date-time' });
const Actor = Type.Object({ tokenId: Type.String(), label: orNull(Type.String()) });

function orNull<T extends Parameters<typeof Type.Union>[0][number]>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

const summary = {
  id: Type.String(),
  number: Type.Integer(),
  title: Type.String(),
  description: orNull(Type.String()),
  severity: oneOf(SEVERITIES),
  priority: orNull(Type.String()),
  status: oneOf(STATUSES),
  resolution: orNull(oneOf(RESOLUTIONS)),
  duplicateOf: orNull(Type.String()),
  storyIds: Type.Array(Type.String()),
  labels: Type.Array(Type.String()),
  assignee: orNull(Type.String()),
  reporter: orNull(Type.String({ description: 'Who the caller says it is' })),
  author: Actor,
  url: orNull(Type.String()),
  route: orNull(Type.String()),
  build: orNull(Type.String()),
  environment: orNull(Type.String()),
  runId: orNull(Type.String()),
  occurredAt: Time,
  resolvedAt: orNull(Time),
  fixedInBuild: orNull(Type.String()),
  fingerprint: orNull(Type.String({ description: 'By which duplicates are known' })),
  occurrences: Type.Integer(),
  possibleRegression: Type.Boolean(),
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
  attachments: Type.Array(Attachment),
};

const HistoryEntry = Type.Object({
  at: Time,
  by: Actor,
  event: Type.String(),
  changes: Type.Array(
    Type.Object({ field: Type.String(), from: Type.Unknown(), to: Type.Unknown() }),
  ),
});

export const Issue = Type.Object({
  ...summary,
  context: orNull(IssueContext),
  history: Type.Array(HistoryEntry),
  duplicates: Type.Array(
    Type.Object({
      id: Type.String(),
      number: Type.Integer(),
      build: orNull(Type.String()),
      occurredAt: Time,
    }),
  ),
});

const IssuePage = Type.Object({
  items: Type.Array(Type.Object(summary)),
  nextCursor: orNull(Type.String()),
});

const SUMMARY_EXAMPLE = {
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
  author: { tokenId: 'tok_01k4mz2v9cf8ptw0yq3e6r7h5d', label: 'owner' },
  url: 'https://shop.example/checkout',
  route: '/checkout',
  build: '2026.1.31',
  environment: 'staging',
  runId: null,
  occurredAt: '2026-01-31T12:00:00.000Z',
  resolvedAt: null,
  fixedInBuild: null,
  fingerprint: 'i1:9f86d081884c7d659a2feaa0c55ad015',
  occurrences: 1,
  possibleRegression: false,
  version: 1,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  attachments: [ATTACHMENT_EXAMPLE],
};

const ISSUE_EXAMPLE = {
  ...SUMMARY_EXAMPLE,
  context: {
    page: { url: 'https://shop.example/checkout' },
    errors: [{ type: 'TypeError', message: 'x is undefined' }],
  },
  history: [
    {
      at: '2026-01-31T12:00:00.000Z',
      by: { tokenId: 'tok_01k4mz2v9cf8ptw0yq3e6r7h5d', label: 'owner' },
      event: 'created',
      changes: [],
    },
  ],
  duplicates: [],
};

export const ISSUE_DOCS = {
  read: {
    description:
      'Issues, the newest first, duplicates left out unless asked for. `id` or `number` answers one bare, with its ' +
      'context, history, duplicates and fresh links to its evidence.',
    replies: {
      200: {
        description: 'A page of issues, or one issue',
        schema: Type.Union([IssuePage, Issue]),
        example: { items: [SUMMARY_EXAMPLE], nextCursor: null },
      },
    },
    problems: ['not_found'],
  },
  create: {
    description:
      'Files an issue. Where its fingerprint (title, route and first error, numbers folded out) meets an earlier issue, ' +
      'it is born closed as the duplicate of that one, unless `dedupe` is false; where that one was fixed before, it may ' +
      'come back as a regression. A `widget:write` token may set title, description, severity, url, route, build, ' +
      'environment, context and occurredAt alone, and is answered with the id and what it sent.',
    bodyExample: {
      title: 'Paying twice when the button is pressed twice',
      severity: 'critical',
      route: '/checkout',
      build: '2026.1.31',
      context: { errors: [{ type: 'TypeError', message: 'x is undefined' }] },
    },
    replies: {
      201: {
        description: 'The issue',
        schema: Type.Union([Issue, Type.Object({ id: Type.String() })]),
        example: ISSUE_EXAMPLE,
      },
    },
  },
  update: {
    description:
      'Changes an issue by a merge patch; every change is kept in its history. `open` goes to triaged, in_progress or ' +
      'resolved; `triaged` to in_progress or resolved; `in_progress` to triaged or resolved; `resolved` to verified, ' +
      'closed or open; `verified` to closed or open; `closed` to open; and any to `closed` with a resolution.',
    bodyExample: { status: 'resolved', resolution: 'fixed', fixedInBuild: '2026.2.1' },
    replies: {
      200: { description: 'The issue as it is now', schema: Issue, example: ISSUE_EXAMPLE },
    },
    problems: ['illegal_transition'],
  },
} satisfies Record<string, OperationDocs>;
