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

export type CommandColumns = Pick<
  TestCommandRow,
  | 'key'
  | 'name'
  | 'kind'
  | 'argv'
  | 'cwd'
  | 'env'
  | 'timeoutMs'
  | 'report'
  | 'storyIds'
  | 'routes'
  | 'tags'
  | 'credentials'
  | 'allowArchives'
  | 'onLeaseLost'
  | 'maxAttempts'
  | 'state'
  | 'quarantine'
  | 'fingerprint'
>;

const checkWhole = compileCheck(CommandBody);

/**
 * The columns of a command as it is registered.
 *
 * @throws Problem `invalid` for fields that do not go together
 */
export function draftCommand(input: CommandInput, now: number): CommandColumns {
  const quarantine = quarantineIn(input);
  if (quarantine && quarantine.until <= now) throw invalid('/quarantine/until', 'must lie ahead');
  return columnsOf(input, quarantine);
}

/**
 * The columns of a command with a patch applied.
 *
 * @throws Problem `invalid` for fields that do not go together then
 */
export function patchCommand(
  row: TestCommandRow,
  { id: _id, secrets, ...patch }: CommandPatchInput,
  now: number,
): CommandColumns {
  const merged = mergePatch(inputOf(row), withConsequences(patch)) as CommandInput;
  const input = checkWhole(secrets === undefined ? merged : { ...merged, secrets });
  if (patch.state !== undefined || patch.quarantine !== undefined) return draftCommand(input, now);
  // A quarantine that is over is nobody's concern until somebody sets another.
  return columnsOf(input, quarantineIn(input));
}

function withConsequences(patch: Omit<CommandPatchInput, 'id' | 'secrets'>) {
  const { state, quarantine, report } = patch;
  return {
    ...patch,
    ...(state !== undefined && state !== 'quarantined' && quarantine === undefined
      ? { quarantine: null }
      : {}),
    ...(report?.format === 'none' && report.path === undefined
      ? { report: { ...report, path: null } }
      : {}),
  };
}

function inputOf(row: TestCommandRow): CommandInput {
  const { quarantine } = row;
  return {
    key: row.key,
    name: row.name,
    kind: row.kind as CommandInput['kind'] & string,
    argv: row.argv,
    cwd: row.cwd,
    env: row.env,
    timeoutMs: row.timeoutMs,
    report: row.report,
    storyIds: row.storyIds,
    routes: row.routes,
    tags: row.tags,
    credentials: row.credentials,
    allowArchives: row.allowArchives,
    onLeaseLost: row.onLeaseLost as 'retry' | 'fail',
    maxAttempts: row.maxAttempts,
    state: row.state as CommandInput['state'] & string,
    quarantine: quarantine && { ...quarantine, until: timestamp(quarantine.until) },
  };
}

function columnsOf(input: CommandInput, quarantine: Quarantine | null): CommandColumns {
  const { key, name = key, kind = 'shell', argv = [], cwd = null, env = {} } = input;
  const credentials = unique(input.credentials);
  const faults = faultsOf(input, kind, argv, credentials);
  if (faults.length > 0) throw invalidFields(faults);
  const report = reportOf(input);
  return {
    key,
    name,
    kind,
    cwd,
    argv,
    env,
    timeoutMs: input.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    report,
    storyIds: unique(input.storyIds),
    routes: unique(input.routes),
    tags: unique(input.tags),
    credentials,
    allowArchives: input.allowArchives ?? false,
    onLeaseLost: input.onLeaseLost ?? 'retry',
    maxAttempts: input.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
    state: input.state ?? 'active',
    quarantine,
    fingerprint: commandFingerprint({ kind, argv, cwd, report }),
  };
}

function unique(list: readonly string[] = []): string[] {
  return [...new Set(list)];
}

function reportOf({ report }: CommandInput): CommandReport {
  const { format, path = null } = report ?? { format: 'none' };
  if (format === 'none' && path !== null)
    throw invalid('/report/path', 'goes with a format other than none');
  if (format !== 'none' && path === null)
    throw invalid('/report/path', `is required with the format ${format}`);
  return { format, path };
}

function quarantineIn({ state, quarantine = null }: CommandInput): Quarantine | null {
  if (state !== 'quarantined') {
    if (quarantine === null) return null;
    throw invalid('/quarantine', 'goes with the state quarantined');
  }
  if (quarantine === null) throw invalid('/quarantine', 'is required in the state quarantined');
  const { owner, reason } = quarantine;
  return { owner, reason, until: parseTime('/quarantine/until', quarantine.until) };
}

function faultsOf(
  { key, env = {}, secrets = {} }: CommandInput,
  kind: string,
  [program]: readonly string[],
  credentials: readonly string[],
): FieldError[] {
  const faults: FieldError[] = [];
  const add = (pointer: string, detail: string) => faults.push({ pointer, detail });
  if (isId('cmd', key)) add('/key', 'must not have the form of an id');
  if (program === undefined && KINDS_WITH_ARGV.has(kind))
    add('/argv', `is required for the kind ${kind}`);
  if (program?.trim() === '') add('/argv/0', 'must name a program');
  for (const name of Object.keys(env)) {
    const pointer = pointerTo('env', name);
    if (!VARIABLE.test(name)) add(pointer, 'is not the name of a variable');
    else if (credentials.includes(name)) add(pointer, 'is a credential of the command too');
  }
  // Never says anything of a value.
  for (const [name, value] of Object.entries(secrets)) {
    const pointer = pointerTo('secrets', name);
    if (!VARIABLE.test(name)) add(pointer, 'is not the name of a variable');
    else if (value !== null && !credentials.includes(name))
      add(pointer, 'is not among the credentials of the command');
  }
  return faults;
}

function pointerTo(field: string, name: string): string {
  return `/${field}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
