// What the API document says of the operations on the state of runs.
import { Type } from '@sinclair/typebox';
import type { OperationDocs } from '../../http/document/operation.ts';
import { Actor, idOf, pageSchema, timeOf, Untrusted, Version } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { Plan, PlanItem } from '../plan/docs.ts';
import { PLAN_ORIGINS } from '../plan/store.ts';
import { LEASE_ENDS } from '../suites/leases.ts';
import { RUN_STATES } from './states.ts';

const ITEM_STATES = ['open', 'claimed', 'ended'] as const;
const ITEM_OUTCOMES = ['passed', 'failed', 'broken', 'cancelled'] as const;

const Count = Type.Integer({ minimum: 0 });
const Attempt = Type.Integer({ minimum: 1, description: 'Which claim of its item it is' });

export const AgentSchema = Type.Object(
  { name: Type.String(), version: nullable(Type.String()) },
  { title: 'Agent', description: 'As it calls itself' },
);

const RunState = Type.Object(
  {
    runId: idOf('run'),
    suiteId: nullable(idOf('suite')),
    planId: nullable(idOf('plan')),
    position: nullable(Type.Integer({ minimum: 1, description: 'Of its item' })),
    commandId: nullable(idOf('test command')),
    name: nullable(Type.String()),
    state: oneOf(RUN_STATES),
    seq: Type.Integer({ minimum: 0, description: 'Of the newest write of its agent' }),
    attempt: Attempt,
    progress: nullable(
      Type.Object({
        done: nullable(Count),
        total: nullable(Count),
        current: nullable(Type.String()),
      }),
    ),
    message: nullable(Type.String()),
    agent: nullable(AgentSchema),
    heartbeatAt: nullable(timeOf('When its agent last wrote')),
    leaseExpiresAt: nullable(timeOf('Until when it is held; null where nobody holds it')),
    renewAfterMs: nullable(Type.Integer({ minimum: 1, description: 'A fifth of the lease' })),
    cancelRequested: Type.Boolean({ description: 'An owner wants it cancelled' }),
    fromWidget: Type.Boolean({ description: 'It never counts for anything' }),
    untrusted: Untrusted,
    revision: Type.Integer({ minimum: 0, description: 'Of the requirements when it was claimed' }),
    author: Actor,
    version: Version,
    createdAt: timeOf('When it was claimed or opened'),
    updatedAt: timeOf('When it was last written to'),
  },
  { title: 'RunState' },
);

export const LeaseSchema = Type.Object(
  {
    id: idOf('lease'),
    token: Type.String({ description: 'Its secret, shown this once' }),
    expiresAt: timeOf('When it is lost unless renewed'),
    renewAfterMs: Type.Integer({ minimum: 1, description: 'After which time to renew it' }),
  },
  { title: 'Lease' },
);

const PlanProgress = Type.Object(
  {
    id: idOf('plan'),
    revision: Type.Integer({ minimum: 0 }),
    origin: oneOf(PLAN_ORIGINS),
    items: Type.Object({
      ...{ total: Count, open: Count, claimed: Count },
      ...{ passed: Count, failed: Count, broken: Count, cancelled: Count },
    }),
    done: Type.Boolean({ description: 'Every item has ended' }),
    author: Actor,
    createdAt: timeOf('When it was made'),
  },
  { title: 'PlanProgress' },
);

const StoredPlan = Type.Object(
  {
    ...Plan.properties,
    origin: oneOf(PLAN_ORIGINS),
    estimateMs: nullable(Plan.properties.estimateMs),
    items: Type.Array(
      Type.Object(
        {
          ...PlanItem.properties,
          estimateMs: nullable(PlanItem.properties.estimateMs),
          state: oneOf(ITEM_STATES),
          attempts: Count,
          runId: nullable(Type.String({ description: 'Of its newest attempt' })),
          outcome: nullable(oneOf(ITEM_OUTCOMES)),
        },
        { title: 'StoredPlanItem' },
      ),
    ),
    progress: PlanProgress.properties.items,
    done: PlanProgress.properties.done,
    author: Actor,
    createdAt: timeOf('When it was made'),
  },
  { title: 'StoredPlan' },
);

const SuiteProgress = Type.Object(
  {
    id: idOf('suite'),
    planId: nullable(idOf('plan')),
    agent: AgentSchema,
    runs: Type.Object(Object.fromEntries(RUN_STATES.map((state) => [state, Count]))),
    lease: Type.Object({
      expiresAt: timeOf('When it is, or was, lost unless renewed'),
      endedAt: nullable(timeOf('When it ended')),
      endedWhy: nullable(oneOf(LEASE_ENDS)),
    }),
    author: Actor,
    createdAt: timeOf('When it was claimed'),
    endedAt: nullable(timeOf('When nothing was held under it any more')),
  },
  { title: 'SuiteProgress' },
);

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
  ...{ suiteId: null, planId: null, position: null, commandId: null, seq: 0, version: 1 },
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
      'within a tenth of a second is told together, of each run the newest state; a heartbeat that says nothing new is no ' +
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
        schema: Type.Union([
          pageSchema('RunStatePage', RunState),
          RunState,
          pageSchema('PlanProgressPage', PlanProgress),
          StoredPlan,
          pageSchema('SuiteProgressPage', SuiteProgress),
        ]),
        examples: {
          list: { items: [RUN_EXAMPLE], nextCursor: null },
          one: RUN_EXAMPLE,
          plans: {
            items: [
              {
                ...{ id: PLAN_ID, revision: 7, origin: 'produced', done: false, author: AUTHOR },
                items: {
                  ...{ total: 40, open: 27, claimed: 3 },
                  ...{ passed: 8, failed: 1, broken: 0, cancelled: 1 },
                },
                createdAt: '2026-01-31T11:58:00.000Z',
              },
            ],
            nextCursor: null,
          },
          suites: {
            items: [
              {
                ...{ id: SUITE_ID, planId: PLAN_ID, agent: AGENT, author: AUTHOR },
                runs: {
                  ...{ queued: 2, running: 1, passed: 4, failed: 0 },
                  ...{ broken: 0, cancelled: 0, lost: 0 },
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
      'one that nobody holds at once; the agent of one that is held is told by `cancelRequested`. What a widget opens ' +
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
        schema: RunState,
        example: RUN_EXAMPLE,
        headers: ['ETag'],
      },
      201: {
        description: 'The run that was opened, with its lease',
        schema: Type.Object(
          { ...RunState.properties, lease: LeaseSchema },
          { title: 'OpenedRunState' },
        ),
        example: OWN_RUN,
        headers: ['ETag'],
      },
    },
    problems: ['not_found', 'conflict', 'illegal_transition', 'lease_expired', 'stale_sequence'],
  },
} satisfies Record<string, OperationDocs>;
