// Prepared Drizzle queries: built once for each connection they run on.
import { type Column, getTableColumns, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from './drizzle.ts';

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
