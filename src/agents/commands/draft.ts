// From what a caller sends of a test command to what is stored, and back for merging a patch.
import { timestamp } from '../../clock.ts';
import { type FieldError, invalid } from '../../errors.ts';
import { mergePatch } from '../../model/merge-patch.ts';
import { parseTime } from '../../model/time.ts';
import { compileCheck, invalidFields } from '../../model/validate.ts';
import {
  type CommandReport,
  commandFingerprint,
  KINDS_WITH_ARGV,
  type Quarantine,
} from '../../quality/commands/model.ts';
import { isId } from '../../store/ids.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import {
  CommandBody,
  type CommandInput,
  type CommandPatchInput,
  DEFAULT_MAX_ATTEMPTS,
  DEFAULT_TIMEOUT_MS,
  VARIABLE,
} from './body.ts';

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
  timeoutMs: DEFAULT_TIMEOUT_MS,
  storyIds: [],
  routes: [],
  tags: [],
  credentials: [],
  allowArchives: false,
  onLeaseLost: 'retry',
  maxAttempts: DEFAULT_MAX_ATTEMPTS,
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
