// Drizzle over a libSQL client that is there already. Its own entry point loads every client of
// `@libsql/client` first, which costs each start time and memory.
import type { Client, InValue, ResultSet, Row } from '@libsql/client';
import { LibSQLDatabase } from 'drizzle-orm/libsql/driver-core';
import { LibSQLSession } from 'drizzle-orm/libsql/session';
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';

export type Db = LibSQLDatabase<Record<string, never>>;

export type Tx = Db & {
  /** Has `listener` called once the write is committed, before its caller goes on; not when it is undone. */
  afterCommit(listener: () => void): void;
};

/** What Drizzle asks of a client, as long as nobody asks for its batches and transactions. */
export interface StoreClient {
  execute(
    statement: string | { sql: string; args: InValue[] },
    args?: InValue[],
  ): Promise<ResultSet>;
}

const clients = new WeakMap<Db, StoreClient>();

/**
 * Executes a statement as it is, on the connection of a Drizzle: for those with thousands of values,
 * which Drizzle would take longer to put together than they take.
 */
export async function executeRaw(db: Db, sql: string, args: InValue[]): Promise<Row[]> {
  return (await (clients.get(db) as StoreClient).execute({ sql, args })).rows;
}

/** Drizzle reads rows by position: arrays are enough. */
export function resultSet(
  columns: string[],
  rows: Row[],
  rowsAffected: number,
  rowid: number | bigint | string | undefined,
): ResultSet {
  return {
    columns,
    columnTypes: [],
    rows,
    rowsAffected,
    lastInsertRowid: rowid === undefined ? undefined : BigInt(rowid),
    toJSON: () => ({ columns, rows, rowsAffected }),
  };
}

export function drizzle(client: StoreClient): Db {
  const dialect = new SQLiteAsyncDialect();
  const session = new LibSQLSession<Record<string, never>, Record<string, never>>(
    client as unknown as Client,
    dialect,
    undefined,
    {},
    undefined,
  );
  const db: Db = new LibSQLDatabase('async', dialect, session, undefined);
  clients.set(db, client);
  return db;
}
