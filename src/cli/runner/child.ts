// Runs a command as a child in a process group of its own, and leaves nothing of it running.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** An item that the agent does not run; the text says why. */
export class ItemRefused extends Error {
  override name = 'ItemRefused';
}

export interface ChildPlan {
  runId: string;
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
/** Output may be open in a process that could not be found. */
const DRAINED_WITHIN_MS = 1000;
export const MAX_TIMER_MS = 2 ** 31 - 1;

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
const KILLED_WITHIN_MS = 2000;

interface RunProcesses {
  /** The leader of the group; undefined where an earlier agent started it. */
  pid: number | undefined;
  runId: string;
}

/** Asks all processes of a run to end, kills those left after the grace; false where there are none. */
export async function endProcesses(run: RunProcesses, graceMs: number): Promise<boolean> {
  if (!(await signalAll(run, 'SIGTERM'))) return false;
  // Who was started meanwhile has not been asked, and is killed with the others.
  if (!(await areGoneWithin(run, graceMs, 0)))
    await areGoneWithin(run, KILLED_WITHIN_MS, 'SIGKILL');
  return true;
}

async function areGoneWithin(run: RunProcesses, ms: number, signal: Signal): Promise<boolean> {
  const until = performance.now() + ms;
  while (await signalAll(run, signal)) {
    if (performance.now() >= until) return false;
    await sleep(POLL_MS);
  }
  return true;
}

type Signal = NodeJS.Signals | 0;

async function signalAll({ pid, runId }: RunProcesses, signal: Signal): Promise<boolean> {
  if (process.platform !== 'linux') return pid !== undefined && send(-pid, signal);
  const found = await livingOf(runId, pid);
  if (pid !== undefined && found.some(({ isInGroup }) => isInGroup)) send(-pid, signal);
  for (const one of found) send(one.pid, signal);
  return found.length > 0;
}

function send(pid: number, signal: Signal): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

interface ProcessStat {
  group: number;
  /** Clock ticks from the boot to its start. */
  start: string;
  /** A zombie is only a number that its parent has not asked for. */
  isLiving: boolean;
}

export function readStat(text: string): ProcessStat {
  // The name of the program stands in parentheses and may have some of its own.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const isLiving = !['Z', 'X'].includes(fields[0] ?? '');
  return { group: Number(fields[2]), start: fields[19] ?? '', isLiving };
}

async function statOf(pid: number): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : readStat(text);
}

/** Undefined where there is no such process, empty where the system does not show its start. */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return send(pid, 0) ? '' : undefined;
  const stat = await statOf(pid);
  return stat?.isLiving ? stat.start : undefined;
}

/** The processes that carry a run in their environment; none but on Linux. */
export async function processesOfRun(runId: string): Promise<number[]> {
  return (await livingOf(runId, undefined)).map(({ pid }) => pid);
}

async function livingOf(runId: string, group: number | undefined) {
  const found: { pid: number; isInGroup: boolean }[] = [];
  const names = process.platform === 'linux' ? await readdir('/proc') : [];
  for (const pid of names.map(Number).filter(Number.isInteger)) {
    const stat = pid === process.pid ? undefined : await statOf(pid);
    if (!stat?.isLiving) continue;
    const isInGroup = stat.group === group;
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (isInGroup || `\0${environment}`.includes(`\0${RUN_VARIABLE}=${runId}\0`))
      found.push({ pid, isInGroup });
  }
  return found;
}
