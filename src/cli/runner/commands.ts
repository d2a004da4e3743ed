// What a client asks of the test commands that a server keeps.
import { CommandFailed } from '../command.ts';
import { type ApiAnswer, describeRefusal, type Send } from './api-client.ts';
import { persist, type Retrying } from './retry.ts';

/** What of a test command the agent reads beside what its item says. */
export interface CommandFacts {
  id: string;
  /** `retry` or `fail`. */
  onLeaseLost: string;
  /** The names of those that it is to find in its environment. */
  credentials: string[];
}

/** Reads a test command by its id; undefined where there is none to be read. */
export async function readCommand(
  send: Send,
  retrying: Retrying,
  id: string,
): Promise<CommandFacts | undefined> {
  const path = `/test-commands?id=${encodeURIComponent(id)}`;
  const { signal } = retrying;
  const answer = await persist(() => send({ method: 'GET', path, signal }), retrying);
  return answer.status === 200 ? (answer.body as CommandFacts) : undefined;
}

/** A test command that was asked for by name. */
export interface NamedCommand {
  id: string;
  key: string;
  kind: string;
  state: string;
}

/**
 * Finds a test command.
 *
 * @param name - its id or key
 * @throws CommandFailed where there is none
 */
export async function findCommand(
  send: Send,
  retrying: Retrying,
  name: string,
): Promise<NamedCommand> {
  const byId = name.startsWith('cmd_');
  const query = byId ? `id=${encodeURIComponent(name)}` : `key=${encodeURIComponent(name)}`;
  const request = { method: 'GET', path: `/test-commands?${query}` } as const;
  const answer = await persist(() => send({ ...request, signal: retrying.signal }), retrying);
  const found = commandIn(answer, byId);
  if (found !== undefined) return found;
  if (answer.status === 200 || answer.status === 404)
    throw new CommandFailed(`there is no test command "${name}"`);
  throw new CommandFailed(`no test command: ${describeRefusal(answer)}`);
}

function commandIn({ status, body }: ApiAnswer, bare: boolean): NamedCommand | undefined {
  if (status !== 200) return undefined;
  return bare ? (body as NamedCommand) : (body as { items: NamedCommand[] }).items[0];
}

/**
 * Why an agent would not run a test command; undefined where it would.
 *
 * @param kinds - that the agent runs
 */
export function whyNotRun(
  { key, kind, state }: NamedCommand,
  kinds: readonly string[],
): string | undefined {
  if (state === 'disabled' || state === 'archived') return `"${key}" is ${state}`;
  if (kinds.includes(kind)) return undefined;
  return `"${key}" is of the kind ${kind}, which this agent does not run`;
}
