// What the agent must know to go on after it was ended in the middle: written before each step into a
// file that only its user can read. The values of credentials are never in it.
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OWN_FOLDER } from './item-paths.ts';
import type { AgentIdentity, Suite, SuiteItem } from './suite.ts';

/** How an item went in this agent. */
export type Ending = 'passed' | 'failed' | 'broken' | 'cancelled' | 'lost';

export interface SpooledFile {
  path: string;
  name: string;
  mediaType: string;
  bytes: number;
}

/** What is known when a command has ended: all that its submission is made of. */
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
  /** What the agent has to say of it. */
  notes: readonly string[];
  /** Of the folder that it ran in. */
  root: string | null;
  commit: string | null;
  branch: string | null;
}

export type Step =
  /** It is about to be started, for the how manyth time in this attempt. */
  | { at: 'starting'; starts: number }
  | { at: 'running'; starts: number; pid: number; processStart: string | null; startedAt: number }
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
  /** A claim that was sent, or is about to be: under its key the server gives the same answer. */
  claim: { key: string; body: object } | null;
  suite: Omit<Suite, 'credentials'> | null;
  /** Whether the suite came with credentials, which must be asked for again. */
  hasCredentials: boolean;
  /** By run. */
  steps: Record<string, Step>;
}

export interface StateFile {
  /** The folder of the agent's own files. */
  folder: string;
  /** Undefined where there is none, or none that can be understood. */
  read(): Promise<AgentState | undefined>;
  /** On disk when it is done, whole or not at all. */
  write(state: AgentState): Promise<void>;
  remove(): Promise<void>;
  /** A folder for what is kept of a run until it is submitted. */
  runFolder(item: Pick<SuiteItem, 'runId'>): Promise<string>;
  removeRun(item: Pick<SuiteItem, 'runId'>): Promise<void>;
  /** Removes what is kept of any run. */
  removeRuns(): Promise<void>;
  /** The moment by the clock of the file system, which is behind the system's by a tick, or another machine's. */
  fileTime(): Promise<number>;
}

/** Opens the agent's own folder in a work folder. */
export async function openStateFile(workFolder: string): Promise<StateFile> {
  const folder = join(workFolder, OWN_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Nothing of it belongs to the project that is worked on.
  await writeFile(join(folder, '.gitignore'), '*\n');
  const path = join(folder, 'suite.json');
  const folderOf = ({ runId }: Pick<SuiteItem, 'runId'>) =>
    join(folder, 'runs', runId.replaceAll(/[^\w-]/g, '_'));

  return {
    folder,
    async read() {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      return text === undefined ? undefined : stateOf(text);
    },
    async write(state) {
      const fresh = `${path}.new`;
      const file = await open(fresh, 'w', 0o600);
      try {
        await file.writeFile(JSON.stringify(state, null, 2));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(fresh, path);
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
      const file = await open(mark, 'w', 0o600);
      await file.write('.');
      await file.close();
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
