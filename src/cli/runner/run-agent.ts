// `pqrs agent`: reads its options, goes on with what an earlier agent left, and claims suites until
// there is nothing to claim, or it is asked to end.
import { realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { STRATEGIES } from '../../agents/plan/model.ts';
import { COMMAND_KINDS } from '../../quality/commands/model.ts';
import { VERSION } from '../../version.ts';
import { type CommandCall, CommandFailed, UsageError } from '../command.ts';
import { createSend, Unreachable } from './api-client.ts';
import { readSelection } from './claims.ts';
import { readConnection, wholeNumber } from './connection.ts';
import { startHeartbeat } from './heartbeat-thread.ts';
import type { WorkFolder } from './item-paths.ts';
import { openOutput } from './output.ts';
import type { Retrying } from './retry.ts';
import { type Ending, openStateFile } from './state-file.ts';
import { listenForStop, Stopped } from './stopping.ts';
import { takeWorkFolder } from './work-lock.ts';
import { type AgentSettings, workUntilDone } from './work-plan.ts';

/** Few, so that other agents find work too: an agent does one after the other. */
const ITEMS_AT_A_TIME = 10;
const ENDINGS: readonly Ending[] = ['passed', 'failed', 'broken', 'cancelled', 'lost'];

/**
 * Runs the agent to its end.
 *
 * @throws UsageError; CommandFailed where not all that it was told to run was run and passed, or the
 *   server refuses or is away
 */
export async function runAgent(call: CommandCall): Promise<void> {
  const connection = await readConnection(call, process.env);
  const settings = readSettings(call);
  const work = await workFolderOf(call);
  const output = openOutput(call.json);
  const stateFile = await openStateFile(work.path);
  const giveBack = await takeWorkFolder(stateFile.folder);
  const stopping = listenForStop(wholeNumber(call, 'grace-ms', { fallback: 30_000 }), () =>
    output.notice('stopping', 'asked to end: no item is begun any more'),
  );
  const heartbeat = startHeartbeat(connection);
  const counts = Object.fromEntries(ENDINGS.map((ending) => [ending, 0])) as Record<Ending, number>;
  const send = createSend(connection);
  const retrying = (until: () => number, signal = stopping.hard): Retrying => ({
    ...{ until, signal },
    onWait: (ms, why) => output.notice('retry', `${why}; again in ${ms} ms`),
  });
  let why: string | undefined;
  try {
    why = await workUntilDone({
      ...{ url: connection.url, token: connection.token, send, heartbeat, stateFile, work },
      ...{ stopping, output, retrying },
      ...settings,
      count: (ending) => {
        counts[ending] += 1;
      },
    });
    if (call.json || sumOf(counts) > 0 || !stopping.soft.aborted) output.summary(counts);
  } catch (error) {
    if (error instanceof Unreachable)
      throw new CommandFailed(`${connection.url} cannot be reached: ${error.message}`);
    if (error instanceof Stopped) throw new CommandFailed(error.message);
    throw error;
  } finally {
    heartbeat.end();
    stopping.end();
    await giveBack();
  }
  if (stopping.hard.aborted) throw new CommandFailed('the agent had to end before its item had');
  const all = sumOf(counts);
  if (counts.passed < all)
    throw new CommandFailed(`${all - counts.passed} of ${all} items did not pass`);
  if (why !== undefined) throw new CommandFailed(why);
}

function sumOf(counts: Record<Ending, number>): number {
  return ENDINGS.reduce((sum, ending) => sum + counts[ending], 0);
}

function readSettings(call: CommandCall): AgentSettings & { killGraceMs: number } {
  const kinds = call.text('kinds')?.split(',') ?? COMMAND_KINDS.filter((kind) => kind !== 'manual');
  const unknown = kinds.find((kind) => !COMMAND_KINDS.some((known) => known === kind));
  if (unknown !== undefined)
    throw new UsageError(
      `"${unknown}" is no kind of command; there are ${COMMAND_KINDS.join(', ')}`,
    );
  if (kinds.includes('manual')) throw new UsageError('what is manual is not for an agent');
  return {
    selection: readSelection(
      {
        plan: call.text('plan'),
        commands: call.text('commands'),
        strategy: call.text('strategy'),
      },
      STRATEGIES,
    ),
    agent: { name: call.text('name') ?? hostname().slice(0, 300), version: VERSION },
    kinds,
    environment: call.text('environment'),
    maxItems: wholeNumber(call, 'max-items', { least: 1, most: 1000, fallback: ITEMS_AT_A_TIME }),
    leaseMs: wholeNumber(call, 'lease-ms', { least: 1000, most: 3_600_000, fallback: undefined }),
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
  const allowOutside = call.switched('allow-outside');
  return { path, allowOutside, protectedFiles: await startedWith(call) };
}

/** Files that the agent was started with: its token, its certificates, its settings. */
async function startedWith(call: CommandCall): Promise<string[]> {
  const named = Object.entries(process.env)
    .filter(([name]) => /(?:_FILE|_CERTS?|_KEY)$/.test(name))
    .map(([, path]) => path);
  const paths = [call.text('token-file'), 'pqrs.toml', ...named].filter((path) => !!path);
  const found = await Promise.all(paths.map((path) => realpath(`${path}`).catch(() => '')));
  return found.filter((path) => path !== '');
}
