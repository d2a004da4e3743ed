// The processes of a run: found by their group and by the run's id in their environment, and ended: first
// asked, then killed.
import { execFile } from 'node:child_process';
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
 */
export async function endProcesses(run: RunProcesses, graceMs: number): Promise<boolean> {
  if (!(await signalAll(run, 'SIGTERM'))) return false;
  // Who was started meanwhile has not been asked, and is killed with the others.
  if (!(await areGoneWithin(run, graceMs, 0)))
    await areGoneWithin(run, KILLED_WITHIN_MS, 'SIGKILL');
  return true;
}

async function areGoneWithin(
  run: RunProcesses,
  ms: number,
  signal: NodeJS.Signals | 0,
): Promise<boolean> {
  const until = performance.now() + ms;
  while (await signalAll(run, signal)) {
    if (performance.now() >= until) return false;
    await setTimeout(POLL_MS);
  }
  return true;
}

async function signalAll(
  { pid, runId }: RunProcesses,
  signal: NodeJS.Signals | 0,
): Promise<boolean> {
  // There are no groups on Windows: there it is the process alone.
  const group = pid === undefined || process.platform === 'win32' ? pid : -pid;
  const isInGroup = group !== undefined && send(group, 0) && (await isGroupLiving(Math.abs(group)));
  // Whether anybody is there the group says already; to look at every process takes longer.
  if (isInGroup && signal === 0) return true;
  const outside = await processesOfRun(runId);
  if (isInGroup) send(group, signal);
  for (const one of outside) send(one, signal);
  return isInGroup || outside.length > 0;
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
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
 * When a process started, in whatever form the system gives it: equal texts are one process.
 *
 * @returns undefined where there is no such process
 */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux')
    return new Promise((resolve) => {
      execFile('ps', ['-o', 'lstart=', '-p', String(pid)], (error, out) =>
        resolve(error ? undefined : out.trim() || undefined),
      );
    });
  const stat = await statOf(pid);
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return stat?.isLiving ? `${boot.trim()} ${stat.start}` : undefined;
}

/** Whether any process of a group runs; where the system does not show it, one that is there does. */
async function isGroupLiving(group: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  for (const pid of await allProcesses()) {
    const stat = await statOf(pid);
    if (stat?.group === group && stat.isLiving) return true;
  }
  return false;
}

/** The processes that carry a run in their environment; none where the system does not show it. */
export async function processesOfRun(runId: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const found: number[] = [];
  for (const pid of await allProcesses()) {
    if (pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    if (`\0${environment}`.includes(`\0${RUN_VARIABLE}=${runId}\0`)) found.push(pid);
  }
  return found;
}

async function allProcesses(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.map(Number).filter(Number.isInteger);
}
