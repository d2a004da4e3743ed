// What a test command is: its kinds and states, how it is asked for and shown, what a result of it is
// a result of.
import { hash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { Actor, idOf, pageSchema, timeOf, Version } from '../../model/answer-schemas.ts';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, nullable, oneOf } from '../../model/schemas.ts';
import type { CommandReport } from '../../store/tables/json.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';

export type { CommandReport, Quarantine } from '../../store/tables/json.ts';

export const COMMAND_KINDS = ['shell', 'bun-test', 'playwright', 'http', 'manual'] as const;

/** Kinds that are run by their `argv`. */
export const KINDS_WITH_ARGV: ReadonlySet<string> = new Set(['shell', 'bun-test', 'playwright']);

export const COMMAND_STATES = ['active', 'quarantined', 'disabled', 'archived'] as const;
export type CommandState = (typeof COMMAND_STATES)[number];

export const REPORT_FORMATS = ['none', 'junit', 'ctrf', 'tap'] as const;

const Texts = (description: string) => Type.Array(Type.String(), { description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const ShareOrNull = nullable(
  Type.Number({ minimum: 0, maximum: 1, description: 'Rounded down; null without runs' }),
);

const CommandStats = Type.Object(
  {
    runs: Count('Runs that count'),
    passRate: ShareOrNull,
    flakeRate: ShareOrNull,
    p50Ms: nullable(Count('Median duration of the newest 100 runs')),
    p95Ms: nullable(Count('95th percentile of the same')),
    lastStatus: nullable(oneOf(['passed', 'failed', 'broken'])),
    lastRunId: nullable(idOf('newest run')),
    lastAt: nullable(timeOf('When it ended')),
  },
  { title: 'TestCommandStats', description: 'What the runs of a command that count say of it' },
);

export const TestCommand = Type.Object(
  {
    id: idOf('test command'),
    key: Type.String({ description: 'Unique in the project' }),
    name: Type.String(),
    kind: oneOf(COMMAND_KINDS),
    argv: Texts('Program and arguments'),
    cwd: nullable(Type.String({ description: 'Folder in which it runs' })),
    env: Type.Record(Type.String(), nullable(Type.String()), {
      description: 'Variables; their values are null for all but owners and agents',
    }),
    timeoutMs: Count('How long it may run'),
    report: Type.Object({
      format: oneOf(REPORT_FORMATS),
      path: nullable(Type.String({ description: 'Where it leaves its report' })),
    }),
    storyIds: Texts('Stories that it verifies'),
    routes: Texts('Routes that it exercises'),
    tags: Texts('Free words'),
    credentials: Texts('Names of the credentials that it gets on loan'),
    allowArchives: Type.Boolean({ description: 'Archives are taken while these are lent' }),
    onLeaseLost: oneOf(['retry', 'fail'], 'What becomes of an item whose lease ran out'),
    maxAttempts: Type.Integer({ minimum: 1, description: 'After so many it ends broken' }),
    state: oneOf(COMMAND_STATES, 'In effect: once its quarantine is over it is `active`'),
    quarantine: nullable(
      Type.Object({
        owner: Type.String({ description: 'Who sees to it' }),
        reason: Type.String(),
        until: timeOf('From when on it gates again'),
      }),
    ),
    fingerprint: Type.String({ description: 'Of kind, argv, cwd and report' }),
    stats: CommandStats,
    author: Actor,
    createdAt: timeOf('When it was registered'),
    updatedAt: timeOf('When it was last changed'),
    version: Version,
    warnings: Type.Optional(
      Texts('Where a secret was set that is too short to be masked; in the answer to that alone'),
    ),
  },
  { title: 'TestCommand' },
);

export const CommandPage = pageSchema('TestCommandPage', TestCommand);

const AnyOf = Type.Optional(Type.Array(Type.String()));

export const CommandQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String()),
  id: Type.Optional(Type.String({ description: 'One command, bare' })),
  key: AnyOf,
  name: AnyOf,
  kind: Type.Optional(Type.Array(oneOf(COMMAND_KINDS))),
  state: Type.Optional(Type.Array(oneOf(COMMAND_STATES), { description: 'In effect' })),
  storyIds: AnyOf,
  routes: AnyOf,
  tags: AnyOf,
  credentials: AnyOf,
});
export type CommandFilters = Static<typeof CommandQuery>;

/** SHA-256 over what a command runs and reports, `c1:` before it. */
export function commandFingerprint(command: {
  kind: string;
  argv: readonly string[];
  cwd: string | null;
  report: CommandReport;
}): string {
  const { argv, cwd, kind, report } = command;
  // The keys in the order of RFC 8785; of strings and arrays JSON.stringify is canonical.
  const said = { argv, cwd, kind, report: { format: report.format, path: report.path } };
  return `c1:${hash('sha256', JSON.stringify(said), 'hex')}`;
}

/** The state in effect: a quarantine whose time is up gates again, so its command is `active`. */
export function stateOf(
  { state, quarantine }: Pick<TestCommandRow, 'state' | 'quarantine'>,
  now: number,
): CommandState {
  if (state !== 'quarantined') return state as CommandState;
  return quarantine && quarantine.until > now ? 'quarantined' : 'active';
}
