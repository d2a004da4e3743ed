// Runs a command as a child in a process group of its own, and leaves nothing of the group running.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** An item that the agent does not run; the text says why. */
export class ItemRefused extends Error {
  override name = 'ItemRefused';
}

export interface ChildPlan {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  timeoutMs: number;
  /** From being asked to end to being killed. */
  graceMs: number;
  /** Reads standard output and standard error, each to its end. */
  output(stream: AsyncIterable<Uint8Array>): Promise<void>;
  interrupt: AbortSignal;
}

interface ChildEnd {
  exitCode: number | null;
  signal: string | null;
  endedBy: 'itself' | 'timeout' | 'interrupt';
  /** Whether it left processes behind, which were ended. */
  leftovers: boolean;
}

const LEFTOVERS_GRACE_MS = 1000;
/** Output may be open in a process that has left the group. */
const DRAINED_WITHIN_MS = 1000;
const MAX_TIMER_MS = 2 ** 31 - 1;

const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TMPDIR'];

/** Nothing else that the agent has, its token above all, reaches a command. */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  runId: string,
  ...given: Readonly<Record<string, string>>[]
): Record<string, string> {
  const passedOn = Object.entries(own).filter(([name]) => PASSED_ON.includes(name));
  return Object.assign(Object.fromEntries(passedOn), ...given, { [RUN_VARIABLE]: runId });
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
    ended = endGroup(pid, graceMs);
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
  // What it started has the whole grace, also where it ended at once itself.
  await ended;
  const leftovers = await endGroup(pid as number, LEFTOVERS_GRACE_MS);
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
  async function* untilCutOff(): AsyncGenerator<Uint8Array> {
    try {
      yield* stream ?? [];
    } catch {
      // Nothing more comes.
    }
  }
  await output(untilCutOff()).catch(() => {});
}

const RUN_VARIABLE = 'PQRS_RUN_ID';

const POLL_MS = 25;

/** Asks a process group to end, and kills what is left of it after the grace; false where there is none. */
async function endGroup(pid: number, graceMs: number): Promise<boolean> {
  if (!send(-pid, 'SIGTERM')) return false;
  const until = performance.now() + graceMs;
  while (send(-pid, 0)) {
    if (performance.now() >= until) {
      send(-pid, 'SIGKILL');
      return true;
    }
    await sleep(POLL_MS);
  }
  return true;
}

/** Signals a process, or a group by its negative id; false where there is none. */
export function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
