// What several lists are asked by: a range of times, and how many rows there are.
import { and, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { parseTime } from '../clock.ts';
import type { Total } from '../model/pages.ts';
import type { Db } from './database.ts';

/** @throws Problem `invalid` for a day that does not exist */
export function inRange(column: SQLWrapper, { since, until }: { since?: string; until?: string }) {
  const conditions: SQL[] = [];
  if (since !== undefined) conditions.push(sql`${column} >= ${parseTime('/since', since)}`);
  if (until !== undefined) conditions.push(sql`${column} < ${parseTime('/until', until)}`);
  return conditions;
}

/** What finds the rows of a list, with a full-text expression where it asks for words. */
export interface Found {
  conditions: (SQL | undefined)[];
  match?: string;
}

/** Counts the rows of a table whose texts are in `<table>_text`. */
export async function countFound(db: Db, table: 'issues' | 'log_entries', found?: Found) {
  if (found === undefined) return { total: 0 };
  const { conditions, match } = found;
  const [rows, texts] = [sql.identifier(table), sql.identifier(`${table}_text`)];
  const from =
    match === undefined
      ? sql`${rows} where`
      : sql`${texts} join ${rows} on ${rows}.seq = ${texts}.rowid where ${texts} match ${match} and`;
  return countRows(db, (limit) => sql`select 1 from ${from} ${and(...conditions)} limit ${limit}`);
}

const MAX_COUNT = 10_000;

/** @param rows - makes a query with at most so many rows, one for each that is counted */
export async function countRows(db: Db, rows: (limit: number) => SQL): Promise<Total> {
  const [[count] = [0]] = await db.values<[number]>(
    sql`select count(*) from (${rows(MAX_COUNT + 1)})`,
  );
  return count > MAX_COUNT ? { total: MAX_COUNT, more: true } : { total: count };
}
