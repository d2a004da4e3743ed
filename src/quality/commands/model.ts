// What a test command is: its kinds and states, how it is asked for and shown, what a result of it is
// a result of.
import { hash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import {
  Actor,
  closed,
  idOf,
  lineOf,
  Names,
  nullable,
  oneOf,
  pageSchema,
  StoryId,
  Text,
  Title,
  timeOf,
  Version,
} from '../../model/schemas.ts';
import type { CommandReport } from '../../store/tables/json.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import { ROUTE_PATTERN, ROUTE_SAYS } from '../routes/route-text.ts';
import { stripFields } from '../runs/model.ts';

export type { CommandReport, Quarantine } from '../../store/tables/json.ts';

export const COMMAND_KINDS = ['shell', 'bun-test', 'playwright', 'http', 'manual'] as const;

export const KINDS_WITH_ARGV: ReadonlySet<string> = new Set(['shell', 'bun-test', 'playwright']);

export const COMMAND_STATES = ['active', 'quarantined', 'disabled', 'archived'] as const;
export type CommandState = (typeof COMMAND_STATES)[number];

export const REPORT_FORMATS = ['none', 'junit', 'ctrf', 'tap'] as const;

/** The name of a variable in the environment of a process (POSIX, XBD 8.1, with lower case). */
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const CredentialName = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: VARIABLE.source,
  says: 'must be the name of a variable: letters, digits and _, no digit first',
});
export const CredentialValue = Type.String({ minLength: 1, maxLength: 65_536 });

export const CommandKey = lineOf(300, 'Unique in the project');
const Route = Type.String({ maxLength: 2048, pattern: ROUTE_PATTERN, says: ROUTE_SAYS });
export const PathText = Type.String({ minLength: 1, maxLength: 4096 });

export const COMMAND_FIELDS = {
  name: Title,
  kind: oneOf(COMMAND_KINDS, '`shell` by default'),
  argv: Type.Array(Text, { maxItems: 100, description: 'Program and arguments' }),
  cwd: { ...PathText, description: 'Folder in which it runs, relative to that of the agent' },
  timeoutMs: Type.Integer({
    minimum: 1,
    maximum: 24 * 3600 * 1000,
    description: 'How long it may run; 600000 by default',
  }),
  storyIds: Type.Array(StoryId, { maxItems: 100_000, description: 'Stories that it verifies' }),
  routes: Type.Array(Route, {
    maxItems: 100,
    description: 'Routes that it exercises, as `POST /orders/{id}`',
  }),
  tags: Names,
  credentials: Type.Array(CredentialName, {
    maxItems: 100,
    description: 'Names of the credentials that it gets on loan; an owner alone sets them',
  }),
  allowArchives: Type.Boolean({
    description:
      'Whether archives are taken while its credentials are lent: nothing is masked in them. An owner alone sets it',
  }),
  onLeaseLost: oneOf(['retry', 'fail'], '`retry` by default'),
  maxAttempts: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: '3 by default',
  }),
  state: oneOf(COMMAND_STATES, '`active` by default; `quarantined` goes with `quarantine`'),
};

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
    key: CommandKey,
    ...COMMAND_FIELDS,
    cwd: nullable(COMMAND_FIELDS.cwd),
    env: Type.Record(Type.String(), nullable(Type.String()), {
      description: 'Variables; their values are null for all but owners and agents',
    }),
    report: Type.Object({
      format: oneOf(REPORT_FORMATS),
      path: nullable(Type.String({ description: 'Where it leaves its report' })),
    }),
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
    ...stripFields,
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
