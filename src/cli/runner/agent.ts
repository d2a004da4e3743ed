// `pqrs agent`: reads its options, claims suites and works them until there is nothing to claim, or it is
// asked to end.
import { realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { STRATEGIES } from '../../agents/plan/model.ts';
import { COMMAND_KINDS } from '../../quality/commands/model.ts';
import { VERSION } from '../../version.ts';
import { type CommandCall, CommandFailed, UsageError, wholeNumber } from '../command.ts';
import { createSend, readConnection, Unreachable } from './api.ts';
import { Stopped } from './items.ts';
import { openOutput } from './output.ts';
import type { WorkFolder } from './paths.ts';
import { readSelection, workUntilDone } from './plan.ts';
import { type Ending, openStateFile } from './state-file.ts';

/** Few, so that other agents find work too: an agent does one after the other. */
const DEFAULT_ITEMS = 10;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const HASTE_AFTER_MS = 1000;

/**
 * Runs the agent to its end.
 *
 * @throws UsageError; CommandFailed where not all that it was asked to run was run and passed, or the
 *   server refuses or is away
 */
export async function runAgent(call: CommandCall): Promise<void> {
  const { url, token } = await readConnection(call, process.env);
  const settings = readSettings(call);
  const graceMs = wholeNumber(call, 'grace-ms', { fallback: 30_000 });
  const work = await workFolderOf(call);
  const output = openOutput(call.json);
  const stateFile = await openStateFile(work.path);
  const stopping = listenForStop(graceMs, () =>
    output.event('stopping', 'asked to end: no item is begun any more'),
  );
  const { soft, hard } = stopping;
  const counts: Record<Ending, number> = {
    passed: 0,
    failed: 0,
    broken: 0,
    cancelled: 0,
    lost: 0,
  };
  const all = () => Object.values(counts).reduce((sum, count) => sum + count, 0);
  let why: string | undefined;
  try {
    why = await workUntilDone({
      ...settings,
      url,
      token,
      send: createSend({ url, token }),
      retrying: (until, signal = hard) => ({
        until,
        signal,
        onWait: (ms, reason) => output.event('retry', `${reason}; again in ${ms} ms`),
      }),
      stateFile,
      work,
      soft,
      hard,
      output,
      count: (ending) => {
        counts[ending] += 1;
      },
    });
    if (call.json || all() > 0 || !soft.aborted) output.summary(counts);
  } catch (error) {
    if (error instanceof Unreachable)
      throw new CommandFailed(`${url} cannot be reached: ${error.message}`);
    if (error instanceof Stopped) throw new CommandFailed(error.message);
    throw error;
  } finally {
    stopping.end();
    await stateFile.unlock();
  }
  if (hard.aborted) throw new CommandFailed('the agent had to end before its item had');
  if (counts.passed < all())
    throw new CommandFailed(`${all() - counts.passed} of ${all()} items did not pass`);
  if (why !== undefined) throw new CommandFailed(why);
}

function readSettings(call: CommandCall) {
  const kinds = call.text('kinds')?.split(',') ?? COMMAND_KINDS.filter((kind) => kind !== 'manual');
  const unknown = kinds.find((kind) => !COMMAND_KINDS.some((known) => known === kind));
  if (unknown !== undefined)
    throw new UsageError(
      `"${unknown}" is no kind of command; there are ${COMMAND_KINDS.join(', ')}`,
    );
  if (kinds.includes('manual')) throw new UsageError('what is manual is not for an agent');
  const given = {
    plan: call.text('plan'),
    commands: call.text('commands'),
    strategy: call.text('strategy'),
  };
  return {
    selection: readSelection(given, STRATEGIES),
    agent: { name: call.text('name') ?? hostname().slice(0, 300), version: VERSION },
    kinds,
    environment: call.text('environment'),
    maxItems: wholeNumber(call, 'max-items', { min: 1, max: 1000, fallback: DEFAULT_ITEMS }),
    leaseMs: wholeNumber(call, 'lease-ms', { min: 1000, max: 3_600_000, fallback: undefined }),
    killGraceMs: wholeNumber(call, 'kill-grace-ms', { fallback: 5000 }),
    retryMs: wholeNumber(call, 'retry-ms', { fallback: 120_000 }),
    once: call.switched('once'),
  };
}

async function workFolderOf(call: CommandCall): Promise<WorkFolder> {
  const given = call.text('work-dir') ?? '.';
  const path = await realpath(given).catch(() => undefined);
  if (path === undefined || !(await stat(path)).isDirectory())
    throw new UsageError(`there is no folder ${given}`);
  // What the agent was started with: its token, its certificates, its settings.
  const named = Object.entries(process.env)
    .filter(([name]) => /(?:_FILE|_CERTS?|_KEY)$/.test(name))
    .map(([, path]) => path);
  const paths = [call.text('token-file'), 'pqrs.toml', ...named].filter((path) => !!path);
  const found = await Promise.all(paths.map((path) => realpath(`${path}`).catch(() => '')));
  const protectedFiles = found.filter((path) => path !== '');
  return { path, allowOutside: call.switched('allow-outside'), protectedFiles };
}

/**
 * Listens for the signals that ask a process to end.
 *
 * @param graceMs - how long what is under way may go on, unless asked a second time
 * @returns `soft`, aborted as soon as nothing new is to be begun, and `hard`, when what is under way must end
 */
function listenForStop(graceMs: number, onAsked: () => void) {
  const soft = new AbortController();
  const hard = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let askedAt = 0;
  const giveUp = () => hard.abort(new Stopped('the agent had to end'));
  function ask(): void {
    if (!soft.signal.aborted) {
      askedAt = performance.now();
      soft.abort(new Stopped('the agent was asked to end'));
      timer = setTimeout(giveUp, graceMs);
      onAsked();
    } else if (performance.now() - askedAt > HASTE_AFTER_MS) giveUp();
  }
  for (const signal of SIGNALS) process.on(signal, ask);
  return {
    soft: soft.signal,
    hard: hard.signal,
    end() {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, ask);
    },
  };
}
