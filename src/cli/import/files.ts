// The files at the paths that `pqrs import` is given, each once, under the names that they have in the
// source set.
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { sourcePath } from '../../requirements/import/source-path.ts';
import { hasMarks } from '../administration/data-folder.ts';
import { UsageError } from '../command.ts';

const NOT_OWN = new Set([
  ...['.git', '.hg', '.svn', '.venv', '__pycache__', 'node_modules', 'vendor'],
  ...['test', 'tests', 'testdata', 'fixtures'],
]);

export interface NamedFile {
  /** Where it is, as the caller would write it. */
  path: string;
  /** Its path in the source set. */
  name: string;
}

export interface FoundFiles {
  files: NamedFile[];
  /**
   * The paths of links that are not followed, of folders that hold no sources of the project itself, of
   * data folders of pqrs and what lies in them (anybody may have sent what they store), of what is no file
   * that could be read whole, and of names that no source can have.
   */
  passedOver: string[];
}

interface Place {
  path: string;
  isFolder: boolean;
  isFile: boolean;
  isLink: boolean;
  /** The path without links. */
  real: string;
}

type IsDataFolder = (real: string) => Promise<boolean>;

/**
 * The files at some paths and below them. Links are followed where they are given, not below; pipes,
 * sockets and devices, whose end may never come, are not read.
 *
 * Names are relative to the folder around all that is given: one folder alone, or a file's own
 * folder, and for several the nearest that holds them all.
 *
 * @param dataDir - the data folder as the settings have it, known even where it is not there as yet
 * @throws UsageError where there is nothing at a path
 */
export async function findFiles(paths: readonly string[], dataDir: string): Promise<FoundFiles> {
  const configured = await realpath(dataDir).catch(() => resolve(dataDir));
  const isDataFolder: IsDataFolder = async (real) => real === configured || hasMarks(real);
  const places = await Promise.all(paths.map(placeAt));
  const base = commonFolder(
    places.map(({ path, isFolder }) => (isFolder ? resolve(path) : dirname(resolve(path)))),
  );
  /** By their paths without links. */
  const files = new Map<string, NamedFile>();
  const passedOver = new Map<string, string>();
  // A file goes by its own name where that is given too: what it is may hang on its folder.
  for (const place of places.toSorted((a, b) => Number(a.isLink) - Number(b.isLink))) {
    const { path, real, isFolder, isFile } = place;
    if ((await isWithinAny(real, isDataFolder)) || !(isFolder || isFile)) {
      passedOver.set(resolve(path), path);
      continue;
    }
    const below = isFolder
      ? await filesBelow(place, isDataFolder)
      : { files: [path], passedOver: [] };
    for (const one of below.passedOver) passedOver.set(resolve(one), one);
    for (const file of below.files) {
      const same = join(real, relative(path, file));
      const name = nameOf(relative(base, resolve(file)));
      if (name === undefined) passedOver.set(resolve(file), file);
      else if (!files.has(same)) files.set(same, { path: file, name });
    }
  }
  const byName = new Map<string, NamedFile>();
  for (const file of files.values()) {
    // Two names may be one path, their accents written otherwise.
    if (byName.has(file.name)) passedOver.set(resolve(file.path), file.path);
    else byName.set(file.name, file);
  }
  for (const { path } of byName.values()) passedOver.delete(resolve(path));
  for (const { path, isFolder, real } of places)
    if (isFolder && !(await isWithinAny(real, isDataFolder))) passedOver.delete(resolve(path));
  return { files: [...byName.values()], passedOver: [...passedOver.values()] };
}

function nameOf(path: string): string | undefined {
  const name = path.split(sep).join('/');
  if (/\p{Cc}|\\/u.test(name)) return undefined;
  try {
    return sourcePath('', name);
  } catch {
    return undefined;
  }
}

async function placeAt(path: string): Promise<Place> {
  const about = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new UsageError(`there is nothing at ${path}`);
  });
  // What is no file, such as a pipe, may have no path of its own.
  const real = await realpath(path).catch(() => resolve(path));
  const isLink = (await lstat(resolve(path))).isSymbolicLink();
  return { path, isFolder: about.isDirectory(), isFile: about.isFile(), isLink, real };
}

function commonFolder([first = sep, ...others]: readonly string[]): string {
  let common = first;
  const isWithin = (folder: string) =>
    folder === common || folder.startsWith(common.endsWith(sep) ? common : common + sep);
  for (const folder of others)
    while (common !== dirname(common) && !isWithin(folder)) common = dirname(common);
  return common;
}

async function isWithinAny(real: string, isDataFolder: IsDataFolder): Promise<boolean> {
  for (let at = real; ; at = dirname(at)) {
    if (await isDataFolder(at)) return true;
    if (at === dirname(at)) return false;
  }
}

async function filesBelow(
  folder: Pick<Place, 'path' | 'real'>,
  isDataFolder: IsDataFolder,
): Promise<{ files: string[]; passedOver: string[] }> {
  const files: string[] = [];
  const passedOver: string[] = [];
  for (const entry of await readdir(folder.path, { withFileTypes: true })) {
    const path = join(folder.path, entry.name);
    const real = join(folder.real, entry.name);
    // A name that is not UTF-8 cannot be opened by the one that it is read as.
    const isThere = !entry.name.includes('\uFFFD') || (await lstat(path).catch(() => undefined));
    if (isThere && entry.isFile()) files.push(path);
    else if (
      isThere &&
      entry.isDirectory() &&
      !NOT_OWN.has(entry.name) &&
      !(await isDataFolder(real))
    ) {
      const below = await filesBelow({ path, real }, isDataFolder);
      files.push(...below.files);
      passedOver.push(...below.passedOver);
    } else passedOver.push(path);
  }
  return { files: files.sort(), passedOver };
}
