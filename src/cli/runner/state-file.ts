// What the agent must know to go on after it was ended in the middle: written before each step into a
// file that only its user can read, in a folder that one agent has at a time. The values of credentials
// are never in it.
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed } from '../command.ts';
import { OWN_FOLDER } from './paths.ts';
import { startOf } from './processes.ts';
import type { AgentIdentity, Claim, Suite, SuiteItem } from './suite.ts';

export type Ending = 'passed' | 'failed' | 'broken' | 'cancelled' | 'lost';

export interface SpooledFile {
  path: string;
  name: string;
  mediaType: string;
}

export interface Finished {
  execution: {
    exitCode: number | null;
    signal: string | null;
    startedAt: string;
    finishedAt: string;
    reportSha256: string | null;
    reportModifiedAt: string | null;
    expectedFiles: string[] | null;
    consoleTail: string;
  };
  /** Null where the command left none. */
  report: SpooledFile | null;
  files: SpooledFile[];
  /** What the agent itself adds. */
  notes: readonly string[];
  /** Of the folder that it ran in. */
  root: string | null;
  commit: string | null;
  branch: string | null;
}

export type Step =
  /** It was, or is about to be, started for the how manyth time in this attempt. */
  | { at: 'started'; starts: number }
  | { at: 'finished'; finished: Finished }
  | { at: 'ended'; ending: Ending };

export interface AgentState {
  format: 1;
  /** Of the server. */
  url: string;
  /** What the agent was asked to work on, as text. */
  selection: string;
  planId: string | null;
  agent: AgentIdentity;
  /** A claim that was sent, or is about to be. */
  claim: Claim | null;
  suite: Omit<Suite, 'credentials'> | null;
  /** Whether the suite came with credentials, which must be asked for again. */
  hasCredentials: boolean;
  /** By run. */
  steps: Record<string, Step>;
}

export interface StateFile {
  /** Undefined where there is none, or none that can be understood. */
  read(): Promise<AgentState | undefined>;
  /** On disk when it is done, whole or not at all. */
  write(state: AgentState): Promise<void>;
  remove(): Promise<void>;
  /** A folder for what is stored of a run until it is submitted. */
  runFolder(item: Pick<SuiteItem, 'runId'>): Promise<string>;
  removeRun(item: Pick<SuiteItem, 'runId'>): Promise<void>;
  /** Removes what is stored of any run. */
  removeRuns(): Promise<void>;
  /** The moment by the clock of the file system, which is behind the system's by a tick, or another machine's. */
  fileTime(): Promise<number>;
  /** Lets another agent have the folder. */
  unlock(): Promise<void>;
}

/**
 * Opens the agent's own folder in a work folder, and takes its lock.
 *
 * @throws CommandFailed where another agent that lives has it: two would remove each other's reports
 */
export async function openStateFile(workFolder: string): Promise<StateFile> {
  const folder = join(workFolder, OWN_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Nothing of it belongs to the project that is worked on.
  await writeFile(join(folder, '.gitignore'), '*\n');
  const unlock = await lock(join(folder, 'lock'));
  const path = join(folder, 'suite.json');
  const folderOf = ({ runId }: Pick<SuiteItem, 'runId'>) =>
    join(folder, 'runs', runId.replaceAll(/[^\w-]/g, '_'));

  return {
    unlock,
    async read() {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      return text === undefined ? undefined : stateOf(text);
    },
    async write(state) {
      const file = await open(`${path}.new`, 'w', 0o600);
      try {
        await file.writeFile(JSON.stringify(state, null, 2));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
    },
    remove: () => rm(path, { force: true }),
    async runFolder(item) {
      const path = folderOf(item);
      await mkdir(path, { recursive: true, mode: 0o700 });
      return path;
    },
    removeRun: (item) => rm(folderOf(item), { recursive: true, force: true }),
    removeRuns: () => rm(join(folder, 'runs'), { recursive: true, force: true }),
    async fileTime() {
      const mark = join(folder, 'clock');
      await writeFile(mark, '.', { mode: 0o600 });
      return Math.floor((await stat(mark)).mtimeMs);
    },
  };
}

function stateOf(text: string): AgentState | undefined {
  try {
    const state = JSON.parse(text) as AgentState;
    return state?.format === 1 && typeof state.steps === 'object' ? state : undefined;
  } catch {
    return undefined;
  }
}

async function lock(path: string): Promise<() => Promise<void>> {
  const holder = await readFile(path, 'utf8').catch(() => '');
  const [pid = '', ...start] = holder.split(' ');
  if (/^\d+$/.test(pid) && (await startOf(Number(pid))) === start.join(' '))
    throw new CommandFailed(`the agent with process id ${pid} works in this folder already`);
  await rm(path, { force: true });
  const own = `${process.pid} ${await startOf(process.pid)}`;
  await writeFile(path, own, { mode: 0o600, flag: 'wx' }).catch(() => {
    throw new CommandFailed('another agent works in this folder already');
  });
  return () => rm(path, { force: true });
}
