// The id that a data folder shares with its keys, its files and its database. Whether they belong
// together is decided before anything is made, changed or swept.
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@libsql/client';
import { getTableName } from 'drizzle-orm';
import { StoreRefused } from './errors.ts';
import { isMissing, NODE_IO, syncFolder } from './files/io.ts';
import { filePath, walk } from './files/sweep.ts';
import { CONTENT_COLUMNS } from './references.ts';

export interface Found {
  dataDir: string;
  /** The ids of the folder, of `files/` and of `keys/`. */
  ids: { folder?: string | undefined; files?: string | undefined; keys?: string | undefined };
  hasOwnerToken: boolean;
  /** The database, as a refusal names it. */
  databaseName: string;
  /** Undefined where there is none. */
  database: { id?: string | undefined; hasProjects: boolean } | undefined;
  /** Whether `files/` holds any content. */
  hasContent(): Promise<boolean>;
  /** How many contents the database names, and how many of them are there. */
  countNamed(): Promise<{ named: number; present: number }>;
}

export interface FolderIdentity {
  /**
   * Decides whether folder and database belong together; changes nothing.
   *
   * @param client - the database as it is, undefined where there is none
   * @returns the id that they share from now on
   * @throws StoreRefused where they do not belong together
   */
  check(client: Reading | undefined): Promise<string>;
  /** Gives the id to the folder and to `files/`. */
  writeToFolder(): Promise<void>;
  /** Gives it to the migrated database, then to `keys/`. @throws StoreRefused where it has another */
  writeToDatabase(client: Reading): Promise<void>;
}

type Reading = Pick<Client, 'execute'>;

/** The row of the table `instance` that holds the id. */
export const FOLDER_ID = 'folder_id';
const FILE = 'folder.id';
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MIN_PRESENT = 0.95;
const PAGE = 20_000;

/** The identity of a data folder and of the database that is opened with it. */
export function openIdentity(dataDir: string, databaseName: string): FolderIdentity {
  const files = join(dataDir, 'files');
  const keys = join(dataDir, 'keys');
  let id = '';
  let isInDatabase = false;
  return {
    async check(client) {
      const database = client && (await inspect(client));
      const found: Found = {
        dataDir,
        ids: { folder: readId(dataDir), files: readId(files), keys: readId(keys) },
        hasOwnerToken: isFile(join(dataDir, 'owner.token')),
        databaseName,
        database,
        hasContent: () => hasContent(files),
        countNamed: () => countNamed(client, files),
      };
      id = await decideId(found, randomUUID());
      isInDatabase = database?.id !== undefined;
      return id;
    },
    async writeToFolder() {
      for (const folder of [dataDir, files]) await writeId(folder, id);
    },
    async writeToDatabase(client) {
      if (!isInDatabase) {
        const sql = 'insert into instance (name, value) values (?, ?) on conflict do nothing';
        await client.execute({ sql, args: [FOLDER_ID, id] });
        const other = await idIn(client);
        if (other !== id)
          throw new StoreRefused(`${databaseName} was just taken by the data folder ${other}`);
      }
      await writeId(keys, id);
    },
  };
}

/**
 * The id that a folder and its database share.
 *
 * @param newId - what it is where none of them has one
 * @throws StoreRefused where they do not belong together
 */
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
  if (database?.id !== undefined && own !== undefined && database.id !== own)
    throw new StoreRefused(
      `${databaseName} belongs to the data folder ${database.id}, and ${dataDir} is ${own}: ${PUT_BACK}`,
    );
  const id = own ?? database?.id ?? newId;
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

const PUT_BACK =
  'put the database of this data folder back, or correct --data-dir or PQRS_DATABASE_URL';

/** What a first start that was killed has not left, beside a database without a project. */
async function whatIsBeside(found: Found): Promise<string | undefined> {
  if (await found.hasContent()) return 'files';
  // A first start writes its id to the database, then to `keys/`, and then makes the token.
  if (found.database?.id !== undefined) return undefined;
  if (found.hasOwnerToken) return 'an owner.token';
  return found.ids.keys === undefined ? undefined : 'keys';
}

/** Writes an id to a data folder, its `files/` and its `keys/`, which are made when missing. */
export async function writeFolderIds(dataDir: string, id: string): Promise<void> {
  for (const part of ['', 'files', 'keys']) await writeId(join(dataDir, part), id);
}

async function writeId(folder: string, id: string): Promise<void> {
  if (readId(folder) === id) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(join(folder, FILE), 'w', 0o600);
  try {
    await file.writeFile(`${id}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(NODE_IO, folder);
}

function readId(folder: string): string | undefined {
  const path = join(folder, FILE);
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return ID.test(text) ? text : undefined;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function inspect(
  client: Reading,
): Promise<{ id?: string | undefined; hasProjects: boolean }> {
  const { rows } = await client.execute("select name from sqlite_schema where type = 'table'");
  const tables = new Set(rows.map((row) => String(row[0])));
  const id = tables.has('instance') ? await idIn(client) : undefined;
  if (!tables.has('projects')) return { id, hasProjects: false };
  const projects = await client.execute('select 1 from projects limit 1');
  return { id, hasProjects: projects.rows.length > 0 };
}

async function idIn(client: Reading): Promise<string | undefined> {
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

async function countNamed(
  client: Reading | undefined,
  files: string,
): Promise<{ named: number; present: number }> {
  const named = new Set<string>();
  for (const column of client ? CONTENT_COLUMNS : [])
    for await (const sha256 of valuesOf(client as Reading, getTableName(column.table), column.name))
      named.add(sha256);
  let present = 0;
  for (const sha256 of named) if (existsSync(filePath(files, sha256))) present += 1;
  return { named: named.size, present };
}

async function* valuesOf(client: Reading, table: string, column: string): AsyncGenerator<string> {
  const known = await client.execute({
    sql: 'select 1 from pragma_table_info(?) where name = ?',
    args: [table, column],
  });
  if (known.rows.length === 0) return;
  const sql = `select distinct ${column} from ${table} where ${column} > ? order by 1 limit ${PAGE}`;
  for (let after = '', size = PAGE; size === PAGE; ) {
    const { rows } = await client.execute({ sql, args: [after] });
    for (const row of rows) yield String(row[0]);
    after = String(rows.at(-1)?.[0]);
    size = rows.length;
  }
}
