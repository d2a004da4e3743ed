// What a test command is: its kinds, its states, what a result of it is a result of.
import { hash } from 'node:crypto';
import type { TestCommandRow } from '../../store/tables/quality.ts';

export const COMMAND_KINDS = ['shell', 'bun-test', 'playwright', 'http', 'manual'] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

/** Kinds that are run by their `argv`. */
export const KINDS_WITH_ARGV: ReadonlySet<string> = new Set(['shell', 'bun-test', 'playwright']);

export const COMMAND_STATES = ['active', 'quarantined', 'disabled', 'archived'] as const;
export type CommandState = (typeof COMMAND_STATES)[number];

export const REPORT_FORMATS = ['none', 'junit', 'ctrf', 'tap'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Which report a command leaves, and where. */
export interface CommandReport {
  format: ReportFormat;
  path: string | null;
}

/** Who has set a command aside, why, and until when, in milliseconds since the epoch. */
export interface Quarantine {
  owner: string;
  reason: string;
  until: number;
}

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
  const until = quarantineOf({ quarantine })?.until ?? 0;
  return until > now ? 'quarantined' : 'active';
}

/** The quarantine that a row holds, past or not. */
export function quarantineOf({ quarantine }: Pick<TestCommandRow, 'quarantine'>) {
  return quarantine === null ? null : (JSON.parse(quarantine) as Quarantine);
}

/** The names of the credentials that a command asks for. */
export function credentialNamesOf({ credentials }: Pick<TestCommandRow, 'credentials'>): string[] {
  return credentials === '[]' ? [] : (JSON.parse(credentials) as string[]);
}
