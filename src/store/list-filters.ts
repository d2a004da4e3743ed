// What several lists are asked by: a range of times, words, and how many rows there are. What may look at
// many rows goes down a table place by place, in slices, until a page is full.
import type { InValue } from '@libsql/client';
import {
  and,
  desc,
  eq,
  getTableColumns,
  getTableName,
  inArray,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { SelectedFields, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { parseTime } from '../clock.ts';
import type { Total } from '../model/pages.ts';
import type { Pause } from '../runtime/scheduler.ts';
import { executeRaw, placeholdersOf, prepared } from './client/drizzle.ts';
import type { Db } from './database.ts';
import type { Searched } from './search.ts';
import type { issues, logEntries } from './tables/evidence.ts';
import { timeBlocks } from './tables/projects.ts';

interface TimeRange {
  since?: string;
  until?: string;
}

/** @throws Problem `invalid` for a day that does not exist */
export function inRange(column: SQLWrapper, { since, until }: TimeRange) {
  const conditions: SQL[] = [];
  if (since !== undefined) conditions.push(sql`${column} >= ${parseTime('/since', since)}`);
  if (until !== undefined) conditions.push(sql`${column} < ${parseTime('/until', until)}`);
  return conditions;
}

type TimedSource = (typeof timeBlocks.$inferSelect)['source'];

/** Places of a table, its `seq`: from one to another, both included. */
export type Places = readonly [first: number, last: number];

/** As the triggers have it. */
const BLOCK = 1024;

const widen = prepared((db) =>
  db
    .insert(timeBlocks)
    .values(placeholdersOf(timeBlocks))
    .onConflictDoUpdate({
      target: [timeBlocks.source, timeBlocks.block],
      set: {
        earliest: sql`min(${timeBlocks.earliest}, excluded.earliest)`,
        latest: sql`max(${timeBlocks.latest}, excluded.latest)`,
      },
    })
    .prepare(),
);

/** Says of rows that were added between which times they are: for many at once, where a trigger for each costs. */
export async function recordTimes(
  db: Db,
  source: TimedSource,
  rows: readonly { seq: number; at: number }[],
): Promise<void> {
  for (const [block, some] of Map.groupBy(rows, ({ seq }) => Math.floor(seq / BLOCK))) {
    const times = some.map(({ at }) => at);
    await widen(db).run({
      source,
      block,
      earliest: Math.min(...times),
      latest: Math.max(...times),
    });
  }
}

/** Where rows of a range of times may be, the newest first: a client sets some of these times as it likes. */
export async function placesOf(db: Db, source: TimedSource, range: TimeRange): Promise<Places[]> {
  if (range.since === undefined && range.until === undefined) {
    const newest = sql`select coalesce(max(seq), 0) from ${sql.identifier(source)}`;
    const [[last] = [0]] = await db.values<[number]>(newest);
    return [[1, last]];
  }
  const { block, earliest, latest } = timeBlocks;
  const blocks = await db
    .select({ block })
    .from(timeBlocks)
    .where(
      and(
        eq(timeBlocks.source, source),
        ...inRange(latest, { ...range, until: undefined }),
        ...inRange(earliest, { ...range, since: undefined }),
      ),
    )
    .orderBy(desc(block));
  const places: [number, number][] = [];
  for (const { block } of blocks) {
    const [first, last] = [block * BLOCK, (block + 1) * BLOCK - 1];
    const newer = places.at(-1);
    if (newer?.[0] === last + 1) newer[0] = first;
    else places.push([first, last]);
  }
  return places;
}

/** Those of some places that are from one to another. */
export function between(places: readonly Places[], first: number, last: number): Places[] {
  return places
    .map(([from, to]): Places => [Math.max(from, first), Math.min(to, last)])
    .filter(([from, to]) => from <= to);
}

const SLICE_MS = 5;
/** Rows that do not pass cost a microsecond or two each. */
const BATCH_SIZE = 2 * BLOCK;

interface Walk<R> {
  /** The newest places from one to another at which there may be a row, at most so many, the newest first. */
  candidates(first: number, last: number, limit: number): Promise<number[]>;
  /** The rows at some places that pass, the newest first. */
  passing(seqs: readonly number[], limit: number): Promise<R[]>;
}

/** Reads the newest rows at some places that pass, in slices. */
export async function walkDown<R>(
  places: readonly Places[],
  limit: number,
  pause: Pause,
  { candidates, passing }: Walk<R>,
): Promise<R[]> {
  const rows: R[] = [];
  let most = Math.min(limit, BATCH_SIZE);
  let began = performance.now();
  for (const [from, to] of places) {
    // All of a few places at once: to go down an index to them costs more than they do.
    if (to - from < BATCH_SIZE) most = BATCH_SIZE;
    for (let last = to; last >= from && rows.length < limit; ) {
      const seqs = await candidates(from, last, most);
      if (seqs.length > 0) rows.push(...(await passing(seqs, limit - rows.length)));
      if (seqs.length < most) break;
      last = (seqs.at(-1) as number) - 1;
      most = BATCH_SIZE;
      if (rows.length >= limit || performance.now() - began < SLICE_MS) continue;
      await pause();
      began = performance.now();
    }
  }
  return rows;
}

/** What finds the rows of a list, by full text where it asks for words. */
export interface Found {
  conditions: (SQL | undefined)[];
  match?: Match;
}

interface Match extends Searched {
  /** Of the index `<table>_text`. */
  expression: string;
  /** Where in the table to look. */
  places: readonly Places[];
}

type Matched = Found & { match: Match };
type ListedTable = typeof issues | typeof logEntries;

/** The rows of a list that a search finds, the newest first. */
export function listMatched<T extends ListedTable>(
  db: Db,
  table: T,
  found: Matched,
  limit: number,
  pause: Pause,
): Promise<T['$inferSelect'][]> {
  return walkMatched(db, table, getTableColumns(table), found, limit, pause);
}

/** What a column has in the rows that are found, of `COUNTED` of them at most. */
export async function valuesFound<
  T extends ListedTable,
  C extends keyof T['$inferSelect'] & string,
>(
  db: Db,
  table: T,
  column: C,
  found: Found | undefined,
  pause: Pause,
): Promise<T['$inferSelect'][C][]> {
  if (found === undefined) return [];
  const { conditions, match } = found;
  const value = getTableColumns(table as typeof issues)[column as 'seq'];
  const rows: { value: unknown }[] = match
    ? await walkMatched(db, table, { value }, { conditions, match }, COUNTED, pause)
    : await db
        .select({ value })
        .from(table)
        .where(and(...conditions))
        .limit(COUNTED);
  return rows.map((row) => row.value as T['$inferSelect'][C]);
}

async function walkMatched<R>(
  db: Db,
  table: ListedTable,
  columns: SelectedFields,
  { conditions, match }: Matched,
  limit: number,
  pause: Pause,
): Promise<R[]> {
  const { newest, indexed, expression, places } = match;
  const name = getTableName(table);
  const texts = `${name}_text`;
  const seqs = async (query: string, args: InValue[]) =>
    (await executeRaw(db, query, args)).map((row) => Number(row[0]));
  const passing = (seqs: readonly number[], limit: number) =>
    // A cross join is what SQLite does not turn round, to walk all rows of the project. Not ordered, as the
    // places are in order already: to sort it would read all of them.
    db
      .select(columns)
      .from(sql`json_each(${JSON.stringify(seqs)}) found`)
      .crossJoin(table)
      .where(and(sql`${table.seq} = found.value`, ...conditions))
      .limit(limit);
  // Rows that the index has not: those whose texts match, or where no text is asked for all of them.
  const fresh = await walkDown(
    between(places, indexed + 1, Number.MAX_SAFE_INTEGER),
    limit,
    pause,
    {
      passing,
      candidates: (first, last, most) =>
        newest?.(first, last, most) ??
        seqs(
          `select seq from ${name} not indexed where seq between ? and ? order by seq desc limit ?`,
          [first, last, most],
        ),
    },
  );
  const older = await walkDown(between(places, 1, indexed), limit - fresh.length, pause, {
    passing,
    candidates: (first, last, most) =>
      seqs(
        `select rowid from ${texts} where ${texts} match ? and rowid between ? and ? order by rowid desc limit ?`,
        [expression, first, last, most],
      ),
  });
  return [...fresh, ...older] as R[];
}

const MAX_COUNT = 10_000;

/** How many rows to look for to count them exactly, or to know that there are more. */
export const COUNTED = MAX_COUNT + 1;

/** @param found - rows that were found, of `COUNTED` */
export function totalOf(found: number): Total & { total: number } {
  return found > MAX_COUNT ? { total: MAX_COUNT, more: true } : { total: found };
}

interface Filter {
  column: SQL;
  values: readonly string[];
  /** Of the column, and then of `seq`. */
  index: string;
}

/**
 * A subquery of the `seq` of the newest rows that pass, or of more than the limit. It walks down the
 * index of the first filter from its newest entry on; the query names it, for the database knows
 * nothing of how often each value comes.
 * @param index - that is walked where there is no filter
 */
export function newestSeqs(
  table: SQLiteTable,
  filters: readonly Filter[],
  conditions: readonly (SQL | undefined)[],
  index: string,
  limit: number,
): SQL {
  const [first, ...others] = filters;
  const all = [...conditions, ...others.map(({ column, values }) => inArray(column, [...values]))];
  const walk = (name: string, more: SQL[]) => sql`
    select seq from ${table} indexed by ${sql.identifier(name)} where ${and(...more, ...all)}
    order by seq desc limit ${limit}`;
  if (first === undefined) return walk(index, []);
  // One walk a value: several in one would have to be sorted whole.
  const walks = [...new Set(first.values)].map(
    (value) => sql`select seq from (${walk(first.index, [eq(first.column, value)])})`,
  );
  return sql.join(walks, sql` union all `);
}
