// The agent's own folder in the folder that it works in: one agent has it at a time, and what is stored
// of a run lies in it until the run is submitted.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed } from '../command.ts';
import { endProcesses, startOf } from './processes.ts';

export const OWN_FOLDER = '.pqrs-agent';

export interface AgentFolder {
  /** A new folder for what is stored of a run. */
  makeRun(runId: string): Promise<string>;
  /** Removes what is stored of runs, and lets another agent have the folder. */
  close(): Promise<void>;
}

/**
 * Takes the folder, and ends what an agent that was killed has left running.
 *
 * @throws CommandFailed where another agent that lives has it: two would remove each other's reports
 */
export async function openAgentFolder(workFolder: string, graceMs: number): Promise<AgentFolder> {
  const folder = join(workFolder, OWN_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Nothing of it belongs to the project that is worked on.
  await writeFile(join(folder, '.gitignore'), '*\n');
  const lock = join(folder, 'lock');
  await takeLock(lock);
  const runs = join(folder, 'runs');
  for (const runId of await readdir(runs).catch(() => []))
    await endProcesses({ pid: undefined, runId }, graceMs);
  await rm(runs, { recursive: true, force: true });
  return {
    async makeRun(runId) {
      const path = join(runs, runId.replaceAll(/[^\w-]/g, '_'));
      await rm(path, { recursive: true, force: true });
      await mkdir(path, { recursive: true, mode: 0o700 });
      return path;
    },
    async close() {
      await rm(runs, { recursive: true, force: true });
      await rm(lock, { force: true });
    },
  };
}

async function takeLock(path: string): Promise<void> {
  const [pid = '', start] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
  if (/^\d+$/.test(pid) && (await startOf(Number(pid))) === start)
    throw new CommandFailed(`the agent with process id ${pid} works in this folder already`);
  await rm(path, { force: true });
  const own = `${process.pid} ${await startOf(process.pid)}`;
  await writeFile(path, own, { mode: 0o600, flag: 'wx' }).catch(() => {
    throw new CommandFailed('another agent works in this folder already');
  });
}
