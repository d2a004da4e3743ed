// What a test command is: its kinds, its states, what a result of it is a result of.
import { hash } from 'node:crypto';
import type { CommandReport } from '../../store/tables/json.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';

export type { CommandReport, Quarantine } from '../../store/tables/json.ts';

export const COMMAND_KINDS = ['shell', 'bun-test', 'playwright', 'http', 'manual'] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

/** Kinds that are run by their `argv`. */
export const KINDS_WITH_ARGV: ReadonlySet<string> = new Set(['shell', 'bun-test', 'playwright']);

export const COMMAND_STATES = ['active', 'quarantined', 'disabled', 'archived'] as const;
export type CommandState = (typeof COMMAND_STATES)[number];

export const REPORT_FORMATS = ['none', 'junit', 'ctrf', 'tap'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

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
