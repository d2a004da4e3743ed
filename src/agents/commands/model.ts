// What callers send of a test command, what is stored of it, and how a patch is merged.
import { type Static, Type } from '@sinclair/typebox';
import { timestamp } from '../../clock.ts';
import { type FieldError, invalid } from '../../errors.ts';
import { mergePatch } from '../../model/merge-patch.ts';
import {
  clearable,
  closed,
  lineOf,
  Name,
  Names,
  nullable,
  oneOf,
  StoryId,
  Text,
  Time,
  Title,
} from '../../model/schemas.ts';
import { parseTime } from '../../model/time.ts';
import { compileCheck, invalidFields } from '../../model/validate.ts';
import {
  COMMAND_KINDS,
  COMMAND_STATES,
  type CommandReport,
  commandFingerprint,
  KINDS_WITH_ARGV,
  type Quarantine,
  REPORT_FORMATS,
} from '../../quality/commands/model.ts';
import { ROUTE_PATTERN, ROUTE_SAYS } from '../../quality/routes/route-text.ts';
import { isId } from '../../store/ids.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';

/** The name of a variable in the environment of a process (POSIX, XBD 8.1, with lower case). */
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const CredentialName = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: VARIABLE.source,
  says: 'must be the name of a variable: letters, digits and _, no digit first',
});
export const CredentialValue = Type.String({ minLength: 1, maxLength: 65_536 });

const Key = lineOf(300, 'Unique in the project');
const Route = Type.String({ maxLength: 2048, pattern: ROUTE_PATTERN, says: ROUTE_SAYS });
const PathText = Type.String({ minLength: 1, maxLength: 4096 });

const fields = {
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
  Type.Record(Type.String(), nullable(CredentialValue), {
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

export type CommandColumns = ReturnType<typeof columnsOf>;

const checkWhole = compileCheck(CommandBody);

export function draftCommand(input: CommandInput, now: number): CommandColumns {
  const columns = columnsOf(input);
  if (columns.quarantine && columns.quarantine.until <= now)
    throw invalid('/quarantine/until', 'must lie ahead');
  return columns;
}

export function patchCommand(
  row: TestCommandRow,
  { id: _id, secrets, ...patch }: CommandPatchInput,
  now: number,
): CommandColumns {
  const { state, quarantine, report } = patch;
  // Another state ends a quarantine, and `none` has no path, without a word.
  const isElse = state !== undefined && state !== 'quarantined';
  const endsQuarantine = isElse && quarantine === undefined;
  const dropsPath = report?.format === 'none' && report.path === undefined;
  const merged = mergePatch(inputOf(row), {
    ...patch,
    ...(endsQuarantine ? { quarantine: null } : {}),
    ...(dropsPath ? { report: { format: 'none', path: null } } : {}),
  }) as CommandInput;
  const input = checkWhole(secrets === undefined ? merged : { ...merged, secrets });
  // A quarantine that is over is nobody's concern until somebody sets another.
  return state === undefined && quarantine === undefined
    ? columnsOf(input)
    : draftCommand(input, now);
}

function inputOf(row: TestCommandRow): object {
  const { secrets: _, ...known } = CommandBody.properties;
  const { quarantine } = row;
  return {
    ...Object.fromEntries(Object.keys(known).map((name) => [name, row[name as 'key']])),
    quarantine: quarantine && { ...quarantine, until: timestamp(quarantine.until) },
  };
}

type Defaults = Omit<Required<CommandInput>, 'key' | 'name' | 'report' | 'secrets' | 'quarantine'>;

export const DEFAULTS: Defaults = {
  kind: 'shell',
  argv: [],
  cwd: null,
  env: {},
  timeoutMs: 600_000,
  storyIds: [],
  routes: [],
  tags: [],
  credentials: [],
  allowArchives: false,
  onLeaseLost: 'retry',
  maxAttempts: 3,
  state: 'active',
};

function columnsOf(input: CommandInput) {
  const { secrets: _, ...given } = { ...DEFAULTS, name: input.key, ...input };
  const quarantine = quarantineIn(input);
  const faults = faultsOf(given, input.secrets);
  if (faults.length > 0) throw invalidFields(faults);
  const report = reportOf(input);
  return {
    ...given,
    storyIds: [...new Set(given.storyIds)],
    routes: [...new Set(given.routes)],
    tags: [...new Set(given.tags)],
    credentials: [...new Set(given.credentials)],
    report,
    quarantine,
    fingerprint: commandFingerprint({ ...given, report }),
  };
}

function reportOf({ report }: CommandInput): CommandReport {
  const { format, path = null } = report ?? { format: 'none' };
  if ((format === 'none') !== (path === null))
    throw invalid('/report/path', 'goes with a format other than none, and is required there');
  return { format, path };
}

function quarantineIn({ state, quarantine = null }: CommandInput): Quarantine | null {
  if ((state === 'quarantined') !== (quarantine !== null))
    throw invalid('/quarantine', 'goes with the state quarantined, and is required there');
  return quarantine && { ...quarantine, until: parseTime('/quarantine/until', quarantine.until) };
}

function faultsOf(
  { key, kind, argv, env, credentials }: Defaults & { key: string },
  secrets: CommandInput['secrets'] = {},
): FieldError[] {
  const faults: FieldError[] = [];
  const add = (pointer: string, detail: string) => faults.push({ pointer, detail });
  if (isId('cmd', key)) add('/key', 'must not have the form of an id');
  const [program] = argv;
  if (program === undefined && KINDS_WITH_ARGV.has(kind))
    add('/argv', `is required for the kind ${kind}`);
  if (program?.trim() === '') add('/argv/0', 'must name a program');
  for (const name of Object.keys(env)) {
    if (!VARIABLE.test(name)) add(pointerTo('env', name), 'is not the name of a variable');
    else if (credentials.includes(name))
      add(pointerTo('env', name), 'is a credential of the command too');
  }
  // Never says anything of a value.
  for (const [name, value] of Object.entries(secrets)) {
    if (!VARIABLE.test(name)) add(pointerTo('secrets', name), 'is not the name of a variable');
    else if (value !== null && !credentials.includes(name))
      add(pointerTo('secrets', name), 'is not among the credentials of the command');
  }
  return faults;
}

function pointerTo(field: string, name: string): string {
  return `/${field}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
