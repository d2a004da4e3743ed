// The files at the paths that `pqrs import` is given, each once, under the names that they have in the
// source set.
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { sourcePath } from '../../requirements/import/source-path.ts';
import { hasMarks } from '../administration/data-folder.ts';
import { UsageError } from '../command.ts';

/** Folders whose files are no sources of the project itself, unless they are named. */
const NOT_OWN = new Set([
  ...['.git', '.hg', '.svn', '.venv', '__pycache__', 'node_modules', 'vendor'],
  ...['test', 'tests', 'testdata', 'fixtures'],
]);

/** A file that may be a source. */
export interface NamedFile {
  /** Where it is, as the caller would write it. */
  path: string;
  /** Its path in the source set. */
  name: string;
}

/** A file, or a folder, that no source can have the name of. */
export interface Misnamed {
  path: string;
  /** Why, to follow the path. */
  why: string;
}

export interface FoundFiles {
  files: NamedFile[];
  /**
   * The paths of links that are not followed, of folders that hold no sources of the project itself, and
   * of what is no file that could be read whole.
   */
  passedOver: string[];
  /** Data folders of pqrs, and what was given of their content: anybody may have sent what they store. */
  dataFolders: string[];
  misnamed: Misnamed[];
}

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
  const isDataFolder = await openDataFolders(dataDir);
  const places = await Promise.all(paths.map(placeAt));
  const base = commonFolder(places.map(({ path, isFolder }) => folderOf(path, isFolder)));
  const files = new Map<string, NamedFile>();
  const passedOver = new Map<string, string>();
  const dataFolders = new Map<string, string>();
  const nameless = new Set<string>();
  // A file goes by its own name where that is given too: what it is may hang on its folder.
  const [linked, owned] = [
    places.filter(({ isLink }) => isLink),
    places.filter((one) => !one.isLink),
  ];
  for (const { path, isFolder, isFile, real } of [...owned, ...linked]) {
    if (await isWithinAny(real, isDataFolder)) {
      dataFolders.set(resolve(path), path);
      continue;
    }
    const below = isFolder
      ? await filesBelow({ path, real }, isDataFolder)
      : { ...NOTHING, files: isFile ? [path] : [] };
    for (const one of below.dataFolders) dataFolders.set(resolve(one), one);
    for (const one of below.passedOver) passedOver.set(resolve(one), one);
    for (const one of below.nameless) nameless.add(one);
    for (const file of below.files) {
      const same = join(real, relative(path, file));
      const name = relative(base, resolve(file)).split(sep).join('/');
      if (!files.has(same)) files.set(same, { path: file, name });
    }
  }
  for (const { path, isFolder, isFile } of places) {
    if (isFolder || isFile) passedOver.delete(resolve(path));
    else passedOver.set(resolve(path), path);
  }
  const { kept, misnamed } = keepNames([...files.values()]);
  for (const path of nameless) misnamed.push({ path, why: 'its name is not UTF-8' });
  return {
    ...{ files: kept, passedOver: [...passedOver.values()], misnamed },
    dataFolders: [...dataFolders.values()],
  };
}

/** The files whose names can be the paths of sources, each path once. */
function keepNames(files: readonly NamedFile[]): { kept: NamedFile[]; misnamed: Misnamed[] } {
  const kept = new Map<string, NamedFile>();
  const misnamed: Misnamed[] = [];
  for (const file of files) {
    const named = pathNamed(file.name);
    const before = 'path' in named ? kept.get(named.path) : undefined;
    if (before)
      misnamed.push({
        path: file.path,
        why: `its name is that of ${before.path}, its accents written otherwise`,
      });
    else if ('path' in named) kept.set(named.path, file);
    else misnamed.push({ path: file.path, why: named.why });
  }
  return { kept: [...kept.values()], misnamed };
}

/** The path of a source by the name of its file, or why there is none. */
function pathNamed(name: string): { path: string } | { why: string } {
  if (/\p{Cc}/u.test(name)) return { why: 'its name holds a control character' };
  if (name.includes('\\')) return { why: 'its name holds a backslash, which parts folders' };
  try {
    return { path: sourcePath('', name) };
  } catch {
    return { why: 'its name cannot be the path of a source' };
  }
}

interface Place {
  path: string;
  isFolder: boolean;
  isFile: boolean;
  isLink: boolean;
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
  const isLink = (await lstat(resolve(path))).isSymbolicLink();
  return { path, isFolder: about.isDirectory(), isFile: about.isFile(), isLink, real };
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

/** Whether a folder, by its path without links, is a data folder. */
type IsDataFolder = (real: string) => Promise<boolean>;

async function openDataFolders(dataDir: string): Promise<IsDataFolder> {
  const configured = await realpath(dataDir).catch(() => resolve(dataDir));
  return async (real) => real === configured || (await hasMarks(real));
}

/** Whether what is at a path is a data folder, or lies in one. */
async function isWithinAny(real: string, isDataFolder: IsDataFolder): Promise<boolean> {
  for (let at = real; ; at = dirname(at)) {
    if (await isDataFolder(at)) return true;
    if (at === dirname(at)) return false;
  }
}

interface Below {
  files: string[];
  passedOver: string[];
  dataFolders: string[];
  /** What is known by no name that it could be opened under. */
  nameless: string[];
}

const NOTHING: Below = { files: [], passedOver: [], dataFolders: [], nameless: [] };

async function filesBelow(
  folder: Pick<Place, 'path' | 'real'>,
  isDataFolder: IsDataFolder,
): Promise<Below> {
  const found: Below = { files: [], passedOver: [], dataFolders: [], nameless: [] };
  for (const entry of await readdir(folder.path, { withFileTypes: true })) {
    const path = join(folder.path, entry.name);
    const real = join(folder.real, entry.name);
    if (entry.name.includes('\uFFFD') && !(await isThere(path))) found.nameless.push(path);
    else if (entry.isDirectory() && !NOT_OWN.has(entry.name)) {
      if (await isDataFolder(real)) found.dataFolders.push(path);
      else {
        const below = await filesBelow({ path, real }, isDataFolder);
        for (const kind of KINDS) found[kind].push(...below[kind]);
      }
    } else if (entry.isFile()) found.files.push(path);
    else found.passedOver.push(path);
  }
  found.files.sort();
  return found;
}

const KINDS = ['files', 'passedOver', 'dataFolders', 'nameless'] as const;

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
