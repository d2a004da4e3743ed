// What every command shares: how it is described, how its arguments are read, how it ends.
import { parseArgs } from 'node:util';
import {
  type Config,
  describeSettings,
  readConfig,
  type SettingInfo,
  type SettingName,
} from '../config.ts';
import type { BackupStage } from '../operations/backup/manifest.ts';

/** A wrong call of a command: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** What a command was to do ended badly, as its text says. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
  readonly exitCode: 1 | 2 = 1;
}

interface OptionSpec {
  kind: 'text' | 'texts' | 'switch';
  help: string;
}

export interface Command {
  /** Words that name it, such as `token create`. */
  name: string;
  /** Arguments that are no flags: `NAME`, `[FILE]` that may be left out, `PATH…` of any number, `one|other`. */
  args?: readonly string[];
  /** The flags that the help names with it: `[--slug SLUG]`. */
  usage?: string;
  help: string;
  options?: Record<string, OptionSpec>;
  /** The settings that it uses; those of a data folder and its database unless given. */
  settings?: 'all' | readonly SettingName[];
  /** It prints no data, so it takes no `--json`. */
  printsNoData?: true;
  run(call: CommandCall): Promise<Result | undefined>;
}

/** Lines for people, or with `--json` data for programs. */
export interface Result {
  data: unknown;
  lines: readonly string[];
  /** Why it ends with 1 all the same. */
  failure?: string;
}

export interface CommandCall {
  config: Config;
  positionals: string[];
  text(name: string): string | undefined;
  texts(name: string): string[];
  switched(name: string): boolean;
  json: boolean;
}

const FOLDER_SETTINGS: readonly SettingName[] = [
  'dataDir',
  'databaseUrl',
  'databaseToken',
  'logLevel',
];

export function settingsOf({ settings: used = FOLDER_SETTINGS }: Command): SettingInfo[] {
  return describeSettings().filter(
    ({ key }) => used === 'all' || used.some((one: string) => one === key),
  );
}

interface Flag extends OptionSpec {
  name: string;
}

export function ownFlags({ options = {}, printsNoData }: Command): Flag[] {
  const own = Object.entries(options).map(([name, spec]) => ({ name, ...spec }));
  if (!printsNoData) own.push({ name: 'json', kind: 'switch', help: 'print data as JSON' });
  return [...own, { name: 'help', kind: 'switch', help: 'print this' }];
}

export function flagsOf(command: Command): Flag[] {
  const settings = settingsOf(command).flatMap(({ flag, isSwitch, help }): Flag[] =>
    flag === undefined ? [] : [{ name: flag, kind: isSwitch ? 'switch' : 'text', help }],
  );
  return [...ownFlags(command), ...settings];
}

/** @throws UsageError for a flag that it does not take; ConfigError for a bad setting */
export function readCall(command: Command, args: string[]): CommandCall {
  const { values, positionals } = parse(args, flagsOf(command));
  const names = command.args ?? [];
  const least = names.filter((name) => !name.startsWith('[')).length;
  const most = /…\]?$/.test(names.at(-1) ?? '') ? Number.POSITIVE_INFINITY : names.length;
  const flags: Record<string, string | boolean> = {};
  for (const { flag = '' } of settingsOf(command)) {
    const value = values[flag];
    if (typeof value === 'string' || typeof value === 'boolean') flags[flag] = value;
  }
  const config = readConfig({ flags, environment: process.env, folder: process.cwd() });
  if (positionals.length < least || positionals.length > most)
    throw new UsageError(`this command takes ${names.join(' ') || 'no arguments'}`);
  return {
    config,
    positionals,
    text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    texts: (name) => (Array.isArray(values[name]) ? values[name].map(String) : []),
    switched: (name) => values[name] === true,
    json: values.json === true,
  };
}

function parse(args: string[], flags: Flag[]) {
  const options = Object.fromEntries(
    flags.map(({ name, kind }) => [
      name,
      { type: kind === 'switch' ? 'boolean' : 'string', multiple: kind === 'texts' } as const,
    ]),
  );
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split('\n')[0]);
  }
}

let isOutliving = false;

/**
 * Whoever reads what is printed may stop (`pqrs --help | head -3`): from now on that ends nothing.
 * Other losses, as on a full disk, end in exit code 1.
 */
export function outliveReaders(): void {
  if (isOutliving) return;
  isOutliving = true;
  process.stderr.on('error', () => {});
  let isReported = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isReported || error.code === 'EPIPE') return;
    isReported = true;
    process.exitCode = 1;
    process.stderr.write(
      `pqrs: the output cannot be written: ${error.message}; what was done stays done\n`,
    );
  });
}

/** A label or a name that is fit to be shown in a line. @throws UsageError that names it */
export function requireOneLine(called: string, text: string): string {
  if (/\S/.test(text) && text.length <= 300 && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return text;
  throw new UsageError(`${called} must be one line of at most 300 characters`);
}

/** A whole number that is given as an option. @throws UsageError where it is none, or out of range */
export function wholeNumber(
  call: Pick<CommandCall, 'text'>,
  name: string,
  fallback: number,
  { min = 0, max = Number.MAX_SAFE_INTEGER } = {},
): number {
  const text = call.text(name);
  if (text === undefined) return fallback;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}`);
}

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(data: unknown): void {
  process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
}

/** A text with what a terminal would obey written out. */
export function plainText(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

export function tableLines(headings: string[], cells: string[][]): string[] {
  const rows = cells.map((row) => row.map(plainText));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [headings, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

export type Stage = 'reading' | 'storing' | BackupStage;
export type OnProgress = (stage: Stage, done: number, total: number) => void;

export interface Terminal {
  isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const DRAWN_EVERY_MS = 50;
const CLEAR_LINE = '\r\u001b[2K';

/** Shows the progress of some work while it lasts; with `quiet`, and where there is no terminal, nothing. */
export async function withProgress<T>(
  terminal: Terminal,
  quiet: boolean,
  work: (onProgress: OnProgress | undefined) => Promise<T>,
): Promise<T> {
  if (terminal.isTTY !== true || quiet || process.env.TERM === 'dumb') return work(undefined);
  let drawn = Number.NEGATIVE_INFINITY;
  let shown: Stage | undefined;
  try {
    return await work((stage, done, total) => {
      const now = performance.now();
      if (stage === shown && now - drawn < DRAWN_EVERY_MS) return;
      shown = stage;
      drawn = now;
      const percent = total > 0 ? Math.floor((100 * done) / total) : 0;
      terminal.write(`${CLEAR_LINE}${stage} ${percent} %`);
    });
  } finally {
    if (shown !== undefined) terminal.write(CLEAR_LINE);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal, and who starts us, may both pass on what was one request. */
const HASTE_AFTER_MS = 1000;

/** Listens for signals that ask to end; calls `onHaste` when somebody asks again. */
export function listenForStop(onAsked: () => void, onHaste: () => void): () => void {
  let askedAt: number | undefined;
  function ask(): void {
    if (askedAt === undefined) {
      askedAt = performance.now();
      onAsked();
    } else if (performance.now() - askedAt > HASTE_AFTER_MS) onHaste();
  }
  for (const signal of SIGNALS) process.on(signal, ask);
  return () => {
    for (const signal of SIGNALS) process.off(signal, ask);
  };
}
