// Whether a folder is the data folder of an instance. Only `serve` and `init` make one: any other command
// that did so would hide that its `--data-dir` is mistyped.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandFailed } from '../command.ts';

const SIGNS = ['lock.db', 'pqrs.db'];

/** @throws CommandFailed where there is none */
export function existingDataFolder(configured: string): string {
  const dataDir = resolve(configured);
  if (SIGNS.some((name) => existsSync(join(dataDir, name)))) return dataDir;
  throw new CommandFailed(`there is no data folder at ${dataDir}; pqrs init makes one`);
}

/** Whether a folder is a data folder or a copy of one: lock or database, and keys or files beside it. */
export function hasMarks(folder: string): boolean {
  const has = (name: string) => existsSync(join(folder, name));
  return SIGNS.some(has) && (has('keys') || has('files'));
}
