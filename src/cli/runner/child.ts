// Runs a command as a child in a process group of its own, within a time, and leaves nothing of it
// running.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcesses } from './process-group.ts';

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
}

export interface ChildEnd {
  exitCode: number | null;
  /** By which it ended, or was to end. */
  signal: string | null;
  /** Milliseconds since the epoch. */
  finishedAt: number;
  endedBy: 'itself' | 'timeout' | 'stop';
  /** Why it could not be started. */
  failure: string | undefined;
  /** Whether it left processes behind, which were ended. */
  leftovers: boolean;
}

export interface Child {
  /** Undefined where it could not be started. */
  pid: number | undefined;
  ended: Promise<ChildEnd>;
  /** Asks it to end, and kills it after the grace. */
  stop(): void;
}

/** What is left when the command itself has ended is given this long. */
const LEFTOVERS_GRACE_MS = 1000;
/** Output may be held open by a process that could not be found. */
const DRAINED_WITHIN_MS = 1000;
/** The longest time that a timer takes. */
const TIMER_MOST_MS = 2 ** 31 - 1;

/** Starts a command. Nothing is thrown: one that cannot be started ends at once, with the reason. */
export function startChild(plan: ChildPlan): Child {
  let endedBy: ChildEnd['endedBy'] = 'itself';
  const started = start(plan);
  if ('failure' in started) return { pid: undefined, ended: notStarted(started), stop: () => {} };
  const { process: child } = started;
  const { pid } = child;
  const exit = exitOf(child);
  let ended = Promise.resolve(false);
  const ending = (why: ChildEnd['endedBy']) => {
    if (endedBy !== 'itself') return;
    endedBy = why;
    if (pid !== undefined) ended = endProcesses({ pid, runId: plan.runId }, plan.graceMs);
  };
  const timer = setTimeout(ending, Math.min(plan.timeoutMs, TIMER_MOST_MS), 'timeout');
  const drained = Promise.all([drain(child.stdout, plan), drain(child.stderr, plan)]);

  async function end(): Promise<ChildEnd> {
    const { exitCode, signal, failure } = await exit;
    clearTimeout(timer);
    const finishedAt = Date.now();
    const by = endedBy;
    // From here on it is too late to end it.
    endedBy = 'stop';
    // What it started has the whole grace, also where it ended at once itself.
    await ended;
    const leftovers =
      pid !== undefined && (await endProcesses({ pid, runId: plan.runId }, LEFTOVERS_GRACE_MS));
    await Promise.race([drained, sleep(DRAINED_WITHIN_MS, undefined, { ref: false })]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    // What was held back until more came is given away now.
    await Promise.race([drained, sleep(DRAINED_WITHIN_MS, undefined, { ref: false })]);
    // Asked to end it may still exit as if all had been well.
    const asked = by === 'itself' ? null : 'SIGTERM';
    return { exitCode, signal: signal ?? asked, finishedAt, endedBy: by, failure, leftovers };
  }
  return { pid, ended: end(), stop: () => ending('stop') };
}

function start({ argv, cwd, env }: ChildPlan): { process: ChildProcess } | { failure: string } {
  const [file = '', ...rest] = argv;
  try {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const options = { cwd, env, detached: true, windowsHide: true, stdio: [...stdio] };
    return { process: spawn(file, rest, options) };
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

async function notStarted({ failure }: { failure: string }): Promise<ChildEnd> {
  return {
    ...{ exitCode: null, signal: null, finishedAt: Date.now(), endedBy: 'itself' },
    ...{ failure, leftovers: false },
  };
}

function exitOf(child: ChildProcess): Promise<Pick<ChildEnd, 'exitCode' | 'signal' | 'failure'>> {
  return new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({ exitCode: null, signal: null, failure: error.message }),
    );
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, failure: undefined }));
  });
}

async function drain(stream: Readable | null, { output }: ChildPlan): Promise<void> {
  if (stream !== null) await output(untilCutOff(stream)).catch(() => {});
}

/** A stream that is cut off has said what it had to say: whoever reads it comes to its end. */
async function* untilCutOff(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch {
    // Nothing more comes.
  }
}
