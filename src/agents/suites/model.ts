// What an agent sends to get a suite, and what it gets.
import { type Static, Type } from '@sinclair/typebox';
import { closed, idOf, Name, nullable, oneOf, Text } from '../../model/schemas.ts';
import { COMMAND_KINDS, TestCommand } from '../../quality/commands/model.ts';
import { CommandBody } from '../commands/model.ts';
import { AgentFields, LeaseMs, LeaseSchema } from '../runs/model.ts';

export const DEFAULT_ITEMS = 100;
export const MAX_ITEMS = 1000;

const Id = Type.String({ minLength: 1, maxLength: 100 });
const optional = Type.Optional;

const ofCommand = ['name', 'argv', 'cwd', 'env', 'timeoutMs', 'report', 'storyIds'] as const;

const OwnItem = closed(
  {
    ...Type.Pick(CommandBody, ofCommand).properties,
    argv: optional(Type.Array(Text, { minItems: 1, maxItems: 100 })),
    commandId: optional({
      ...Name,
      description: 'Id or key of a stored command: what is not said here is as it says',
    }),
  },
  { title: 'OwnSuiteItem' },
);
export type OwnItemInput = Static<typeof OwnItem>;

export const SuiteBody = closed(
  {
    planId: optional(Id),
    commandIds: optional(
      Type.Array(Name, {
        minItems: 1,
        maxItems: 100_000,
        uniqueItems: true,
        description: 'Ids or keys, each command once',
      }),
    ),
    suite: optional(closed({ items: Type.Array(OwnItem, { minItems: 1, maxItems: 100_000 }) })),
    agent: closed({
      ...AgentFields,
      kinds: optional(
        Type.Array(oneOf(COMMAND_KINDS), {
          minItems: 1,
          maxItems: 100,
          description: 'Kinds of commands that it can run; all by default',
        }),
      ),
    }),
    maxItems: optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_ITEMS,
        description: `Items of the plan that are claimed at most; ${DEFAULT_ITEMS} by default`,
      }),
    ),
    leaseMs: optional(LeaseMs),
  },
  { title: 'SuiteInput', description: 'One of `planId`, `commandIds` and `suite` is required' },
);
export type SuiteInput = Static<typeof SuiteBody>;

const SuiteItem = Type.Object(
  {
    position: Type.Integer({ minimum: 1, description: 'Of the item in its plan, or in the suite' }),
    runId: idOf('run'),
    attempt: Type.Integer({ minimum: 1 }),
    commandId: nullable(idOf('test command')),
    ...Type.Pick(TestCommand, [...ofCommand, 'kind']).properties,
    env: Type.Record(Type.String(), Type.String()),
  },
  { title: 'SuiteItem' },
);
export type SuiteItemView = Static<typeof SuiteItem>;

export const Suite = Type.Object(
  {
    id: idOf('suite'),
    planId: nullable(idOf('plan')),
    items: Type.Array(SuiteItem),
    lease: LeaseSchema,
    credentials: Type.Record(Type.String(), Type.String(), {
      description: 'Values of the credentials that its commands name, on loan',
    }),
  },
  { title: 'Suite' },
);
export type SuiteView = Static<typeof Suite>;

export const NothingToClaim = Type.Object(
  {
    planId: idOf('plan'),
    items: Type.Array(SuiteItem, { maxItems: 0 }),
    done: Type.Boolean({
      description: 'Every item of the plan has ended, of the kinds that the agent runs',
    }),
    retryAfterMs: Type.Integer({ minimum: 0, description: 'When to ask again; 0 once it is done' }),
  },
  { title: 'NothingToClaim' },
);
