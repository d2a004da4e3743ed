// What the API document says of the operations on issues.
import type { OperationDocs } from '../../model/docs.ts';
import { CREATED_EXAMPLE, FILED_EXAMPLE, LISTED_EXAMPLE, RESOLVED_EXAMPLE } from './examples.ts';

export const ISSUE_DOCS = {
  read: {
    description:
      'Issues, the newest first, duplicates left out unless asked for. `id` or `number` answers one bare, with its ' +
      'context, history, duplicates and fresh links to its evidence.',
    replies: {
      200: {
        description: 'A page of issues, or one issue',
        examples: {
          page: { items: [LISTED_EXAMPLE], nextCursor: null },
          issue: RESOLVED_EXAMPLE,
        },
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
    bodyExample: {
      title: 'Paying twice when the button is pressed twice',
      severity: 'critical',
      route: '/checkout',
      build: '2026.1.31',
      context: { errors: [{ type: 'TypeError', message: 'x is undefined' }] },
    },
    replies: {
      201: {
        description: 'The issue; for a widget, what it sent',
        examples: { issue: CREATED_EXAMPLE, widget: FILED_EXAMPLE },
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
      200: {
        description: 'The issue as it is now',
        example: RESOLVED_EXAMPLE,
        headers: ['ETag'],
      },
    },
    problems: ['illegal_transition'],
  },
} satisfies Record<string, OperationDocs>;
