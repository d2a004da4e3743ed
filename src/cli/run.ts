// Finds the command, runs it, and turns how it ends into an exit code; prints the help.
import { resolve } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import { Problem } from '../errors.ts';
import { LibraryUnavailable } from '../runtime/native.ts';
import { isDamaged, isUnavailable, KeyLost, StoreRefused } from '../store/errors.ts';
import {
  type Command,
  type CommandCall,
  CommandFailed,
  outliveReaders,
  ownFlags,
  print,
  printJson,
  readCall,
  settingsOf,
  UsageError,
} from './command.ts';
import { serve } from './commands/serve.ts';
import { COMMANDS } from './commands.ts';

export async function run(given: string[]): Promise<number> {
  const args = normalized(given);
  const words = args.join(' ');
  const named = COMMANDS.find(({ name }) => words === name || words.startsWith(`${name} `));
  const flags = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length);
  const wantsHelp = flags.includes('--help') || flags.includes('-h');
  const [first = ''] = args;
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  const command = named ?? serve;
  if (command !== serve || wantsHelp) outliveReaders();
  if (!named && wantsHelp && (group.length > 0 || first.startsWith('-'))) {
    if (group.length > 0) printCommands(`pqrs ${first} COMMAND`, group);
    else
      printCommands('pqrs keeps the requirements, tests and bug evidence of projects.', COMMANDS);
    return 0;
  }
  if (!named && first !== '' && !first.startsWith('-')) {
    const typed = args.filter((arg) => !arg.startsWith('-')).join(' ');
    const see = group.length > 0 ? `pqrs ${first} --help` : 'pqrs --help';
    return complain(`there is no command "${typed}"; see ${see}`, 2);
  }
  if (wantsHelp) {
    printHelp(command);
    return 0;
  }
  let call: CommandCall | undefined;
  try {
    call = readCall(command, named ? args.slice(named.name.split(' ').length) : args);
    const result = await command.run(call);
    if (result && call.json) printJson(result.data);
    else if (result) print(result.lines.join('\n'));
    return result?.failure === undefined ? 0 : complain(result.failure, 1);
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError)
      return complain(error.message, 2);
    const code = error instanceof CommandFailed ? error.exitCode : 1;
    return complain(failureText(error, storageOf(call?.config)), code);
  }
}

function normalized([first, ...rest]: string[]): string[] {
  if (first === 'help') return [...rest, '--help'];
  if (first === '--version' || first === '-v') return ['version', ...rest];
  return first === undefined ? [] : [first, ...rest];
}

function complain(text: string, code: number): number {
  process.stderr.write(`pqrs: ${withoutSecrets(text)}\n`);
  return code;
}

function storageOf(config: Config | undefined): string {
  if (config === undefined) return 'the data folder';
  const folder = `the data folder ${resolve(config.dataDir)}`;
  return config.databaseUrl === undefined ? folder : `the database server or ${folder}`;
}

function printCommands(head: string, commands: Command[]): void {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, help }) => `  pqrs ${name.padEnd(width)}  ${help}`);
  const foot = 'pqrs COMMAND --help tells more. Without a command pqrs serves.';
  print([head, '', ...lines, '', foot].join('\n'));
}

function printHelp(command: Command): void {
  const { name, args = [], usage = '' } = command;
  print(['pqrs', name, ...args, usage].join(' ').trimEnd());
  print(`\n  ${command.help}\n`);
  for (const flag of ownFlags(command))
    print(flagColumn(flag.name, flag.kind !== 'switch') + flag.help);
  const settings = settingsOf(command);
  if (settings.length === 0) return;
  print('\nSettings, as flag, variable of the environment, or key in pqrs.toml:');
  for (const { flag, isSwitch, variable, fallback, help } of settings) {
    const shown = fallback === undefined || String(fallback) === '' ? '' : ` (${fallback})`;
    const start = flag === undefined ? ''.padEnd(36) : flagColumn(flag, !isSwitch);
    print(`${start}${variable.padEnd(34)}${help}${shown}`);
  }
}

function flagColumn(name: string, takesValue: boolean): string {
  return `  ${`--${name}${takesValue ? ' …' : ''}`.padEnd(34)}`;
}

const MAX_LINES = 20;
const MAX_LINE_CHARACTERS = 300;

export function withoutSecrets(text: string): string {
  return text.replace(/pqrs_([0-9a-z]{26})_[0-9a-z]+/gi, 'pqrs_$1_…');
}

export function failureText(error: unknown, storage: string): string {
  if (error instanceof Problem) return refusalText(error);
  for (const known of [StoreRefused, CommandFailed, KeyLost, LibraryUnavailable])
    if (error instanceof known) return error.message;
  // An error of the system says all: what was tried, where, and why it failed.
  if (error instanceof Error && 'syscall' in error) return error.message;
  if (isDamaged(error)) return `the database of ${storage} is damaged; pqrs doctor says where`;
  if (isUnavailable(error)) return `${storage} cannot be written or read: ${rootCause(error)}`;
  return stackOf(error);
}

/** The sentence of a refusal, and a line for each of its errors that the sentence does not name. */
function refusalText({ message, errors }: Problem): string {
  const several = new Set(errors.map(({ pointer }) => pointer)).size > 1;
  const lines = errors
    .filter(({ detail }) => !message.includes(detail))
    .map(({ pointer, detail }) => (several ? `${pointer}: ${detail}` : detail))
    // Texts of files are among them: what moves a terminal's cursor is no text.
    .map((line) => line.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_LINE_CHARACTERS));
  const more = lines.length > MAX_LINES ? ['and more'] : [];
  return [message, ...lines.slice(0, MAX_LINES), ...more].join('\n  ');
}

function rootCause(error: unknown): string {
  const { cause, message, code } = error as Error & { code?: unknown };
  if (cause instanceof Error) return rootCause(cause);
  if (typeof cause === 'string') return cause;
  const text = message.split('\n')[0] ?? '';
  return typeof code === 'string' && !text.includes(code) ? `${text} (${code})` : text;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = '', message, cause } = error;
  // Drizzle's own errors repeat the values of the statement; the stack of the driver's lacks its text.
  const hasValues = 'params' in error;
  const shown =
    hasValues || stack.includes(message) ? stack : `${error.name}: ${message}\n${stack}`;
  const own = hasValues ? error.name : shown;
  return cause instanceof Error ? `${own}\n${stackOf(cause)}` : own;
}
