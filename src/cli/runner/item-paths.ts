// Where an item runs and leaves its report: within the work folder, links followed, unless the agent
// was told that outside of it will do.
import { lstat, mkdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';

/** An item that the agent does not run, as its text says. */
export class ItemRefused extends Error {
  override name = 'ItemRefused';
}

export interface WorkFolder {
  /** Without links in it. */
  path: string;
  allowOutside: boolean;
}

/** The folder in the work folder that holds the agent's own files. */
export const OWN_FOLDER = '.pqrs-agent';

/**
 * The folder that an item runs in.
 *
 * @param cwd - relative to the work folder; none is the work folder itself
 * @throws ItemRefused where it is outside, or no folder
 */
export async function resolveCwd(folder: WorkFolder, cwd: string | null): Promise<string> {
  const path = await realpath(resolve(folder.path, cwd ?? '.')).catch(() => undefined);
  const about = path === undefined ? undefined : await stat(path).catch(() => undefined);
  if (path === undefined || !about?.isDirectory())
    throw new ItemRefused(`there is no folder ${cwd ?? '.'} in the work folder`);
  requireInside(folder, path, `the folder ${cwd ?? '.'}`);
  return path;
}

/**
 * Makes ready for the report of an item: its folder is there, and no earlier report is.
 *
 * @param cwd - as `resolveCwd` gave it
 * @returns the path of the report
 * @throws ItemRefused where it is outside, or something else than a file is there
 */
export async function prepareReport(
  folder: WorkFolder,
  cwd: string,
  path: string,
): Promise<string> {
  const wanted = resolve(cwd, path);
  const parent = dirname(wanted);
  requireInside(folder, await existingPart(parent), `the report ${path}`);
  await mkdir(parent, { recursive: true }).catch((error: Error) => {
    throw new ItemRefused(`the folder of the report ${path} cannot be made: ${error.message}`);
  });
  const report = join(await realpath(parent), basename(wanted));
  requireInside(folder, report, `the report ${path}`);
  const about = await lstat(report).catch(() => undefined);
  if (about?.isDirectory()) throw new ItemRefused(`the report ${path} is a folder`);
  if (about !== undefined) {
    await rm(report).catch((error: Error) => {
      throw new ItemRefused(`an earlier report ${path} cannot be removed: ${error.message}`);
    });
  }
  return report;
}

/** A path without links, as far as it is there already. */
async function existingPart(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  return dirname(path) === path ? path : join(await existingPart(dirname(path)), basename(path));
}

/** Whether a path is a folder or in it; both without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(isAbsolute(way) || way.split(/[\\/]/, 1)[0] === '..');
}

function requireInside(folder: WorkFolder, path: string, what: string): void {
  if (isInside(join(folder.path, OWN_FOLDER), path))
    throw new ItemRefused(`${what} is in the agent's own folder`);
  if (folder.allowOutside || isInside(folder.path, path)) return;
  throw new ItemRefused(`${what} is outside of the work folder (see --allow-outside)`);
}
