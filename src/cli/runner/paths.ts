// Where an item runs and leaves its report: within the work folder, links followed, unless the agent
// may work outside of it.
import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { hasMarks } from '../administration/data-folder.ts';
import { OWN_FOLDER } from './folder.ts';

/** An item that the agent does not run; the text says why. */
export class ItemRefused extends Error {
  override name = 'ItemRefused';
}

export interface WorkFolder {
  /** Without links in it. */
  path: string;
  allowOutside: boolean;
  /** What the agent was started with, such as its token file, without links. */
  protectedFiles: readonly string[];
}

/**
 * The folder that an item runs in.
 *
 * @throws ItemRefused where it is outside, or no folder
 */
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

/**
 * Why neither a report nor its command may name a file; undefined where they may. Whoever decides what a
 * command or a report says must not read, or remove, what was never theirs.
 *
 * @param place - `cwd` is the folder that the command runs in, without links
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
    if (await hasMarks(folder)) return 'is in the data folder of a pqrs';
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * Makes ready for the report of an item: the folder that it is to be in is there.
 *
 * @param cwd - as `resolveCwd` gave it
 * @param path - of the report, relative to `cwd`
 * @returns the path of the report, without links, and what marks an earlier one that lies there
 * @throws ItemRefused where no report may be
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

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(isAbsolute(way) || way.split(/[\\/]/, 1)[0] === '..');
}
