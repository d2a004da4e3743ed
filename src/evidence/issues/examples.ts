// The issue that the API document shows, at several moments.
import { ATTACHMENT_EXAMPLE } from '../attachments/docs.ts';

const OWNER = { tokenId: 'tok_01k4mz2v9cf8ptw0yq3e6r7h5d', label: 'owner' };

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
  occurredAt: '2026-01-31T12:00:00.000Z',
  resolvedAt: null,
  fixedInBuild: null,
  fingerprint: 'i1:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is',
  occurrences: 1,
  possibleRegression: false,
  untrusted: false,
  version: 1,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  attachments: [ATTACHMENT_EXAMPLE],
};

export const CREATED_EXAMPLE = {
  ...LISTED_EXAMPLE,
  attachments: [],
  context: {
    page: { url: 'https://shop.example/checkout' },
    errors: [{ type: 'TypeError', message: 'x is undefined' }],
  },
  history: [{ at: '2026-01-31T12:00:00.000Z', by: OWNER, event: 'created', changes: [] }],
  duplicates: [],
};

export const RESOLVED_EXAMPLE = {
  ...CREATED_EXAMPLE,
  status: 'resolved',
  resolution: 'fixed',
  fixedInBuild: '2026.2.1',
  resolvedAt: '2026-02-01T09:30:00.000Z',
  updatedAt: '2026-02-01T09:30:00.000Z',
  version: 2,
  attachments: [ATTACHMENT_EXAMPLE],
  history: [
    ...CREATED_EXAMPLE.history,
    {
      at: '2026-02-01T09:30:00.000Z',
      by: OWNER,
      event: 'updated',
      changes: [
        { field: 'status', from: 'open', to: 'resolved' },
        { field: 'resolution', from: null, to: 'fixed' },
        { field: 'fixedInBuild', from: null, to: '2026.2.1' },
      ],
    },
  ],
};

export const FILED_EXAMPLE = {
  id: LISTED_EXAMPLE.id,
  title: LISTED_EXAMPLE.title,
  severity: LISTED_EXAMPLE.severity,
  route: LISTED_EXAMPLE.route,
  build: LISTED_EXAMPLE.build,
};
