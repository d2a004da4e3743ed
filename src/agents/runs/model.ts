// What callers send and ask of the state of runs, and what is answered.
import { type Static, Type } from '@sinclair/typebox';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import {
  Actor,
  closed,
  idOf,
  Name,
  nullable,
  oneOf,
  pageSchema,
  Title,
  timeOf,
  Untrusted,
  Version,
} from '../../model/schemas.ts';
import { shownBy } from '../../quality/lists.ts';
import type { LeaseRow, RunStateRow } from '../../store/tables/agents.ts';
import { PLAN_ORIGINS } from '../plan/model.ts';
import {
  DEFAULT_LEASE_MS,
  LEASE_ENDS,
  MAX_LEASE_MS,
  MIN_LEASE_MS,
  renewAfterMs,
} from '../suites/leases.ts';
import { isLive, RUN_STATES } from './states.ts';

const optional = Type.Optional;
const Id = Type.String({ minLength: 1, maxLength: 100 });
const Ids = optional(Type.Array(Id, { maxItems: 100 }));
const NullableText = nullable(Type.String());
const Count = Type.Integer({ minimum: 0 });
const BoundedCount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const LeaseMs = Type.Integer({
  minimum: MIN_LEASE_MS,
  maximum: MAX_LEASE_MS,
  description: `For how long after each sign of life; ${DEFAULT_LEASE_MS} by default`,
});

export const AgentFields = { name: Name, version: optional(nullable(Name)) };

const ProgressBody = closed({
  done: optional(nullable(BoundedCount)),
  total: optional(nullable(BoundedCount)),
  current: optional(nullable(Type.String({ maxLength: 2048, description: 'What runs now' }))),
});

export const RunStateBody = closed(
  {
    runId: optional(Id),
    attempt: optional(Type.Integer({ minimum: 1 })),
    lease: optional(closed({ id: Id, token: Type.String({ minLength: 1, maxLength: 200 }) })),
    seq: optional({
      ...BoundedCount,
      minimum: 1,
      description: 'Rises with every write to its run',
    }),
    state: optional(oneOf(RUN_STATES)),
    progress: optional(nullable(ProgressBody)),
    message: optional(nullable(Type.String({ maxLength: 8192 }))),
    name: optional(Title),
    commandId: optional({ ...Name, description: 'Id or key of a test command' }),
    agent: optional(closed(AgentFields)),
    leaseMs: optional(LeaseMs),
  },
  {
    title: 'RunStateInput',
    description:
      'With `runId`, `attempt`, `lease` and `seq` are required, but for the cancelling by an owner',
  },
);
export type RunStateInput = Static<typeof RunStateBody>;

export const RunStateQuery = closed({
  id: optional(Type.String({ description: 'One run, plan or suite, bare' })),
  runId: optional(Type.String({ description: 'One run, bare' })),
  state: optional(Type.Array(oneOf(RUN_STATES), { maxItems: 100 })),
  suiteId: Ids,
  planId: Ids,
  commandId: Ids,
  view: optional(
    oneOf(
      ['plans', 'suites', 'agents'],
      'With the counts of their items or runs by state; `agents`: who wrote in the last day',
    ),
  ),
  limit: optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: optional(Type.String({ maxLength: 300 })),
});
export type RunStateFilters = Static<typeof RunStateQuery>;

const AgentSchema = Type.Object(
  { name: Type.String(), version: NullableText },
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
    name: NullableText,
    state: oneOf(RUN_STATES),
    seq: Type.Integer({ minimum: 0, description: 'Of the newest write of its agent' }),
    attempt: Type.Integer({ minimum: 1, description: 'Which claim of its item it is' }),
    progress: nullable(
      Type.Object({ done: nullable(Count), total: nullable(Count), current: NullableText }),
    ),
    message: NullableText,
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

const about = {
  stories: Type.Array(Type.Object({ id: idOf('story'), title: NullableText }), {
    description:
      'The first 20 that its command verified when it was claimed, as they are called now',
  }),
  estimateMs: nullable({ ...Count, description: "Median of its command's newest 15 durations" }),
};
const AboutRun = Type.Object(about);
export type RunAbout = Static<typeof AboutRun>;
const ListedRunState = Type.Object(
  { ...RunState.properties, ...about },
  { title: 'ListedRunState' },
);

export const SeenAgent = Type.Object(
  {
    agent: AgentSchema,
    author: Actor,
    state: oneOf(['working', 'idle'], '`working` while it holds a run'),
    seenAt: timeOf('When it last claimed or wrote'),
    runs: { ...Count, description: "Its runs among the project's newest 10,000" },
    holding: { ...Count, description: 'Runs that it holds' },
    holds: Type.Array(ListedRunState, { description: 'The first 20 of them, running ones first' }),
  },
  { title: 'SeenAgent' },
);

export const OpenedRunState = Type.Object(
  { ...RunState.properties, lease: LeaseSchema },
  { title: 'OpenedRunState' },
);

export function runStateView(run: RunStateRow, lease: LeaseRow): RunStateView {
  const held = isLive(run.state) && lease.endedAt === null;
  return shownBy(RunState, {
    ...run,
    runId: run.id,
    name: run.item?.name ?? null,
    seq: run.stateSeq,
    heartbeatAt: optionalTimestamp(run.heartbeatAt),
    leaseExpiresAt: held ? timestamp(lease.expiresAt) : null,
    renewAfterMs: held ? renewAfterMs(lease) : null,
    untrusted: run.fromWidget,
    author: { tokenId: run.authorToken, label: run.authorLabel },
    createdAt: timestamp(run.createdAt),
    updatedAt: timestamp(run.updatedAt),
  });
}

export const PlanProgress = Type.Object(
  {
    id: idOf('plan'),
    revision: Count,
    origin: oneOf(PLAN_ORIGINS),
    done: Type.Boolean({ description: 'Every item has ended' }),
    items: Type.Object({
      total: Count,
      open: Count,
      claimed: Count,
      passed: Count,
      failed: Count,
      broken: Count,
      cancelled: Count,
    }),
    author: Actor,
    createdAt: timeOf('When it was made'),
  },
  { title: 'PlanProgress' },
);
export type PlanProgress = Static<typeof PlanProgress>;

export const SuiteProgress = Type.Object(
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

export const RunStatePage = pageSchema('RunStatePage', ListedRunState);
export const SeenAgentPage = pageSchema('SeenAgentPage', SeenAgent);
export const PlanProgressPage = pageSchema('PlanProgressPage', PlanProgress);
export const SuiteProgressPage = pageSchema('SuiteProgressPage', SuiteProgress);
