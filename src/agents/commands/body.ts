// What callers send of test commands.
import {
  type Static,
  type TNull,
  type TOptional,
  type TSchema,
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

export const DEFAULT_TIMEOUT_MS = 600_000;
export const DEFAULT_MAX_ATTEMPTS = 3;

/** The name of a variable in the environment of a process (POSIX, XBD 8.1, with lower case). */
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const MAX_NAME = 300;
export const MAX_SECRET = 65_536;

const Key = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: '^[^\\s\\x00-\\x1f\\x7f](?:[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
  says: 'must be a text of 1 to 300 characters on one line, without white space at its ends',
  description: 'Unique in the project',
});

const CredentialName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  pattern: VARIABLE.source,
  says: 'must be the name of a variable: letters, digits and _, no digit first',
});

const Route = Type.String({
  maxLength: 2048,
  pattern: '^(?:[A-Za-z]{1,20} +)?/\\S*$',
  says: 'must be a path or template, with a method before it where it is of one: POST /orders/{id}',
});

const PathText = Type.String({ minLength: 1, maxLength: 4096 });

const fields = {
  name: Title,
  kind: oneOf(COMMAND_KINDS, '`shell` by default'),
  argv: Type.Array(Text, { maxItems: 100, description: 'Program and arguments' }),
  cwd: { ...PathText, description: 'Folder in which it runs, relative to that of the agent' },
  timeoutMs: Type.Integer({
    minimum: 1,
    maximum: 24 * 3600 * 1000,
    description: `How long it may run; ${DEFAULT_TIMEOUT_MS} by default`,
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
    description: `${DEFAULT_MAX_ATTEMPTS} by default`,
  }),
  state: oneOf(COMMAND_STATES, '`active` by default; `quarantined` goes with `quarantine`'),
};

const ReportFormat = oneOf(REPORT_FORMATS);
const ReportPath = Type.Optional(
  nullable(PathText, 'Where it leaves its report, relative to its folder; not with `none`'),
);
const quarantine = {
  owner: Title,
  reason: Type.String({ minLength: 1, maxLength: 65_536, pattern: '\\S' }),
  until: Time,
};
const variables = {
  maxProperties: 100,
  description: 'Variables of its environment, by names of letters, digits and _',
};
const Secrets = Type.Optional(
  Type.Record(Type.String(), nullable(Type.String({ minLength: 1, maxLength: MAX_SECRET })), {
    maxProperties: 100,
    writeOnly: true,
    description:
      'Values of credentials of the project, never shown again: sets or replaces those that the command names, null ' +
      'removes one. An owner alone sends them',
  }),
);

export const CommandBody = closed(
  {
    key: Key,
    ...Type.Partial(Type.Object(fields)).properties,
    cwd: Type.Optional(nullable(fields.cwd)),
    env: Type.Optional(Type.Record(Type.String(), Text, variables)),
    report: Type.Optional(closed({ format: ReportFormat, path: ReportPath })),
    secrets: Secrets,
    quarantine: Type.Optional(nullable(closed(quarantine))),
  },
  {
    title: 'TestCommandInput',
    description: '`argv` is required for the kinds shell, bun-test and playwright',
  },
);
export type CommandInput = Static<typeof CommandBody>;

function clearable<P extends Record<string, TSchema>>(properties: P) {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([name, field]) => [name, Type.Optional(nullable(field))]),
  ) as unknown as { [K in keyof P]: TOptional<TUnion<[P[K], TNull]>> };
}

export const CommandPatch = closed(
  {
    id: Name,
    key: Type.Optional(Key),
    ...clearable({
      ...fields,
      env: Type.Record(Type.String(), nullable(Text), variables),
      report: closed({ format: Type.Optional(ReportFormat), path: ReportPath }),
      quarantine: closed(Type.Partial(Type.Object(quarantine)).properties),
    }),
    secrets: Secrets,
  },
  {
    title: 'TestCommandPatch',
    description:
      'A merge patch of the command named by `id`: null takes a field back to its default',
  },
);
export type CommandPatchInput = Static<typeof CommandPatch>;
