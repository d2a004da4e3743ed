// Drizzle over a libSQL client that is there already. Its own entry point loads every client of
// `@libsql/client` first, which costs each start time and memory.
import type { Client } from '@libsql/client';
import { LibSQLDatabase } from 'drizzle-orm/libsql/driver-core';
import { LibSQLSession } from 'drizzle-orm/libsql/session';
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';

/** Drizzle on a connection of the store. */
export type Db = LibSQLDatabase<Record<string, never>>;

/** Drizzle over a client. */
export function drizzle(client: Client): Db {
  const dialect = new SQLiteAsyncDialect();
  const session = new LibSQLSession<Record<string, never>, Record<string, never>>(
    client,
    dialect,
    undefined,
    {},
    undefined,
  );
  return new LibSQLDatabase('async', dialect, session, undefined);
}
