// The files at the paths that `pqrs import` is given, under the names that they have in the source set.
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

interface FoundFiles {
  files: NamedFile[];
  /** The folder that names begin in. */
  base: string;
  /**
   * Links, folders of tools and tests, data folders of pqrs (anybody may have sent what they
   * store), what is no file, and names that no source can have.
   */
  passedOver: string[];
}

/**
 * The files at some paths and below them, named from the folder around all that is given. Links are
 * followed where they are given, not below; pipes, sockets and devices are not read.
 * @throws UsageError where there is nothing at a path
 */
export async function findFiles(given: readonly string[]): Promise<FoundFiles> {
  const paths = given.map((path) => join(path, '.'));
  const abouts = await Promise.all(paths.map(statOf));
  const base = commonFolder(
    paths.map((path, at) => (abouts[at]?.isDirectory() ? resolve(path) : dirname(resolve(path)))),
  );
  /** By their names. */
  const files = new Map<string, string>();
  const folders: string[] = [];
  const passedOver = new Set<string>();

  function add(path: string): void {
    const name = nameOf(relative(base, resolve(path)));
    const same = name === undefined ? undefined : (files.get(name) ?? path);
    // Two names may be one path, their accents written otherwise.
    if (name === undefined || same === undefined || resolve(same) !== resolve(path))
      passedOver.add(path);
    else files.set(name, path);
  }

  async function walk(folder: string): Promise<void> {
    folders.push(folder);
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      // A name that is not UTF-8 cannot be opened by the one that it is read as.
      const isThere = !entry.name.includes('\uFFFD') || (await lstat(path).catch(() => undefined));
      const isOwn = isThere && entry.isDirectory() && !NOT_OWN.has(entry.name);
      if (isThere && entry.isFile()) add(path);
      else if (isOwn && !hasMarks(path)) await walk(path);
      else passedOver.add(path);
    }
  }

  for (const [at, path] of paths.entries()) {
    // What is no file, such as a pipe, may have no path of its own.
    const real = await realpath(path).catch(() => resolve(path));
    if (isInDataFolder(real)) passedOver.add(path);
    else if (abouts[at]?.isDirectory()) await walk(path);
    else if (abouts[at]?.isFile()) add(path);
    else passedOver.add(path);
  }
  // What is left out of one folder may be given by itself.
  for (const path of [...files.values(), ...folders]) passedOver.delete(path);
  return {
    base,
    files: [...files].map(([name, path]) => ({ path, name })),
    passedOver: [...passedOver],
  };
}

function statOf(path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new UsageError(`there is nothing at ${path}`);
  });
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

function commonFolder([first = sep, ...others]: readonly string[]): string {
  let common = first;
  const isWithin = (folder: string) => `${folder}${sep}`.startsWith(common.replace(/\/?$/, sep));
  for (const folder of others)
    while (common !== dirname(common) && !isWithin(folder)) common = dirname(common);
  return common;
}

function isInDataFolder(real: string): boolean {
  return hasMarks(real) || (real !== dirname(real) && isInDataFolder(dirname(real)));
}
