// Drizzle over a libSQL client that is there already, and queries that are prepared once. Its own entry
// point loads every client of `@libsql/client` first, which costs each start time and memory.
import type { Client, InValue, ResultSet, Row } from '@libsql/client';
import {
  type Column,
  getTableColumns,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import { LibSQLDatabase } from 'drizzle-orm/libsql/driver-core';
import { LibSQLSession } from 'drizzle-orm/libsql/session';
import { SQLiteAsyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core';

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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * What `cast(json_array(…) as blob)` has of a row whose texts may be on a damaged page.
 * @throws Error with the code of damage where a text is no UTF-8
 */
export function parsePacked<T>(row: Uint8Array | ArrayBuffer): T {
  try {
    return JSON.parse(utf8.decode(row));
  } catch (cause) {
    const code = 'SQLITE_CORRUPT';
    throw Object.assign(new Error('a text is no UTF-8', { cause }), { code });
  }
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

/** A query that is built at its first use on a connection and kept. */
export function prepared<Q>(build: (db: Db) => Q): (db: Db) => Q {
  const queries = new WeakMap<Db, Q>();
  return (db) => {
    let query = queries.get(db);
    if (query === undefined) {
      query = build(db);
      queries.set(db, query);
    }
    return query;
  };
}

/**
 * A placeholder for a value of a column that may be null. By itself Drizzle encodes what a placeholder
 * stands for, null too: as the text `null` in a JSON column, as 0 in a boolean one.
 */
export function nullable(column: Column, name: string): SQL {
  const mapToDriverValue = (value: unknown) =>
    value === null ? null : column.mapToDriverValue(value);
  return sql`${sql.param(sql.placeholder(name), { mapToDriverValue })}`;
}

/** A placeholder for each column of a table but its key `seq`, named as the column's property. */
export function placeholdersOf<T extends SQLiteTable & { $inferInsert: object }>(
  table: T,
): Record<Exclude<keyof T['$inferInsert'] & string, 'seq'>, Placeholder> {
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => name !== 'seq');
  return Object.fromEntries(
    columns.map(([name, column]) => [
      name,
      column.notNull ? sql.placeholder(name) : nullable(column, name),
    ]),
  ) as never;
}

/**
 * A row of a table, and in lists the rows of queries that belong to it, as one column: what is nested is
 * written as JSON once, not as a text in a text.
 */
export function rowWith<T extends SQLiteTable, L extends object>(
  table: T,
  lists: { [Name in keyof L]: RowsQuery<L[Name]> },
) {
  const columns = getTableColumns(table);
  const width = Object.keys(columns).length;
  const ownRow = rowReader(columns);
  const parts = Object.entries<RowsQuery<unknown>>(lists).map(([name, query]) => {
    const { selectedFields } = query._;
    const names = Object.values(selectedFields).map((column) => sql.identifier(column.name));
    const list = sql`json_group_array(json_array(${sql.join(names, sql`, `)}))`;
    return { name, rowOf: rowReader(selectedFields), value: sql`(select ${list} from ${query})` };
  });
  const all = [...Object.values(columns), ...parts.map(({ value }) => value)];
  return sql`cast(json_array(${sql.join(all, sql`, `)}) as blob)`.mapWith((blob: ArrayBuffer) => {
    const values = parsePacked<unknown[]>(blob);
    const row = ownRow(values);
    parts.forEach(({ name, rowOf }, index) => {
      row[name] = (values[index + width] as unknown[][]).map(rowOf);
    });
    return row as T['$inferSelect'] & { [Name in keyof L]: L[Name][] };
  });
}

interface RowsQuery<T> extends SQLWrapper {
  readonly _: { readonly selectedFields: Record<string, Column>; readonly result: T[] };
}

function rowReader(fields: Record<string, Column>) {
  const columns = Object.entries(fields);
  return (values: unknown[]): Record<string, unknown> => {
    const row: Record<string, unknown> = {};
    columns.forEach(([property, column], index) => {
      const value = values[index];
      row[property] = value === null ? null : column.mapFromDriverValue(value);
    });
    return row;
  };
}

/** Whether a column holds one of the values of a JSON list: one statement for any number of them. */
export function isListed(column: SQLWrapper, list: string | Placeholder): SQL {
  return sql`${column} in (select value from json_each(${list}))`;
}

/** Whether the list of a column holds one of some values, none of which is folded. */
export function listHolds(column: SQLWrapper, wanted: readonly string[]): SQL {
  const values = sql.join(
    wanted.map((value) => sql`${value}`),
    sql`, `,
  );
  return sql`exists (select 1 from json_each(${column}) where value in (${values}))`;
}
