// What several lists are asked by: a range of times, words, and how many rows there are.
import {
  and,
  desc,
  getTableColumns,
  getTableName,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import { parseTime } from '../clock.ts';
import type { Total } from '../model/pages.ts';
import type { Db } from './database.ts';
import type { Searched } from './search.ts';
import type { issues, logEntries } from './tables/evidence.ts';

/** @throws Problem `invalid` for a day that does not exist */
export function inRange(column: SQLWrapper, { since, until }: { since?: string; until?: string }) {
  const conditions: SQL[] = [];
  if (since !== undefined) conditions.push(sql`${column} >= ${parseTime('/since', since)}`);
  if (until !== undefined) conditions.push(sql`${column} < ${parseTime('/until', until)}`);
  return conditions;
}

/** What finds the rows of a list, by full text where it asks for words. */
export interface Found {
  conditions: (SQL | undefined)[];
  match?: Match;
}

interface Match extends Searched {
  /** Of the index `<table>_text`. */
  expression: string;
}

/**
 * The rows of a list that a search finds, the newest first.
 * @param behind - the `seq` of the row that was seen last
 */
export async function listMatched<T extends typeof issues | typeof logEntries>(
  db: Db,
  table: T,
  { conditions, match }: { conditions: (SQL | undefined)[]; match: Match },
  behind: SQL | undefined,
  limit: number,
): Promise<T['$inferSelect'][]> {
  const rows: T['$inferSelect'][] = [];
  const name = getTableName(table);
  if (match.newest?.length !== 0) {
    // A cross join is what SQLite does not turn round, to walk all rows of the project.
    const newest = await db
      .select(getTableColumns(table as typeof issues))
      .from(behindIndex(name, match))
      .crossJoin(table)
      .where(and(sql`${table.seq} = newest.value`, ...conditions))
      .orderBy(desc(table.seq))
      .limit(limit);
    rows.push(...newest);
  }
  if (rows.length === limit) return rows;
  const texts = sql.identifier(`${name}_text`);
  const last = behind ? sql`min(${match.indexed}, ${behind} - 1)` : match.indexed;
  const older = await db
    .select(getTableColumns(table as typeof issues))
    .from(sql`${texts}`)
    .innerJoin(table, sql`${table.seq} = ${texts}.rowid`)
    .where(
      and(sql`${texts} match ${match.expression} and ${texts}.rowid <= ${last}`, ...conditions),
    )
    .orderBy(sql`${texts}.rowid desc`)
    .limit(limit - rows.length);
  return rows.concat(older);
}

/** The rows that the index has not: those whose texts match, or where no text is asked for all of them. */
function behindIndex(table: string, { newest, indexed }: Searched): SQL {
  if (newest) return sql`json_each(${JSON.stringify(newest)}) newest`;
  return sql`(select seq as value from ${sql.identifier(table)} not indexed where seq > ${indexed}) newest`;
}

/** Counts the rows of a table whose texts are in `<table>_text`. */
export async function countFound(db: Db, table: Searchable, found?: Found) {
  if (found === undefined) return { total: 0 };
  return countRows(db, (limit) => foundRows(table, found, sql`1`, limit));
}

/** How many of those that are counted have each value of a column. */
export async function countFoundBy(db: Db, table: Searchable, column: string, found?: Found) {
  if (found === undefined) return {};
  const values = foundRows(table, found, sql`${sql.identifier(column)} value`, MAX_COUNT);
  return Object.fromEntries(
    await db.values<[string, number]>(sql`select value, count(*) from (${values}) group by value`),
  );
}

type Searchable = 'issues' | 'log_entries';

function foundRows(table: Searchable, { conditions, match }: Found, what: SQL, limit: number): SQL {
  const [rows, texts] = [sql.identifier(table), sql.identifier(`${table}_text`)];
  const where = and(...conditions);
  const all = match
    ? sql`select ${what} from ${behindIndex(table, match)} cross join ${rows} where ${rows}.seq = newest.value and ${where} union all select ${what} from ${texts} join ${rows} on ${rows}.seq = ${texts}.rowid where ${texts} match ${match.expression} and ${texts}.rowid <= ${match.indexed} and ${where}`
    : sql`select ${what} from ${rows} where ${where}`;
  return sql`${all} limit ${limit}`;
}

const MAX_COUNT = 10_000;

/** @param rows - makes a query with at most so many rows, one for each that is counted */
export async function countRows(
  db: Db,
  rows: (limit: number) => SQL,
): Promise<Required<Pick<Total, 'total'>> & Total> {
  const [[count] = [0]] = await db.values<[number]>(
    sql`select count(*) from (${rows(MAX_COUNT + 1)})`,
  );
  return count > MAX_COUNT ? { total: MAX_COUNT, more: true } : { total: count };
}
