// What the system tells of processes: when one started, so that a number that was given away again is
// not taken for the process that had it before, and which ones belong to a run.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** The variable that every process of a run has in its environment. */
export const RUN_VARIABLE = 'PQRS_RUN_ID';

/** What `/proc/PID/stat` tells of a process (proc(5)). */
export interface ProcessStat {
  state: string;
  group: number;
  /** Clock ticks from the boot to its start. */
  start: string;
}

/** Reads a `/proc/PID/stat`. */
export function readStat(text: string): ProcessStat {
  // The name of the program stands in parentheses and may have some of its own.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', group: Number(fields[2]), start: fields[19] ?? '' };
}

/** Whether it runs: a zombie is only a number that its parent has not asked for. */
export function isLiving({ state }: ProcessStat): boolean {
  return state !== 'Z' && state !== 'X';
}

/**
 * When a process started, in whatever form the system says it: equal texts are one process.
 *
 * @returns undefined where there is no such process
 */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return startByPs(pid);
  const [stat, boot] = await Promise.all([
    statOf(pid),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
  ]);
  return stat && isLiving(stat) ? `${boot.trim()} ${stat.start}` : undefined;
}

async function statOf(pid: number): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : readStat(text);
}

function startByPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], (error, out) =>
      resolve(error ? undefined : out.trim() || undefined),
    );
  });
}

/** Whether any process of a group runs; where the system does not show it, one that is there does. */
export async function isGroupLiving(group: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  for (const pid of await allProcesses()) {
    const stat = await statOf(pid);
    if (stat?.group === group && isLiving(stat)) return true;
  }
  return false;
}

/** The processes that carry a run in their environment; none where the system does not show it. */
export async function processesOfRun(runId: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const mark = Buffer.from(`\0${RUN_VARIABLE}=${runId}\0`);
  const found: number[] = [];
  for (const pid of await allProcesses()) {
    if (pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
    if (environment === undefined) continue;
    if (Buffer.concat([Buffer.from([0]), environment]).includes(mark)) found.push(pid);
  }
  return found;
}

async function allProcesses(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.map(Number).filter((pid) => Number.isInteger(pid));
}
