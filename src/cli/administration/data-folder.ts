// Whether a folder is the data folder of an instance. Only `serve` and `init` make one: any other command
// that did so would hide that its `--data-dir` is mistyped.
import { existsSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CommandFailed } from '../command.ts';

const SIGNS = ['lock.db', 'pqrs.db'];

/** @throws CommandFailed where there is none */
export function existingDataFolder(configured: string): string {
  const dataDir = resolve(configured);
  if (SIGNS.some((name) => existsSync(join(dataDir, name)))) return dataDir;
  throw new CommandFailed(`there is no data folder at ${dataDir}; pqrs init makes one`);
}

/**
 * Whether a folder has the marks of a data folder or a copy of one: lock or database, and keys or
 * files beside it. A project may have a file or a folder of such a name by itself.
 */
export async function hasMarks(folder: string): Promise<boolean> {
  // Never opened: this process may hold the lock, which would be lost with the descriptor.
  const signs = SIGNS.map((name) => lstat(join(folder, name)).catch(() => undefined));
  if (!(await Promise.all(signs)).some((about) => about?.isFile())) return false;
  const [keys, stored] = await Promise.all(
    ['keys', 'files'].map((name) => readdir(join(folder, name)).catch(() => undefined)),
  );
  return (
    keys?.some((name) => /^sign-[0-9a-z]+\.key$/.test(name)) === true ||
    stored?.every((name) => /^(?:tmp|trash|folder\.id|[0-9a-f]{2})$/.test(name)) === true
  );
}
