// The files that arguments name.
import { glob, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../command.ts';

interface NamedOptions {
  /** Whether a folder stands for what is in it, but for what begins with a dot. */
  folders?: boolean;
  /** Begins the text of an error, such as the name of a flag. */
  prefix?: string;
}

/**
 * The files that arguments name, each once; patterns too, for where no shell has read them.
 * @throws UsageError for a pattern that nothing matches, or a file that is not there
 */
export async function namedFiles(
  names: readonly string[],
  { folders = false, prefix = '' }: NamedOptions = {},
): Promise<string[]> {
  const found = new Set<string>();
  for (const name of names) {
    // What is there under its name is no pattern, whatever characters it has.
    const about = await stat(name).catch(() => undefined);
    const isPattern = about === undefined && /[*?[{]/.test(name);
    const files = isPattern ? await matching(name) : [name];
    if (isPattern && files.length === 0) throw new UsageError(`${prefix}no file matches ${name}`);
    if (!isPattern && about === undefined)
      throw new UsageError(`${prefix}there is no file ${name}`);
    const inside = folders && about?.isDirectory() ? await filesIn(name) : files;
    for (const file of inside.sort()) found.add(file);
  }
  return [...found];
}

async function matching(pattern: string): Promise<string[]> {
  const files: string[] = [];
  for await (const path of glob(pattern))
    if ((await stat(path).catch(() => undefined))?.isFile()) files.push(path);
  return files;
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const shown = names.filter((name) => !/(?:^|[\\/])\./.test(name));
  const paths = shown.map((name) => join(folder, name));
  const about = await Promise.all(paths.map((path) => lstat(path)));
  return paths.filter((_, at) => about[at]?.isFile());
}
