// The files that arguments name: a path is itself, and a pattern all files that it matches, for where no
// shell has looked at it before.
import { glob, stat } from 'node:fs/promises';
import { UsageError } from '../command.ts';

const PATTERN = /[*?[{]/;

/**
 * The files that arguments name, each once, those of a pattern in the order of their names.
 *
 * @param names - paths, or patterns with `*`, `**`, `?`, `[…]` and `{a,b}`
 * @throws UsageError for a pattern that no file matches
 */
export async function namedFiles(names: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const name of names) {
    const files = (await isPattern(name)) ? await matching(name) : [name];
    if (files.length === 0) throw new UsageError(`no file matches ${name}`);
    for (const file of files) found.add(file);
  }
  return [...found];
}

/** What is there under its name is no pattern, whatever characters it has. */
async function isPattern(name: string): Promise<boolean> {
  return PATTERN.test(name) && !(await stat(name).catch(() => undefined));
}

async function matching(pattern: string): Promise<string[]> {
  const files: string[] = [];
  for await (const path of glob(pattern)) {
    if ((await stat(path).catch(() => undefined))?.isFile()) files.push(path);
  }
  return files.sort();
}
