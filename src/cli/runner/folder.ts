// The agent's own folder in the folder that it works in: one agent has it at a time, and what is stored
// of a run lies in it until the run is submitted.
import { lstat, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { hasMarks } from '../administration/data-folder.ts';
import { type CommandCall, CommandFailed } from '../command.ts';
import { ItemRefused, send } from './child.ts';

const OWN_FOLDER = '.pqrs-agent';

export type AgentFolder = Awaited<ReturnType<typeof openAgentFolder>>;

/** @throws CommandFailed where another agent has it: two would take each other's reports for theirs */
export async function openAgentFolder(workFolder: string) {
  const folder = join(workFolder, OWN_FOLDER);
  const [lock, runs] = [join(folder, 'lock'), join(folder, 'runs')];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Nothing of it belongs to the project that is worked on.
  await writeFile(join(folder, '.gitignore'), '*\n');
  const pid = Number(await readFile(lock, 'utf8').catch(() => ''));
  if (pid > 0 && pid !== process.pid && send(pid, 0))
    throw new CommandFailed(`the agent with process id ${pid} works in this folder (see ${lock})`);
  await writeFile(lock, String(process.pid), { mode: 0o600 });
  await rm(runs, { recursive: true, force: true });
  return {
    async makeRun() {
      await mkdir(runs, { recursive: true, mode: 0o700 });
      return mkdtemp(join(runs, 'run-'));
    },
    /** Removes what is stored of runs, and lets another agent have the folder. */
    async close() {
      await rm(runs, { recursive: true, force: true });
      await rm(lock, { force: true });
    },
  };
}

export interface WorkFolder {
  /** Without links in it. */
  path: string;
  allowOutside: boolean;
  /** See `startedWith`. */
  protectedFiles: readonly string[];
}

/** The folder that an item runs in. @throws ItemRefused where it is outside, or no folder */
export async function resolveCwd(folder: WorkFolder, cwd: string | null): Promise<string> {
  const name = cwd ?? '.';
  const path = await realpath(resolve(folder.path, name)).catch(() => undefined);
  if (path === undefined || !(await stat(path)).isDirectory())
    throw new ItemRefused(`there is no folder ${name} in the work folder`);
  if (isInside(join(folder.path, OWN_FOLDER), path))
    throw new ItemRefused(`the folder ${name} is in the agent's own folder`);
  if (folder.allowOutside || isInside(folder.path, path)) return path;
  throw new ItemRefused(`the folder ${name} is outside of the work folder (see --allow-outside)`);
}

/** The files that a command was started with, such as its token and certificates, without links. */
export async function startedWith(
  call: Pick<CommandCall, 'text'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const named = Object.entries(environment).filter(([name]) =>
    /(?:_FILE|_CERTS?|_KEY)$/.test(name),
  );
  const flags = ['token-file', 'ca', 'execution'].map((name) => call.text(name));
  const paths = [...flags, 'pqrs.toml', ...named.map(([, path]) => path)].filter((path) => !!path);
  const found = await Promise.all(paths.map((path) => realpath(`${path}`).catch(() => '')));
  return found.filter((path) => path !== '');
}

/**
 * Why neither a report nor its command may name a file: whoever writes them must not read, or
 * remove, what was never theirs. @param place - `cwd` is where the command runs, without links
 */
export async function whyNotNamed(
  path: string,
  { cwd, protectedFiles }: { cwd: string; protectedFiles: readonly string[] },
): Promise<string | undefined> {
  if (!isInside(cwd, path)) return 'is outside of the folder that the command runs in';
  const parts = relative(cwd, path).split(/[\\/]/);
  if (parts.some((part) => part.startsWith('.'))) return 'has a name that begins with a dot';
  if (/\.token$/i.test(path)) return 'is named as tokens are';
  if (protectedFiles.includes(path)) return 'is what the agent was started with';
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (hasMarks(folder)) return 'is in the data folder of a pqrs';
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * Makes the folder of a report. @param cwd - as `resolveCwd` gave it
 * @returns the path without links, and what marks an earlier report that lies there
 */
export async function prepareReport(
  { protectedFiles }: Pick<WorkFolder, 'protectedFiles'>,
  cwd: string,
  path: string,
): Promise<{ path: string; before: string | undefined }> {
  const wanted = resolve(cwd, path);
  const report = join(await existingPart(dirname(wanted)), basename(wanted));
  const why = await whyNotNamed(report, { cwd, protectedFiles });
  if (why !== undefined) throw new ItemRefused(`the report ${path} ${why}`);
  await mkdir(dirname(wanted), { recursive: true }).catch((error: Error) => {
    throw new ItemRefused(`the report ${path} cannot be made: ${error.message}`);
  });
  return { path: report, before: await markOf(report) };
}

/** Changes with each write of a file; undefined where there is none. */
export async function markOf(path: string): Promise<string | undefined> {
  const about = await lstat(path, { bigint: true }).catch(() => undefined);
  return about && [about.ino, about.size, about.mtimeNs, about.ctimeNs].join();
}

async function existingPart(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  return dirname(path) === path ? path : join(await existingPart(dirname(path)), basename(path));
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(isAbsolute(way) || way.split(/[\\/]/, 1)[0] === '..');
}
