// What the API document says of the operations on system logs.
import type { OperationDocs } from '../../model/docs.ts';

const ENTRY = {
  id: 'log_01k4mz5f7tk6mwx3n4p8q9r0vw',
  at: '2026-01-31T12:00:00.000Z',
  level: 'error',
  source: 'checkout',
  message: 'payment 4711 timed out after 30000 ms',
  fields: { paymentId: 4711 },
  route: '/checkout',
  runId: null,
  issueId: null,
  fingerprint: 'l1:LCa0a2j_xo_5m0U8HTBBNBNCLXBkg7-g',
  occurrences: 3,
  state: 'open',
  note: null,
  version: 1,
};

const { fingerprint, level, source, message, occurrences } = ENTRY;
const GROUP = {
  level,
  source,
  message,
  fingerprint,
  occurrences,
  firstAt: '2026-01-31T11:12:00.000Z',
  lastAt: ENTRY.at,
};

export const LOG_DOCS = {
  read: {
    description:
      'Entries, the newest first; `id` answers one bare, `view=groups` groups them by fingerprint. What the service ' +
      'itself notes about the project has the source `pqrs`; a `read:demo` token does not see it. Those of its entries ' +
      'whose `fields` name an `action` are the audit: who (`by`) changed rights, settings, credentials or what is ' +
      'stored. No retention removes them.',
    replies: {
      200: {
        description: 'A page of entries, a page of groups, or one entry',
        examples: {
          page: { items: [ENTRY], nextCursor: null },
          groups: { items: [GROUP], nextCursor: null },
          entry: ENTRY,
        },
        headers: ['ETag', 'Link'],
      },
    },
  },
  write: {
    description:
      'Writes one entry, a list of them, or NDJSON with one a line: all of them, or none.',
    bodyExample: [{ level, source, message, fields: ENTRY.fields, route: ENTRY.route }],
    replies: {
      201: {
        description: 'How many were written, and their ids',
        example: { accepted: 1, ids: [ENTRY.id] },
      },
    },
  },
  settle: {
    description:
      'Sets state or note of entries: of those named by `ids` (or `id`), or of all that `filter` finds; the filter ' +
      'may not be empty. Any state goes to any. `404` where one of the ids is not of this project.',
    bodyExample: { filter: { fingerprint }, state: 'resolved', note: 'fixed in 2026.2.1' },
    replies: {
      200: {
        description: 'How many were changed',
        example: { updated: 3 },
      },
    },
  },
} satisfies Record<string, OperationDocs>;
