// The log of the process: pino JSON lines, readable on a terminal. No secret and no address of a
// signed link is ever handed to it.
import pino, { type Logger } from 'pino';

export type Log = Logger;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const ACCESS_LOGS = ['all', 'errors', 'none'] as const;

/**
 * Opens the log on standard error.
 * @param terminal - true for readable lines instead of JSON
 * @param write - takes the lines instead of standard error
 */
export function openLog(
  level: LogLevel,
  terminal: boolean,
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Log {
  const options = {
    level,
    base: null,
    serializers: { err: describeError },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return pino(options, { write: (line: string) => write(terminal ? readable(line) : line) });
}

/**
 * An error without what it was called with: the text of a database error may repeat the values of
 * the statement.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: typeof error };
  const values = error.name === 'DrizzleQueryError' || 'params' in error;
  return {
    name: error.name,
    ...(values ? {} : { message: error.message, stack: error.stack }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

function readable(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const name = String(level).toUpperCase().padEnd(5);
  const fields = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${time} ${name} ${[msg, ...fields].join(' ')}\n`;
}
