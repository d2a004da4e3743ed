// A database on a libSQL server, opened as a store with one small table.
import { type SQL, sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../../src/store/database.ts';
import type { Migration } from '../../src/store/migrations.ts';
import { temporaryFolder } from './temporary-folder.ts';

const NOTES: Migration[] = [
  {
    name: '0001_notes',
    sql: 'create table notes (seq integer primary key, name text not null unique, value any) strict;',
  },
];

export interface ServerStore extends Database {
  dataDir: string;
  /** How often it was told that its lease is lost. */
  lost(): number;
  add(name: string, value?: unknown): Promise<void>;
  names(): Promise<string[]>;
}

export interface ServerStoreOptions {
  dataDir?: string;
  leaseMs?: number;
  lookUpMs?: number;
  writesPerCommit?: number;
  migrations?: Migration[];
}

/** The statement that adds a note. */
export function insertNote(name: string, value: unknown = null): SQL {
  return sql`insert into notes (name, value) values (${name}, ${value})`;
}

/** Opens a store on the server at an address. */
export async function openServerStore(
  url: string,
  options: ServerStoreOptions = {},
): Promise<ServerStore> {
  const { dataDir = temporaryFolder('store'), leaseMs, lookUpMs } = options;
  let lost = 0;
  const database = await openDatabase({
    location: {
      url,
      token: undefined,
      dataDir,
      ...(leaseMs === undefined ? {} : { leaseMs }),
      ...(lookUpMs === undefined ? {} : { lookUpMs }),
      onLost() {
        lost += 1;
      },
    },
    writesPerCommit: options.writesPerCommit ?? 1000,
    migrations: options.migrations ?? NOTES,
  });
  return {
    ...database,
    dataDir,
    lost: () => lost,
    async add(name, value = null) {
      await database.write((db) => db.run(insertNote(name, value)));
    },
    async names() {
      const rows = await database.read.all<{ 0: string }>(sql`select name from notes order by seq`);
      return rows.map((row) => row[0]);
    },
  };
}
