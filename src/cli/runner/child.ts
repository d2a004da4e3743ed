// Runs a command as a child in a process group of its own, within a time, and leaves nothing of it
// running.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ItemRefused } from './paths.ts';
import { endProcesses, RUN_VARIABLE } from './processes.ts';

export interface ChildPlan {
  runId: string;
  argv: readonly string[];
  cwd: string;
  /** All that is in its environment. */
  env: Record<string, string>;
  timeoutMs: number;
  /** From being asked to end to being killed. */
  graceMs: number;
  /** Reads standard output and standard error, each to its end. */
  output(stream: AsyncIterable<Uint8Array>): Promise<void>;
  /** Ends it early. */
  interrupt: AbortSignal;
}

export interface ChildEnd {
  exitCode: number | null;
  /** By which it ended, or was to end. */
  signal: string | null;
  endedBy: 'itself' | 'timeout' | 'interrupt';
  /** Whether it left processes behind, which were ended. */
  leftovers: boolean;
}

const LEFTOVERS_GRACE_MS = 1000;
/** Output may be open in a process that could not be found. */
const DRAINED_WITHIN_MS = 1000;
export const MAX_TIMER_MS = 2 ** 31 - 1;

const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TMPDIR'];

/**
 * What a command finds in its environment. Nothing else that the agent has, its token above all, reaches it.
 */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  runId: string,
  ...given: Readonly<Record<string, string>>[]
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = own[name];
    if (value !== undefined) environment[name] = value;
  }
  return Object.assign(environment, ...given, { [RUN_VARIABLE]: runId });
}

/** Runs a command to its end. @throws ItemRefused where it cannot be started */
export async function runChild(plan: ChildPlan): Promise<ChildEnd> {
  const { argv, cwd, env, graceMs, interrupt } = plan;
  const [file = '', ...rest] = argv;
  let child: ChildProcess;
  try {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    child = spawn(file, rest, { cwd, env, detached: true, stdio });
  } catch (error) {
    throw notStarted(error as Error);
  }
  const { pid, stdout, stderr } = child;
  const exit = once(child, 'exit').catch((error: Error) => error);
  const drained = Promise.all([drain(stdout, plan), drain(stderr, plan)]);
  let endedBy: ChildEnd['endedBy'] = 'itself';
  let ended = Promise.resolve(false);
  const end = (why: ChildEnd['endedBy']) => {
    if (endedBy !== 'itself' || pid === undefined) return;
    endedBy = why;
    ended = endProcesses({ pid, runId: plan.runId }, graceMs);
  };
  const timer = setTimeout(end, Math.min(plan.timeoutMs, MAX_TIMER_MS), 'timeout');
  const onInterrupt = () => end('interrupt');
  interrupt.addEventListener('abort', onInterrupt);
  if (interrupt.aborted) onInterrupt();
  const how = await exit;
  clearTimeout(timer);
  interrupt.removeEventListener('abort', onInterrupt);
  if (how instanceof Error) throw notStarted(how);
  const [exitCode, bySignal] = how as [number | null, string | null];
  const run = { pid: pid as number, runId: plan.runId };
  // What it started has the whole grace, also where it ended at once itself.
  await ended;
  const leftovers = await endProcesses(run, LEFTOVERS_GRACE_MS);
  await within(DRAINED_WITHIN_MS, drained);
  stdout?.destroy();
  stderr?.destroy();
  // What was not passed on until more came is now.
  await within(DRAINED_WITHIN_MS, drained);
  // Asked to end it may still exit as if all had been well.
  const signal = bySignal ?? (endedBy === 'itself' ? null : 'SIGTERM');
  return { exitCode, signal, endedBy, leftovers };
}

function notStarted({ message }: Error): ItemRefused {
  return new ItemRefused(`not started: ${message}`);
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  await Promise.race([done, sleep(ms, undefined, { ref: false })]);
}

async function drain(stream: Readable | null, { output }: ChildPlan): Promise<void> {
  if (stream !== null) await output(untilCutOff(stream)).catch(() => {});
}

async function* untilCutOff(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch {
    // Nothing more comes.
  }
}
