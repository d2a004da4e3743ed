// Full-text indexes that follow their tables. New rows are indexed after they are committed, in
// batches, so that a write does not pay for its text; a search first brings the index up to the
// last row, so that it never misses one.
import { sql } from 'drizzle-orm';
import type { Database, Db } from './database.ts';

/** What is indexed: a contentless FTS5 table whose rowid is the `seq` of the table. */
export interface IndexedTable {
  table: string;
  index: string;
  /** SQL of the indexed values in the order of the index's columns, over the table's columns. */
  values: string;
  columns: string;
}

export interface SearchIndex {
  /**
   * Says that `count` rows were added. They are indexed in the next quiet moment, when too many
   * are waiting, or when someone searches.
   */
  added(count: number): void;
  /** Indexes rows anew whose text or scope has changed, inside the caller's write. */
  changed(db: Db, seqs: number[]): Promise<void>;
  /** Takes rows out of the index, inside the caller's write. */
  removed(db: Db, seqs: number[]): Promise<void>;
  /** Resolves when every committed row is in the index. */
  upToDate(): Promise<void>;
  /** Stops the work in the background. */
  stop(): void;
}

const BATCH = 250;
const QUIET_MS = 50;
const BACKLOG_MOST = 20_000;

/**
 * Follows one table.
 *
 * @param database - where table and index are
 * @param what - the table, its index and what of it is indexed
 */
export function createSearchIndex(database: Database, what: IndexedTable): SearchIndex {
  let behind = true;
  let backlog = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  const raw = (text: string) => sql.raw(text);

  async function lastIndexed(db: Db): Promise<number> {
    // The shadow table that holds a row's length has a row for each indexed row.
    return firstNumber(await db.get(raw(`select max(id) from ${what.index}_docsize`)));
  }

  /** One batch; whether the index may still be behind. */
  async function step(): Promise<boolean> {
    return database.write(async (db) => {
      const from = await lastIndexed(db);
      const result = await db.run(
        sql`${raw(`insert into ${what.index} (rowid, ${what.columns}) select seq, ${what.values} from ${what.table}`)} where seq > ${from} order by seq limit ${BATCH}`,
      );
      return result.rowsAffected >= BATCH;
    });
  }

  async function catchUp(): Promise<void> {
    behind = false;
    backlog = 0;
    try {
      while (!stopped && (await step())) {}
    } catch (error) {
      behind = true;
      throw error;
    }
  }

  let catchingUp: Promise<void> | undefined;
  function catchUpOnce(): Promise<void> {
    catchingUp ??= catchUp().finally(() => {
      catchingUp = undefined;
    });
    return catchingUp;
  }

  let lastAdded = 0;
  function whenQuiet(): void {
    const quiet = performance.now() - lastAdded;
    timer = quiet < QUIET_MS ? setTimeout(whenQuiet, QUIET_MS - quiet) : undefined;
    if (!timer) catchUpOnce().catch(() => {});
  }

  return {
    added(count) {
      behind = true;
      backlog += count;
      lastAdded = performance.now();
      if (backlog > BACKLOG_MOST) catchUpOnce().catch(() => {});
      else if (!timer && !stopped) timer = setTimeout(whenQuiet, QUIET_MS);
    },
    async changed(db, seqs) {
      const last = await lastIndexed(db);
      for (const seq of seqs) {
        if (seq > last) continue;
        await db.run(sql`${raw(`delete from ${what.index}`)} where rowid = ${seq}`);
        await db.run(
          sql`${raw(`insert into ${what.index} (rowid, ${what.columns}) select seq, ${what.values} from ${what.table}`)} where seq = ${seq}`,
        );
      }
    },
    async removed(db, seqs) {
      for (const seq of seqs)
        await db.run(sql`${raw(`delete from ${what.index}`)} where rowid = ${seq}`);
    },
    async upToDate() {
      while (!stopped && (behind || catchingUp)) await catchUpOnce();
    },
    stop() {
      stopped = true;
      if (timer) clearTimeout(timer);
    },
  };
}

function firstNumber(row: unknown): number {
  const value = Array.isArray(row) ? row[0] : Object.values(row ?? {})[0];
  return typeof value === 'number' ? value : 0;
}

/**
 * Turns what a user types into an FTS5 query: words are ANDed, "quoted phrases" stay together, a
 * word that ends in `*` is a prefix. No other operator is passed on.
 *
 * @param q - the user's text
 * @param columns - columns of the index that are searched
 * @param scope - tokens of the column `scope` that must all be there
 * @returns an FTS5 MATCH expression, or undefined where the text holds no word
 */
export function matchExpression(q: string, columns: string, scope: string[]): string | undefined {
  const terms = [...q.matchAll(/"([^"]*)"?|(\S+)/gu)].flatMap(([, phrase, word]) => {
    const text = phrase ?? word ?? '';
    if (!/[\p{L}\p{N}\p{Co}]/u.test(text)) return [];
    const prefix = phrase === undefined && text.endsWith('*');
    const bare = (prefix ? text.slice(0, -1) : text).replaceAll('"', '');
    return bare ? [`"${bare}"${prefix ? ' *' : ''}`] : [];
  });
  if (terms.length === 0) return undefined;
  const scopes = scope.map((token) => `scope:${token}`);
  return [...scopes, `{${columns}}:(${terms.join(' AND ')})`].join(' AND ');
}
