// What callers send and ask of the state of runs.
import { type Static, Type } from '@sinclair/typebox';
import { PAGE_MOST } from '../../model/pages.ts';
import { closed, Name, nullable, oneOf, Title } from '../../model/schemas.ts';
import { DEFAULT_LEASE_MS, MAX_LEASE_MS, MIN_LEASE_MS } from '../suites/leases.ts';
import { RUN_STATES } from './states.ts';
import type { Progress } from './view.ts';

const Id = Type.String({ minLength: 1, maxLength: 100 });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const LeaseMs = Type.Integer({
  minimum: MIN_LEASE_MS,
  maximum: MAX_LEASE_MS,
  description: `For how long after each sign of life; ${DEFAULT_LEASE_MS} unless told`,
});

export const AgentFields = {
  name: Name,
  version: Type.Optional(nullable(Name)),
};

/** By what right a caller writes to a run. */
export const LeaseBody = closed({
  id: Id,
  token: Type.String({ minLength: 1, maxLength: 200 }),
});

const ProgressBody = closed({
  done: Type.Optional(nullable(Count)),
  total: Type.Optional(nullable(Count)),
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

/** Fields that go with the opening of a run alone. */
export const OPENING = ['name', 'commandId', 'agent', 'leaseMs'] as const;
/** Fields that go with a write to a run alone. */
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
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MOST })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
});
export type RunStateFilters = Static<typeof RunStateQuery>;
