// What callers send of a test command, what is stored of it, and how a patch is merged.
import { type Static, Type } from '@sinclair/typebox';
import { parseTime, timestamp } from '../../clock.ts';
import { type FieldError, invalid } from '../../errors.ts';
import { mergePatch } from '../../model/merge-patch.ts';
import {
  clearable,
  closed,
  Name,
  nullable,
  oneOf,
  Text,
  Time,
  Title,
} from '../../model/schemas.ts';
import { compileCheck, invalidFields } from '../../model/validate.ts';
import {
  COMMAND_FIELDS,
  CommandKey,
  type CommandReport,
  CredentialValue,
  commandFingerprint,
  KINDS_WITH_ARGV,
  PathText,
  type Quarantine,
  REPORT_FORMATS,
  VARIABLE,
} from '../../quality/commands/model.ts';
import { isId } from '../../store/ids.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';

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
    key: CommandKey,
    ...Type.Partial(Type.Object(COMMAND_FIELDS)).properties,
    cwd: Type.Optional(nullable(COMMAND_FIELDS.cwd)),
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
    key: Type.Optional(CommandKey),
    ...clearable({
      ...COMMAND_FIELDS,
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
