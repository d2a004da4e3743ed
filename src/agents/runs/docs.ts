// What the API document says of the operations on the state of runs.
import type { OperationDocs } from '../../model/docs.ts';

const AUTHOR = { tokenId: 'tok_01k2z3a4b5c6d7e8f9g0h1j2k3', label: 'CI' };
const AGENT = { name: 'ci-runner-3', version: '1.4.0' };
export const RUN_ID = 'run_01k4mz5f7tk6mwx3n4p8q9r0vw';
export const SUITE_ID = 'ste_01k4mz5f7tk6mwx3n4p8q9r0vy';
export const PLAN_ID = 'pln_01k4mz5f7tk6mwx3n4p8q9r0vz';
export const LEASE_EXAMPLE = {
  id: 'lse_01k4mz5f7tk6mwx3n4p8q9r0w0',
  token: '0c8x5n2v7q1z4m9r3t6w8y0b2d4f6h8j1k3n5q7s9v1x3z5b7d9g',
  expiresAt: '2026-01-31T12:15:00.000Z',
  renewAfterMs: 180_000,
};
export const RUN_EXAMPLE = {
  runId: RUN_ID,
  suiteId: SUITE_ID,
  planId: PLAN_ID,
  position: 1,
  commandId: 'cmd_01k4mz5f7tk6mwx3n4p8q9r0vx',
  name: 'Checkout in the browser',
  state: 'running',
  seq: 2,
  attempt: 1,
  progress: { done: 12, total: 40, current: 'pays by card' },
  message: null,
  agent: AGENT,
  heartbeatAt: '2026-01-31T12:00:00.000Z',
  leaseExpiresAt: LEASE_EXAMPLE.expiresAt,
  renewAfterMs: LEASE_EXAMPLE.renewAfterMs,
  cancelRequested: false,
  fromWidget: false,
  untrusted: false,
  revision: 7,
  author: AUTHOR,
  version: 3,
  createdAt: '2026-01-31T11:59:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
};
const OWN_RUN = {
  ...RUN_EXAMPLE,
  suiteId: null,
  planId: null,
  position: null,
  commandId: null,
  seq: 0,
  version: 1,
  name: 'Nightly',
  lease: LEASE_EXAMPLE,
};

const EVENT = `id: 4711\nevent: run-state\ndata: ${JSON.stringify(RUN_EXAMPLE)}\n\n`;

export const RUN_STATE_DOCS = {
  read: {
    description:
      'The runs that were claimed or opened, the newest first; `runId` answers one bare, `view=plans` and `view=suites` ' +
      'how far plans and suites are, `view=plans&planId=` one plan whole: its items with their reasons, and how each went. With `Accept: text/event-stream` (where JSON weighs no more, and is not named before ' +
      'it) the changes as they happen (HTML Living Standard, 9.2): each event `run-state` has a run as data and the number of its change as `id`. `Last-Event-ID` resumes behind ' +
      'a change, with the newest state of each run that has changed since; without it the stream begins now. What changes ' +
      'within a tenth of a second is sent at once, of each run the newest state; a heartbeat that says nothing new is no ' +
      'change. The filters go with a stream too. It ends with the token and with the service, and where its reader does ' +
      'not keep up: connect again with `Last-Event-ID`.',
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
        examples: {
          list: { items: [RUN_EXAMPLE], nextCursor: null },
          one: RUN_EXAMPLE,
          plans: {
            items: [
              {
                id: PLAN_ID,
                revision: 7,
                origin: 'produced',
                done: false,
                author: AUTHOR,
                items: {
                  total: 40,
                  open: 27,
                  claimed: 3,
                  passed: 8,
                  failed: 1,
                  broken: 0,
                  cancelled: 1,
                },
                createdAt: '2026-01-31T11:58:00.000Z',
              },
            ],
            nextCursor: null,
          },
          suites: {
            items: [
              {
                id: SUITE_ID,
                planId: PLAN_ID,
                agent: AGENT,
                author: AUTHOR,
                runs: {
                  queued: 2,
                  running: 1,
                  passed: 4,
                  failed: 0,
                  broken: 0,
                  cancelled: 0,
                  lost: 0,
                },
                lease: { expiresAt: LEASE_EXAMPLE.expiresAt, endedAt: null, endedWhy: null },
                createdAt: '2026-01-31T11:59:00.000Z',
                endedAt: null,
              },
            ],
            nextCursor: null,
          },
        },
        alsoAs: { 'text/event-stream': EVENT },
        headers: ['Link', 'ETag'],
      },
    },
  },
  submit: {
    description:
      'Without `runId` it opens a run of the caller, which passes and fails by its own word. Writes to a run carry ' +
      '`attempt`, `lease` and `seq`, under the token that holds it; else `404`. Each renews the lease, of a suite as a ' +
      'whole; one without `state`, `progress` and `message` is a heartbeat. `seq` rises: a lower one is `409 ' +
      'stale_sequence`, the same one with the same body answers as before, with another body it is stale too. Moves: ' +
      '`queued` to running, cancelled, broken; `running` to passed, failed, broken, cancelled; ends are final, any other ' +
      'move is `409 illegal_transition`. A run of a suite passes or fails through `POST /test-runs` alone. A run whose ' +
      'lease was not renewed is `lost`; while its item is not claimed again and has not ended, the next write returns it ' +
      'to `running`, else it is `409 lease_expired`. Time in which the service did not serve, and a clock that was set, ' +
      'count against no lease: those that run begin anew then. An owner cancels any run with `runId` and `state: "cancelled"` alone: ' +
      'one that nobody holds at once; the agent of one that is held learns it from `cancelRequested`. What a widget opens ' +
      'never counts for anything, and its answers say what it sent.',
    bodyExample: {
      runId: RUN_ID,
      attempt: 1,
      lease: { id: LEASE_EXAMPLE.id, token: LEASE_EXAMPLE.token },
      seq: 2,
      state: 'running',
      progress: { done: 12, total: 40, current: 'pays by card' },
    },
    replies: {
      200: {
        description: 'The run as it is now',
        example: RUN_EXAMPLE,
        headers: ['ETag'],
      },
      201: {
        description: 'The run that was opened, with its lease',
        example: OWN_RUN,
        headers: ['ETag'],
      },
    },
    problems: ['not_found', 'conflict', 'illegal_transition', 'lease_expired', 'stale_sequence'],
  },
} satisfies Record<string, OperationDocs>;
