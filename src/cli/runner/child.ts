// Runs a command as a child in a process group of its own, within a time, and leaves nothing of it
// running.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
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

const LEFTOVERS_GRACE_MS = 1000;
/** Output may be open in a process that could not be found. */
const DRAINED_WITHIN_MS = 1000;
export const MAX_TIMER_MS = 2 ** 31 - 1;

const PASSED_ON = [
  ...['PATH', 'HOME', 'LANG', 'TMPDIR', 'SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'TEMP'],
  ...['TMP', 'USERPROFILE', 'LOCALAPPDATA', 'APPDATA', 'ProgramFiles'],
];

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

/** Starts a command. Nothing is thrown: one that cannot be started ends at once, with the reason. */
export function startChild(plan: ChildPlan): Child {
  const { argv, cwd, env, graceMs } = plan;
  const [file = '', ...rest] = argv;
  let endedBy: ChildEnd['endedBy'] = 'itself';
  let child: ChildProcess;
  try {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    child = spawn(file, rest, { cwd, env, detached: true, windowsHide: true, stdio });
  } catch (error) {
    return { pid: undefined, ended: notStarted((error as Error).message), stop: () => {} };
  }
  const { pid, stdout, stderr } = child;
  const run = { pid, runId: plan.runId };
  const exit = exitOf(child);
  let ended = Promise.resolve(false);
  const end = (why: ChildEnd['endedBy']) => {
    if (endedBy !== 'itself') return;
    endedBy = why;
    if (pid !== undefined) ended = endProcesses(run, graceMs);
  };
  const timer = setTimeout(end, Math.min(plan.timeoutMs, MAX_TIMER_MS), 'timeout');
  const drained = Promise.all([drain(stdout, plan), drain(stderr, plan)]);
  const drainedSoon = () =>
    Promise.race([drained, sleep(DRAINED_WITHIN_MS, undefined, { ref: false })]);

  async function untilEnded(): Promise<ChildEnd> {
    const { exitCode, signal, failure } = await exit;
    clearTimeout(timer);
    const finishedAt = Date.now();
    const by = endedBy;
    // From here on it is too late to end it.
    endedBy = 'stop';
    // What it started has the whole grace, also where it ended at once itself.
    await ended;
    const leftovers = pid !== undefined && (await endProcesses(run, LEFTOVERS_GRACE_MS));
    await drainedSoon();
    stdout?.destroy();
    stderr?.destroy();
    // What was not passed on until more came is now.
    await drainedSoon();
    // Asked to end it may still exit as if all had been well.
    const asked = by === 'itself' ? null : 'SIGTERM';
    return { exitCode, signal: signal ?? asked, finishedAt, endedBy: by, failure, leftovers };
  }
  return { pid, ended: untilEnded(), stop: () => end('stop') };
}

async function notStarted(failure: string): Promise<ChildEnd> {
  return {
    exitCode: null,
    signal: null,
    finishedAt: Date.now(),
    endedBy: 'itself',
    failure,
    leftovers: false,
  };
}

function exitOf(child: ChildProcess): Promise<Pick<ChildEnd, 'exitCode' | 'signal' | 'failure'>> {
  return new Promise((resolve) => {
    child.once('error', ({ message: failure }) =>
      resolve({ exitCode: null, signal: null, failure }),
    );
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, failure: undefined }));
  });
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
