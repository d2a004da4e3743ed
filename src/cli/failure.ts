// The text of a command that failed: a line where it is known why, a stack where it is not.
import { Problem } from '../errors.ts';
import { LibraryUnavailable } from '../runtime/native.ts';
import { isDamaged, isUnavailable, KeyLost, StoreRefused } from '../store/errors.ts';
import { CommandFailed } from './command.ts';

const MAX_LINES = 20;
const MAX_LINE_CHARACTERS = 300;

export function withoutSecrets(text: string): string {
  return text.replace(/pqrs_([0-9a-z]{26})_[0-9a-z]+/gi, 'pqrs_$1_…');
}

/** The text of a failure. */
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
