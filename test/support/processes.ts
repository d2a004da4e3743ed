// The processes that a run of the agent has left behind.
import { readdirSync, readFileSync } from 'node:fs';

/** The living processes that carry a run in their environment; none but on Linux. */
export function processesOfRun(runId: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isOfRun(pid, runId));
}

function isOfRun(pid: number, runId: string): boolean {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    return environment.includes(`\0PQRS_RUN_ID=${runId}\0`);
  } catch {
    return false;
  }
}
