// The processes of a run: found by their group and by the run's id in their environment, and ended: first
// asked, then killed.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

export const RUN_VARIABLE = 'PQRS_RUN_ID';

const POLL_MS = 25;
const KILLED_WITHIN_MS = 2000;

export interface RunProcesses {
  /** The leader of the group; undefined where an earlier agent started it. */
  pid: number | undefined;
  runId: string;
}

/**
 * Asks all processes of a run to end (SIGTERM), and kills those that are there after the grace.
 *
 * @returns whether there were any
 */
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
    await setTimeout(POLL_MS);
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

/**
 * When a process started; empty where the system does not show it (only Linux does).
 *
 * @returns undefined where there is no such process
 */
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
