// The id that a data folder shares with its keys, its files and its database. Whether they belong
// together is decided before anything is made, changed or swept.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { drizzle, type StoreClient } from './client/drizzle.ts';
import { StoreRefused } from './errors.ts';
import { isMissing, writeDurably } from './files/io.ts';
import { filePath, walk } from './files/sweep.ts';
import { namedContents } from './references.ts';

export interface Found {
  dataDir: string;
  ids: { folder?: string | undefined; files?: string | undefined; keys?: string | undefined };
  hasOwnerToken: boolean;
  /** The database, as a refusal names it. */
  databaseName: string;
  database: { id?: string | undefined; hasProjects: boolean } | undefined;
  hasContent(): Promise<boolean>;
  /** How many contents the database names, and how many of them are there. */
  countNamed(): Promise<{ named: number; present: number }>;
}

export type FolderIdentity = ReturnType<typeof openIdentity>;

export const FOLDER_ID = 'folder_id';
const FILE = 'folder.id';
const MIN_PRESENT = 0.95;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function openIdentity(dataDir: string, databaseName: string) {
  const files = join(dataDir, 'files');
  const keys = join(dataDir, 'keys');
  let id = '';
  return {
    /** Gives the id that folder and database share from now on; changes nothing. @throws StoreRefused */
    async check(client: StoreClient | undefined): Promise<string> {
      const found: Found = {
        dataDir,
        ids: { folder: readId(dataDir), files: readId(files), keys: readId(keys) },
        hasOwnerToken:
          statSync(join(dataDir, 'owner.token'), { throwIfNoEntry: false })?.isFile() === true,
        databaseName,
        database: client && (await inspect(client)),
        hasContent: () => hasContent(files),
        async countNamed() {
          const named = client ? await namedContents(drizzle(client)) : [];
          const present = named.filter((sha256) => existsSync(filePath(files, sha256))).length;
          return { named: named.length, present };
        },
      };
      id = await decideId(found, randomUUID());
      return id;
    },
    async writeToFolder(): Promise<void> {
      for (const folder of [dataDir, files]) await writeId(folder, id);
    },
    /** Gives it to the migrated database, then to `keys/`. @throws StoreRefused where it has another */
    async writeToDatabase(client: StoreClient): Promise<void> {
      if ((await idIn(client)) === undefined) {
        const sql = 'insert into instance (name, value) values (?, ?) on conflict do nothing';
        await client.execute({ sql, args: [FOLDER_ID, id] });
      }
      const other = await idIn(client);
      if (other !== id)
        throw new StoreRefused(`${databaseName} was just taken by the data folder ${other}`);
      await writeId(keys, id);
    },
  };
}

const PUT_BACK =
  'put the database of this data folder back, or correct --data-dir or PQRS_DATABASE_URL';

/** @throws StoreRefused where folder and database do not belong together */
export async function decideId(found: Found, newId: string): Promise<string> {
  const { dataDir, ids, databaseName, database } = found;
  const own = ids.folder ?? ids.files ?? ids.keys;
  for (const part of ['files', 'keys'] as const) {
    if (ids[part] !== undefined && ids[part] !== own)
      throw new StoreRefused(
        `${join(dataDir, part)} belongs to the data folder ${ids[part]}, and ${dataDir} is ${own}: ` +
          `put its own ${part}/ back, or correct --data-dir`,
      );
  }
  const id = own ?? database?.id ?? newId;
  if (database?.id !== undefined && database.id !== id)
    throw new StoreRefused(
      `${databaseName} belongs to the data folder ${database.id}, and ${dataDir} is ${own}: ${PUT_BACK}`,
    );
  if (!database?.hasProjects) {
    const beside = await whatIsBeside(found);
    if (beside === undefined) return id;
    const what = database ? 'has no project' : 'is not there';
    throw new StoreRefused(
      `${databaseName} ${what}, and ${dataDir} has ${beside}: ${PUT_BACK}; to start anew, name an empty --data-dir`,
    );
  }
  // `keys/` gets its id last of all: without it, this is an adoption that was broken off.
  const isAdopted = database.id === own || ids.keys === undefined;
  if (own !== undefined && ids.files === own && isAdopted) return id;
  const { named, present } = await found.countNamed();
  const belongs = named > 0 ? present >= named * MIN_PRESENT : !(await found.hasContent());
  if (belongs) return id;
  throw new StoreRefused(
    `${databaseName} names ${named} files, and ${join(dataDir, 'files')} has ${present} of them: ${PUT_BACK}, or its files; ` +
      `if these are lost for good, write ${id} to folder.id and to files/folder.id`,
  );
}

/** What a first start that was killed has not left, beside a database without a project. */
async function whatIsBeside(found: Found): Promise<string | undefined> {
  if (await found.hasContent()) return 'files';
  // A first start writes its id to the database, then to `keys/`, and then makes the token.
  if (found.database?.id !== undefined) return undefined;
  if (found.hasOwnerToken) return 'an owner.token';
  return found.ids.keys === undefined ? undefined : 'keys';
}

export async function writeFolderIds(dataDir: string, id: string): Promise<void> {
  for (const part of ['', 'files', 'keys']) await writeId(join(dataDir, part), id);
}

async function writeId(folder: string, id: string): Promise<void> {
  if (readId(folder) === id) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeDurably(join(folder, FILE), `${id}\n`);
}

function readId(folder: string): string | undefined {
  const path = join(folder, FILE);
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return ID.test(text) ? text : undefined;
}

async function inspect(client: StoreClient): Promise<Found['database']> {
  const { rows } = await client.execute("select name from sqlite_schema where type = 'table'");
  const tables = new Set(rows.map((row) => String(row[0])));
  const id = tables.has('instance') ? await idIn(client) : undefined;
  if (!tables.has('projects')) return { id, hasProjects: false };
  const projects = await client.execute('select 1 from projects limit 1');
  return { id, hasProjects: projects.rows.length > 0 };
}

async function idIn(client: StoreClient): Promise<string | undefined> {
  const sql = 'select value from instance where name = ?';
  const { rows } = await client.execute({ sql, args: [FOLDER_ID] });
  return rows[0] === undefined ? undefined : String(rows[0][0]);
}

async function hasContent(files: string): Promise<boolean> {
  try {
    for await (const { sha256 } of walk(files)) if (sha256 !== undefined) return true;
    return false;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
