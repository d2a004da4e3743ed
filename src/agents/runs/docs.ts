// What the API document says of the operations on the state of runs.
import type { OperationDocs } from '../../model/docs.ts';

const LEASE = {
  id: 'lse_01k4mz5f7tk6mwx3n4p8q9r0w0',
  token: '0c8x5n2v7q1z4m9r3t6w8y0b2d4f6h8j1k3n5q7s9v1x3z5b7d9g',
  expiresAt: '2026-01-31T12:15:00.000Z',
  renewAfterMs: 180_000,
};
const RUN = {
  runId: 'run_01k4mz5f7tk6mwx3n4p8q9r0vw',
  suiteId: null,
  planId: null,
  position: null,
  commandId: null,
  name: 'Nightly',
  state: 'running',
  seq: 2,
  attempt: 1,
  progress: { done: 12, total: 40, current: 'pays by card' },
  message: null,
  agent: { name: 'ci-runner-3', version: '1.4.0' },
  heartbeatAt: '2026-01-31T12:00:00.000Z',
  leaseExpiresAt: LEASE.expiresAt,
  renewAfterMs: LEASE.renewAfterMs,
  cancelRequested: false,
  fromWidget: false,
  untrusted: false,
  revision: 7,
  author: { tokenId: 'tok_01k2z3a4b5c6d7e8f9g0h1j2k3', label: 'CI' },
  version: 3,
  createdAt: '2026-01-31T11:59:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
};

export const READ_RUN_STATE_DOCS: OperationDocs = {
  description:
    'The runs that were claimed or opened, the newest first; `view=plans&planId=` answers one plan whole, its items with ' +
    'their reasons and how each went. With `Accept: text/event-stream` first, the changes as they happen: each event ' +
    '`run-state` has a run as data and the number of its change as `id`, and `Last-Event-ID` resumes behind one with the ' +
    'newest state of each run that has changed since.',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: 'With `Accept: text/event-stream`: the `id` of the last event seen',
      schema: { type: 'integer', minimum: 0 },
    },
  ],
  replies: {
    200: {
      description: 'A page of runs, of plans or of suites; one run, one plan; or a stream',
      example: { items: [RUN], nextCursor: null },
      alsoAs: {
        'text/event-stream': `id: 4711\nevent: run-state\ndata: ${JSON.stringify(RUN)}\n\n`,
      },
      headers: ['Link', 'ETag'],
    },
  },
};

export const SUBMIT_RUN_STATE_DOCS: OperationDocs = {
  description:
    'Without `runId` it opens a run of the caller. Writes to a run carry `attempt`, `lease` and a rising `seq`, and renew ' +
    'the lease, of a suite as a whole; a run of a suite passes or fails through `POST /test-runs` alone, and one that was ' +
    '`lost` is `running` again with the next write while its item is not claimed again and has not ended. An owner cancels ' +
    'any run with `runId` and `state: "cancelled"` alone: the agent of one that is held learns it from `cancelRequested`.',
  bodyExample: {
    runId: RUN.runId,
    attempt: 1,
    lease: { id: LEASE.id, token: LEASE.token },
    seq: 2,
    state: 'running',
    progress: RUN.progress,
  },
  replies: {
    200: { description: 'The run as it is now', example: RUN, headers: ['ETag'] },
    201: {
      description: 'The run that was opened, with its lease',
      example: { ...RUN, lease: LEASE },
      headers: ['ETag'],
    },
  },
  problems: ['not_found', 'conflict', 'illegal_transition', 'lease_expired', 'stale_sequence'],
};
