// How what ended a command is told to who has typed it: a line that says what could not be done and why,
// and a stack where nobody knows more.
import { Problem } from '../errors.ts';
import { LibraryUnavailable } from '../runtime/native.ts';
import { isDamaged, isUnavailable, KeyLost, StoreRefused } from '../store/errors.ts';
import { CommandFailed } from './command.ts';
import { refusalText } from './refusal.ts';

/**
 * The text of a failure.
 *
 * @param storage - what the command had to read and write: the data folder, or a database server
 * @param stacks - whether a stack follows what is known too
 */
export function failureText(error: unknown, storage: string, stacks: boolean): string {
  const told = toldText(error, storage);
  if (told === undefined) return stackOf(error);
  return stacks ? `${told}\n${stackOf(error)}` : told;
}

function toldText(error: unknown, storage: string): string | undefined {
  if (error instanceof Problem) return refusalText(error);
  if (
    [StoreRefused, CommandFailed, KeyLost, LibraryUnavailable].some(
      (known) => error instanceof known,
    )
  )
    return (error as Error).message;
  // An error of the system says all there is to say: what was tried, where, and why it failed.
  if (error instanceof Error && 'syscall' in error) return error.message;
  if (isDamaged(error)) return `the database of ${storage} is damaged; pqrs doctor says where`;
  return isUnavailable(error) ? `${storage} cannot be written or read: ${whyOf(error)}` : undefined;
}

/** What the last of the causes says: each of the others says that there is one. */
function whyOf(error: unknown): string {
  const { cause, message, code } = error as Error & { code?: unknown };
  if (cause instanceof Error) return whyOf(cause);
  if (typeof cause === 'string') return cause;
  const text = message.split('\n')[0] ?? '';
  return typeof code === 'string' && !text.includes(code) ? `${text} (${code})` : text;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = '', message, cause } = error;
  // Drizzle's own errors repeat the values of the statement; the stack of the driver's lacks its text.
  const said = 'params' in error ? error.name : stack;
  const own =
    'params' in error || said.includes(message) ? said : `${error.name}: ${message}\n${said}`;
  return cause instanceof Error ? `${own}\n${stackOf(cause)}` : own;
}
