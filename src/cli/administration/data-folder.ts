// Whether a folder is the data folder of an instance. Only `serve` and `init` make one: any other command
// that did so would hide that its `--data-dir` is mistyped.
import { existsSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CommandFailed } from '../command.ts';

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

const KEY = /^sign-[0-9a-z]+\.key$/;
/** What the store of attachments keeps in its root. */
const STORED = /^(?:tmp|trash|folder\.id|[0-9a-f]{2})$/;

/**
 * Whether a folder has the marks of a data folder, or of a copy of one: the lock or the database, and
 * beside it keys or stored files. A project may have a file or a folder of such a name by itself.
 */
export async function hasMarks(folder: string): Promise<boolean> {
  const signs = await Promise.all(SIGNS.map((name) => isFile(join(folder, name))));
  if (!signs.includes(true)) return false;
  const [keys, stored] = await Promise.all([
    namesIn(join(folder, 'keys')),
    namesIn(join(folder, 'files')),
  ]);
  return (
    keys?.some((name) => KEY.test(name)) === true ||
    stored?.every((name) => STORED.test(name)) === true
  );
}

/** Never opened: this process may hold the lock, which would be lost with the descriptor. */
async function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (about) => about.isFile(),
    () => false,
  );
}

async function namesIn(folder: string): Promise<string[] | undefined> {
  return readdir(folder).catch(() => undefined);
}
