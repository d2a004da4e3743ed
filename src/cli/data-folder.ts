// Whether there is an instance to administer. Only `serve` and `init` make one: any other command that
// did so would hide that its `--data-dir` is mistyped.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandFailed } from './command.ts';

/** Every instance has the lock; the database may be all that was copied of one. */
const SIGNS = ['lock.db', 'pqrs.db'];

/**
 * Finds the data folder of an instance that was started before.
 *
 * @param configured - as the settings have it
 * @returns its absolute path
 * @throws CommandFailed where there is none
 */
export function existingDataFolder(configured: string): string {
  const dataDir = resolve(configured);
  if (SIGNS.some((name) => existsSync(join(dataDir, name)))) return dataDir;
  throw new CommandFailed(`there is no data folder at ${dataDir}; pqrs init makes one`);
}
