// Ends all processes of a run: those of its group and those that left it, first asked, then killed.
import { setTimeout } from 'node:timers/promises';
import { isGroupLiving, processesOfRun } from './process-table.ts';

export interface RunProcesses {
  /** The leader of the group; undefined where it is not known any more. */
  pid: number | undefined;
  runId: string;
}

const LOOKED_EVERY_MS = 25;
/** How long killed processes are waited for: one in the kernel's hands may take its time. */
const KILLED_WITHIN_MS = 2000;

/**
 * Asks all processes of a run to end (SIGTERM), and kills those that are there after the grace.
 *
 * @returns whether there were any
 */
export async function endProcesses(run: RunProcesses, graceMs: number): Promise<boolean> {
  if (!(await signalAll(run, 'SIGTERM'))) return false;
  // Who was started meanwhile has not been asked, and is killed with the others.
  if (!(await isGoneWithin(run, graceMs, 0))) await isGoneWithin(run, KILLED_WITHIN_MS, 'SIGKILL');
  return true;
}

async function isGoneWithin(
  run: RunProcesses,
  ms: number,
  signal: NodeJS.Signals | 0,
): Promise<boolean> {
  const until = performance.now() + ms;
  while (await signalAll(run, signal)) {
    if (performance.now() >= until) return false;
    await setTimeout(LOOKED_EVERY_MS);
  }
  return true;
}

/** Sends a signal to all; says whether any was there that ran, also where it ends at once. */
async function signalAll(
  { pid, runId }: RunProcesses,
  signal: NodeJS.Signals | 0,
): Promise<boolean> {
  const inGroup = pid !== undefined && isThere(groupOf(pid)) && (await isGroupLiving(pid));
  // Whether anybody is there the group tells already; to look at every process takes longer.
  if (inGroup && signal === 0) return true;
  const outside = await processesOfRun(runId);
  if (inGroup) send(groupOf(pid), signal);
  for (const one of outside) send(one, signal);
  return inGroup || outside.length > 0;
}

/** A group where there are any: elsewhere the process alone. */
function groupOf(pid: number): number {
  return process.platform === 'win32' ? pid : -pid;
}

function isThere(pid: number): boolean {
  return send(pid, 0) !== 'ESRCH';
}

/** Gives why it could not be sent: the process is gone by now, or is not this user's. */
function send(pid: number, signal: NodeJS.Signals | 0): string | undefined {
  try {
    process.kill(pid, signal);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
