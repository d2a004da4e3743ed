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
  if (await isGoneWithin(run, graceMs)) return true;
  await signalAll(run, 'SIGKILL');
  await isGoneWithin(run, KILLED_WITHIN_MS);
  return true;
}

async function isGoneWithin(run: RunProcesses, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (await signalAll(run, 0)) {
    if (performance.now() >= until) return false;
    await setTimeout(LOOKED_EVERY_MS);
  }
  return true;
}

/** Sends a signal to all; says whether any was there that runs. */
async function signalAll(
  { pid, runId }: RunProcesses,
  signal: NodeJS.Signals | 0,
): Promise<boolean> {
  const isThere = pid !== undefined && sendTo(groupOf(pid), signal);
  const inGroup = isThere && (await isGroupLiving(pid));
  // Whether anybody is there the group tells already; to look at every process takes longer.
  if (inGroup && signal === 0) return true;
  const outside = await processesOfRun(runId);
  return outside.map((one) => sendTo(one, signal)).includes(true) || inGroup;
}

/** A group where there are any: elsewhere the process alone. */
function groupOf(pid: number): number {
  return process.platform === 'win32' ? pid : -pid;
}

function sendTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // Something is there that may not be touched: nothing that this agent has started.
    return (error as NodeJS.ErrnoException).code === 'EPERM' && signal === 0;
  }
}
