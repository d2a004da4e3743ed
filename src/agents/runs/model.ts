// What callers send and ask of the state of runs, and what is answered.
import { type Static, Type } from '@sinclair/typebox';
import { Actor, idOf, pageSchema, timeOf, Untrusted, Version } from '../../model/answer-schemas.ts';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, Name, nullable, oneOf, Title } from '../../model/schemas.ts';
import type { Progress } from '../../store/tables/json.ts';
import { PLAN_ORIGINS, PlanAnswer, PlanItem } from '../plan/model.ts';
import { DEFAULT_LEASE_MS, LEASE_ENDS, MAX_LEASE_MS, MIN_LEASE_MS } from '../suites/leases.ts';
import { RUN_STATES } from './states.ts';

const Id = Type.String({ minLength: 1, maxLength: 100 });
const BoundedCount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Count = Type.Integer({ minimum: 0 });

export const LeaseMs = Type.Integer({
  minimum: MIN_LEASE_MS,
  maximum: MAX_LEASE_MS,
  description: `For how long after each sign of life; ${DEFAULT_LEASE_MS} by default`,
});

export const AgentFields = {
  name: Name,
  version: Type.Optional(nullable(Name)),
};

export const LeaseBody = closed({
  id: Id,
  token: Type.String({ minLength: 1, maxLength: 200 }),
});

const ProgressBody = closed({
  done: Type.Optional(nullable(BoundedCount)),
  total: Type.Optional(nullable(BoundedCount)),
  current: Type.Optional(nullable(Type.String({ maxLength: 2048, description: 'What runs now' }))),
});

const body = {
  runId: Type.Optional(Id),
  attempt: Type.Optional(Type.Integer({ minimum: 1 })),
  lease: Type.Optional(LeaseBody),
  seq: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Rises with every write of an agent to its run',
    }),
  ),
  state: Type.Optional(oneOf(RUN_STATES)),
  progress: Type.Optional(nullable(ProgressBody)),
  message: Type.Optional(nullable(Type.String({ maxLength: 8192 }))),
  name: Type.Optional(Title),
  commandId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 300, description: 'Id or key of a test command' }),
  ),
  agent: Type.Optional(closed(AgentFields)),
  leaseMs: Type.Optional(LeaseMs),
};

export const RunStateBody = closed(body, {
  title: 'RunStateInput',
  description:
    'Without `runId` it opens a run of the caller; with it, `attempt`, `lease` and `seq` are required, but for the ' +
    'cancelling by an owner',
});
export type RunStateInput = Static<typeof RunStateBody>;

/** Progress with all its fields; what is not given is null. */
export function progressOf(sent: RunStateInput['progress']): Progress | null | undefined {
  return (
    sent && { done: sent.done ?? null, total: sent.total ?? null, current: sent.current ?? null }
  );
}

export const OPENING = ['name', 'commandId', 'agent', 'leaseMs'] as const;
export const WRITING = ['attempt', 'lease', 'seq'] as const;

export const RunStateQuery = closed({
  runId: Type.Optional(Type.String({ description: 'One run, bare' })),
  state: Type.Optional(Type.Array(oneOf(RUN_STATES), { maxItems: 100 })),
  suiteId: Type.Optional(Type.Array(Id, { maxItems: 100 })),
  planId: Type.Optional(Type.Array(Id, { maxItems: 100 })),
  commandId: Type.Optional(Type.Array(Id, { maxItems: 100 })),
  view: Type.Optional(
    oneOf(
      ['plans', 'suites'],
      'Plans with the counts of their items by state (with one `planId` that plan, bare and whole), or suites with ' +
        'the counts of their runs',
    ),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
});
export type RunStateFilters = Static<typeof RunStateQuery>;

const ITEM_STATES = ['open', 'claimed', 'ended'] as const;
const ITEM_OUTCOMES = ['passed', 'failed', 'broken', 'cancelled'] as const;

const Attempt = Type.Integer({ minimum: 1, description: 'Which claim of its item it is' });

const AgentSchema = Type.Object(
  { name: Type.String(), version: nullable(Type.String()) },
  { title: 'Agent', description: 'As it calls itself' },
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

export const RunState = Type.Object(
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
export type RunStateView = Static<typeof RunState>;

export const OpenedRunState = Type.Object(
  { ...RunState.properties, lease: LeaseSchema },
  { title: 'OpenedRunState' },
);

const PlanProgress = Type.Object(
  {
    id: idOf('plan'),
    revision: Type.Integer({ minimum: 0 }),
    origin: oneOf(PLAN_ORIGINS),
    items: Type.Object({
      total: Count,
      open: Count,
      claimed: Count,
      passed: Count,
      failed: Count,
      broken: Count,
      cancelled: Count,
    }),
    done: Type.Boolean({ description: 'Every item has ended' }),
    author: Actor,
    createdAt: timeOf('When it was made'),
  },
  { title: 'PlanProgress' },
);
export type PlanProgress = Static<typeof PlanProgress>;

export const StoredPlan = Type.Object(
  {
    ...PlanAnswer.properties,
    origin: oneOf(PLAN_ORIGINS),
    estimateMs: nullable(PlanAnswer.properties.estimateMs),
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
export type StoredPlan = Static<typeof StoredPlan>;

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
export type SuiteProgress = Static<typeof SuiteProgress>;

export const RunStatePage = pageSchema('RunStatePage', RunState);
export const PlanProgressPage = pageSchema('PlanProgressPage', PlanProgress);
export const SuiteProgressPage = pageSchema('SuiteProgressPage', SuiteProgress);
