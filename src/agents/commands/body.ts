// What callers send of test commands.
import {
  type Static,
  type TNull,
  type TObject,
  type TOptional,
  type TProperties,
  type TUnion,
  Type,
} from '@sinclair/typebox';
import {
  closed,
  Name,
  Names,
  nullable,
  oneOf,
  StoryId,
  Text,
  Time,
  Title,
} from '../../model/schemas.ts';
import { COMMAND_KINDS, COMMAND_STATES, REPORT_FORMATS } from '../../quality/commands/model.ts';

const optional = Type.Optional;
const DAY_MS = 24 * 3600 * 1000;
export const DEFAULT_TIMEOUT_MS = 600_000;
export const DEFAULT_MAX_ATTEMPTS = 3;

const Key = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: '^[^\\s\\x00-\\x1f\\x7f](?:[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
  says: 'must be a text of 1 to 300 characters on one line, without white space at its ends',
  description: 'Unique in the project',
});

/** The name of a variable in the environment of a process (POSIX, XBD 8.1, with lower case). */
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const MAX_NAME = 300;
export const MAX_SECRET = 65_536;

const CredentialName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  pattern: VARIABLE.source,
  says: 'must be the name of a variable: letters, digits and _, no digit first',
});
const SecretValue = Type.String({ minLength: 1, maxLength: MAX_SECRET });

const Argv = Type.Array(Text, { maxItems: 100, description: 'Program and arguments' });
const Cwd = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: 'Folder in which it runs, relative to the one in which the agent works',
});
const MAX_VARIABLES = { maxProperties: 100 };
const ENV = 'Variables of its environment, by names of letters, digits and _';
const TimeoutMs = Type.Integer({
  minimum: 1,
  maximum: DAY_MS,
  description: `How long it may run; ${DEFAULT_TIMEOUT_MS} by default`,
});
const ReportPath = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: 'Where it leaves its report, relative to its folder; not with `none`',
});
const ReportFormat = oneOf(REPORT_FORMATS);
const StoryIds = Type.Array(StoryId, {
  maxItems: 100_000,
  description: 'Stories that it verifies',
});
const Routes = Type.Array(
  Type.String({
    maxLength: 2048,
    pattern: '^(?:[A-Za-z]{1,20} +)?/\\S*$',
    says: 'must be a path or template, with a method before it where it is of one: POST /orders/{id}',
  }),
  { maxItems: 100, description: 'Routes that it exercises, as `POST /orders/{id}`' },
);
const Credentials = Type.Array(CredentialName, {
  maxItems: 100,
  description: 'Names of the credentials that it gets on loan; an owner alone sets them',
});
const SECRETS =
  'Values of credentials of the project, never shown again: sets or replaces those that the command names, null ' +
  'removes one. An owner alone sends them';
const Secrets = Type.Record(Type.String(), nullable(SecretValue), {
  ...MAX_VARIABLES,
  writeOnly: true,
  description: SECRETS,
});
const AllowArchives = Type.Boolean({
  description:
    'Whether archives are taken while its credentials are lent: nothing is masked in them. An owner alone sets it',
});
const OnLeaseLost = oneOf(['retry', 'fail'], '`retry` by default');
const MaxAttempts = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: `${DEFAULT_MAX_ATTEMPTS} by default`,
});
const State = oneOf(COMMAND_STATES, '`active` by default; `quarantined` goes with `quarantine`');
const Reason = Type.String({ minLength: 1, maxLength: 65_536, pattern: '\\S' });
const quarantine = { owner: Title, reason: Reason, until: Time };

const withDefault = Type.Object({
  name: Title,
  argv: Argv,
  timeoutMs: TimeoutMs,
  storyIds: StoryIds,
  routes: Routes,
  tags: Names,
  credentials: Credentials,
  allowArchives: AllowArchives,
  onLeaseLost: OnLeaseLost,
  maxAttempts: MaxAttempts,
});

function clearable<P extends TProperties>({ properties }: TObject<P>) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, optional(nullable(field))]),
  ) as { [K in keyof P]: TOptional<TUnion<[P[K], TNull]>> };
}

export const CommandBody = closed(
  {
    key: Key,
    ...Type.Partial(withDefault).properties,
    kind: optional(oneOf(COMMAND_KINDS, '`shell` by default')),
    cwd: optional(nullable(Cwd)),
    env: optional(Type.Record(Type.String(), Text, { ...MAX_VARIABLES, description: ENV })),
    report: optional(closed({ format: ReportFormat, path: optional(nullable(ReportPath)) })),
    secrets: optional(Secrets),
    state: optional(State),
    quarantine: optional(nullable(closed(quarantine))),
  },
  {
    title: 'TestCommandInput',
    description: '`argv` is required for the kinds shell, bun-test and playwright',
  },
);
export type CommandInput = Static<typeof CommandBody>;

export const CommandPatch = closed(
  {
    id: Name,
    key: optional(Key),
    ...clearable(withDefault),
    kind: optional(oneOf(COMMAND_KINDS)),
    cwd: optional(nullable(Cwd)),
    env: optional(
      nullable(
        Type.Record(Type.String(), nullable(Text), {
          ...MAX_VARIABLES,
          description: `${ENV}; null takes one away`,
        }),
      ),
    ),
    report: optional(
      nullable(closed({ format: optional(ReportFormat), path: optional(nullable(ReportPath)) })),
    ),
    secrets: optional(Secrets),
    state: optional(State),
    quarantine: optional(nullable(closed(Type.Partial(Type.Object(quarantine)).properties))),
  },
  {
    title: 'TestCommandPatch',
    description:
      'A merge patch of the command named by `id`: null takes a field back to its default',
  },
);
export type CommandPatchInput = Static<typeof CommandPatch>;
