// The files at the paths that `pqrs import` is given, each once, under the names that they have in the
// source set.
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { UsageError } from './command.ts';

/** Folders that hold no sources of the project itself. */
const PASSED_OVER = new Set(['.git', '.hg', '.svn', 'node_modules', '.venv', '__pycache__']);

/** A file that may be a source. */
export interface NamedFile {
  /** Where it is, as the caller would write it. */
  path: string;
  /** Its path in the source set. */
  name: string;
}

/**
 * The files at some paths and below them. Links are followed where they are given, not below.
 *
 * Names are relative to the folder around all that is given: one folder alone, or a file's own
 * folder, and for several the nearest that holds them all.
 *
 * @returns the files, and the paths of links that are not followed
 * @throws UsageError where there is nothing at a path
 */
export async function findFiles(
  paths: readonly string[],
): Promise<{ files: NamedFile[]; links: string[] }> {
  const places = await Promise.all(paths.map(placeAt));
  const base = commonFolder(places.map(({ path, isFolder }) => folderOf(path, isFolder)));
  const files = new Map<string, NamedFile>();
  const links = new Map<string, string>();
  for (const { path, isFolder, real } of places) {
    const below = isFolder ? await filesBelow(path) : { files: [path], links: [] };
    for (const link of below.links) links.set(resolve(link), link);
    for (const file of below.files) {
      const same = join(real, relative(path, file));
      const name = relative(base, resolve(file)).split(sep).join('/');
      if (!files.has(same)) files.set(same, { path: file, name });
    }
  }
  for (const { path } of places) links.delete(resolve(path));
  return { files: [...files.values()], links: [...links.values()] };
}

interface Place {
  path: string;
  isFolder: boolean;
  /** The path without links. */
  real: string;
}

async function placeAt(path: string): Promise<Place> {
  const about = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new UsageError(`there is nothing at ${path}`);
  });
  // What is no file, such as a pipe, may have no path of its own.
  const real = await realpath(path).catch(() => resolve(path));
  return { path, isFolder: about.isDirectory(), real };
}

function folderOf(path: string, isFolder: boolean): string {
  return isFolder ? resolve(path) : dirname(resolve(path));
}

/** The nearest folder that is or holds each of some absolute folders. */
function commonFolder([first = sep, ...others]: readonly string[]): string {
  let common = first;
  for (const folder of others) {
    while (common !== dirname(common) && !isWithin(folder, common)) common = dirname(common);
  }
  return common;
}

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

async function filesBelow(folder: string): Promise<{ files: string[]; links: string[] }> {
  const [files, links]: [string[], string[]] = [[], []];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) {
      const below = await filesBelow(path);
      files.push(...below.files);
      links.push(...below.links);
    } else if (entry.isFile()) files.push(path);
    else if (entry.isSymbolicLink()) links.push(path);
  }
  return { files: files.sort(), links };
}
