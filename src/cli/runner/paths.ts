// Where an item runs and leaves its report: within the work folder, links followed, unless the agent
// may work outside of it.
import { lstat, mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { DETECT_BYTES, formatOfBytes } from '../../quality/reports/detect.ts';
import { hasMarks } from '../administration/data-folder.ts';

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

export const OWN_FOLDER = '.pqrs-agent';

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
 * Makes ready for the report of an item: its folder is there, and no earlier report is.
 *
 * @param cwd - as `resolveCwd` gave it
 * @param report - its format, and its path relative to `cwd`
 * @returns the path of the report, without links
 * @throws ItemRefused where no report may be, or what is there is none
 */
export async function prepareReport(
  { protectedFiles }: Pick<WorkFolder, 'protectedFiles'>,
  cwd: string,
  { format, path }: { format: string; path: string },
): Promise<string> {
  const wanted = resolve(cwd, path);
  const report = join(await existingPart(dirname(wanted)), basename(wanted));
  const why =
    (await whyNotNamed(report, { cwd, protectedFiles })) ?? (await whyNotRemoved(report, format));
  if (why !== undefined) throw new ItemRefused(`the report ${path} ${why}`);
  try {
    await mkdir(dirname(wanted), { recursive: true });
    await rm(report, { force: true });
  } catch (error) {
    throw new ItemRefused(`the report ${path} cannot be made: ${(error as Error).message}`);
  }
  return report;
}

const BEGINNINGS: Record<string, RegExp> = {
  junit: /<(?:\w+:)?(?:testsuites?|testcase)\b/,
  ctrf: /"(?:reportFormat|results)"\s*:/,
};

async function whyNotRemoved(path: string, format: string): Promise<string | undefined> {
  const about = await lstat(path).catch(() => undefined);
  if (about === undefined) return undefined;
  if (about.isDirectory()) return 'is a folder';
  if (about.isSymbolicLink()) return 'is a link';
  // A pipe, say, that a command left.
  if (!about.isFile()) return undefined;
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return 'cannot be read';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(DETECT_BYTES), 0, DETECT_BYTES, 0);
    const start = buffer.subarray(0, bytesRead);
    const text = start.toString('utf8').replaceAll('\0', '');
    // An empty one is that of a command that was ended while it began it.
    const isReport =
      text.trim() === '' || (BEGINNINGS[format]?.test(text) ?? formatOfBytes(start) === format);
    return isReport ? undefined : `is no ${format} report, and is not removed for one`;
  } finally {
    await file.close();
  }
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
