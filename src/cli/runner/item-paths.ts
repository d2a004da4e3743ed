// Where an item runs and leaves its report: within the work folder, links followed, unless the agent
// was told that outside of it will do.
import { lstat, mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { DETECT_BYTES, formatOfBytes } from '../../quality/reports/detect.ts';
import { hasMarks } from '../administration/data-folder.ts';

/** An item that the agent does not run, as its text says. */
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
 * Why neither a report nor its command may name a file; undefined where they may. Whoever decides what a
 * command or a report says must not read, or remove, what was never theirs.
 *
 * @param path - without links, as far as it is there
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
  const parent = dirname(wanted);
  const report = join(await existingPart(parent), basename(wanted));
  const why = await whyNotNamed(report, { cwd, protectedFiles });
  if (why !== undefined) throw new ItemRefused(`the report ${path} ${why}`);
  await mkdir(parent, { recursive: true }).catch((error: Error) => {
    throw new ItemRefused(`the folder of the report ${path} cannot be made: ${error.message}`);
  });
  const about = await lstat(report).catch(() => undefined);
  if (about === undefined) return report;
  if (about.isDirectory()) throw new ItemRefused(`the report ${path} is a folder`);
  if (about.isSymbolicLink()) throw new ItemRefused(`the report ${path} is a link`);
  if (about.isFile() && !(await isReport(report, format)))
    throw new ItemRefused(`what is at ${path} is no ${format} report, and is not removed for one`);
  await rm(report).catch((error: Error) => {
    throw new ItemRefused(`an earlier report ${path} cannot be removed: ${error.message}`);
  });
  return report;
}

/** How reports begin, by format: an earlier one may be removed, and nothing else that has its name. */
const BEGINNINGS: Record<string, RegExp> = {
  junit: /<(?:\w+:)?(?:testsuites?|testcase)\b/,
  ctrf: /"(?:reportFormat|results)"\s*:/,
};

async function isReport(path: string, format: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(DETECT_BYTES), 0, DETECT_BYTES, 0);
    const start = buffer.subarray(0, bytesRead);
    const text = start.toString('utf8').replaceAll('\0', '');
    // One that a command was ended in while it began it.
    if (text.trim() === '') return true;
    return BEGINNINGS[format]?.test(text) ?? formatOfBytes(start) === format;
  } finally {
    await file.close();
  }
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
