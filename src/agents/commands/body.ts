// What callers send of test commands.
import { type Static, Type } from '@sinclair/typebox';
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

/** Characters of a credential's name. */
export const MAX_NAME = 300;
/** Characters of a credential's value. */
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
const Variable = Text;
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

const registration = {
  key: Key,
  name: Type.Optional(Title),
  kind: Type.Optional(oneOf(COMMAND_KINDS, '`shell` by default')),
  argv: Type.Optional(Argv),
  cwd: Type.Optional(nullable(Cwd)),
  env: Type.Optional(Type.Record(Type.String(), Variable, { ...MAX_VARIABLES, description: ENV })),
  timeoutMs: Type.Optional(TimeoutMs),
  report: Type.Optional(
    closed({ format: ReportFormat, path: Type.Optional(nullable(ReportPath)) }),
  ),
  storyIds: Type.Optional(StoryIds),
  routes: Type.Optional(Routes),
  tags: Type.Optional(Names),
  credentials: Type.Optional(Credentials),
  secrets: Type.Optional(Secrets),
  allowArchives: Type.Optional(AllowArchives),
  onLeaseLost: Type.Optional(OnLeaseLost),
  maxAttempts: Type.Optional(MaxAttempts),
  state: Type.Optional(State),
  quarantine: Type.Optional(nullable(closed(quarantine))),
};

export const CommandBody = closed(registration, {
  title: 'TestCommandInput',
  description: '`argv` is required for the kinds shell, bun-test and playwright',
});
export type CommandInput = Static<typeof CommandBody>;

const optional = Type.Optional;
const changes = {
  id: Name,
  key: optional(Key),
  name: optional(nullable(Title)),
  kind: optional(oneOf(COMMAND_KINDS)),
  argv: optional(nullable(Argv)),
  cwd: optional(nullable(Cwd)),
  env: optional(
    nullable(
      Type.Record(Type.String(), nullable(Variable), {
        ...MAX_VARIABLES,
        description: `${ENV}; null takes one away`,
      }),
    ),
  ),
  timeoutMs: optional(nullable(TimeoutMs)),
  report: optional(
    nullable(closed({ format: optional(ReportFormat), path: optional(nullable(ReportPath)) })),
  ),
  storyIds: optional(nullable(StoryIds)),
  routes: optional(nullable(Routes)),
  tags: optional(nullable(Names)),
  credentials: optional(nullable(Credentials)),
  secrets: optional(Secrets),
  allowArchives: optional(nullable(AllowArchives)),
  onLeaseLost: optional(nullable(OnLeaseLost)),
  maxAttempts: optional(nullable(MaxAttempts)),
  state: optional(State),
  quarantine: optional(
    nullable(
      closed({
        owner: optional(quarantine.owner),
        reason: optional(quarantine.reason),
        until: optional(quarantine.until),
      }),
    ),
  ),
};

export const CommandPatch = closed(changes, {
  title: 'TestCommandPatch',
  description:
    'A merge patch of the command named by `id`: null takes a field back to what it is by default',
});
export type CommandPatchInput = Static<typeof CommandPatch>;
