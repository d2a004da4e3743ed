// Full-text indexes that follow their tables. New rows are indexed after they are committed, in
// batches, so that a write does not pay for its text; a search first brings the index up to the
// last row, so that it never misses one. An index that another version has made otherwise is emptied
// first, so that all rows wait.
import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { Database, Db } from './database.ts';
import { instance } from './tables/projects.ts';

interface IndexedTable {
  table: string;
  index: string;
  values: string;
  columns: string;
}

export interface SearchIndex {
  /**
   * Says that `count` rows were added and committed. They are indexed in the next quiet moment,
   * when too many are waiting, or when someone searches.
   */
  added(count: number): void;
  /** Indexes rows anew whose text or scope has changed, inside the caller's write. */
  changed(db: Db, seqs: number[]): Promise<void>;
  /** Takes rows out of the index, inside the caller's write. */
  removed(db: Db, seqs: number[]): Promise<void>;
  rebuild(): Promise<void>;
  /** How many committed rows are not in the index yet. */
  waiting(): Promise<number>;
  /** Resolves when every row that is committed now is in the index. */
  upToDate(): Promise<void>;
  stop(): void;
}

/** Rows of a step: some milliseconds, for which others wait. */
const STEP_ROWS = 250;
const START_MS = 2000;
const TICK_MS = 50;
/** More new rows than this in a tick, and the index waits: indexing costs as much as writing. */
const BUSY_ROWS = 100;
const MAX_WAITING = 50_000;

export function createSearchIndex(database: Database, what: IndexedTable): SearchIndex {
  const { table, index, columns, values } = what;
  const version = createHash('sha256').update(`${columns}: ${values}`).digest('hex');
  const insert = sql.raw(
    `insert into ${index} (rowid, ${columns}) select seq, ${values} from ${table}`,
  );
  const deletion = sql.raw(`delete from ${index}`);
  let isCurrent = false;
  let waiting = 0;
  let newInTick = 0;
  let isRunning = false;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(tick, START_MS);

  async function numberOf(db: Db, query: string): Promise<number> {
    const [row] = await db.values<[number | null]>(sql.raw(query));
    return row?.[0] ?? 0;
  }

  function lastIndexed(db: Db): Promise<number> {
    // The shadow table that holds a row's length has a row for each indexed row.
    return numberOf(db, `select max(id) from ${index}_docsize`);
  }

  async function empty(db: Db): Promise<void> {
    const row = { name: `search:${index}`, value: version };
    await db.run(sql.raw(`insert into ${index} (${index}) values ('delete-all')`));
    await db.insert(instance).values(row).onConflictDoUpdate({ target: instance.name, set: row });
  }

  async function step(): Promise<number> {
    const indexed = await database.write(async (db) => {
      if (!isCurrent) {
        const isNamed = eq(instance.name, `search:${index}`);
        const [known] = await db.select().from(instance).where(isNamed);
        if (known?.value !== version) await empty(db);
      }
      const from = await lastIndexed(db);
      const result = await db.run(
        sql`${insert} where seq > ${from} order by seq limit ${STEP_ROWS}`,
      );
      return result.rowsAffected;
    });
    isCurrent = true;
    waiting = Math.max(0, waiting - indexed);
    return indexed;
  }

  function schedule(): void {
    if (!isRunning && !isStopped) timer ??= setTimeout(tick, TICK_MS);
  }

  async function tick(): Promise<void> {
    timer = undefined;
    const isBusy = newInTick > BUSY_ROWS && waiting <= MAX_WAITING;
    newInTick = 0;
    if (isBusy) return schedule();
    isRunning = true;
    try {
      while (!isStopped && (await step()) === STEP_ROWS && newInTick <= BUSY_ROWS) {}
    } catch {
      // The next row, or whoever searches, tries again.
    }
    isRunning = false;
    if (newInTick > 0) schedule();
  }

  async function upToDate(): Promise<void> {
    const last = await numberOf(database.read, `select max(seq) from ${table}`);
    if (!isCurrent && !isStopped) await step();
    // The last ones may have been removed meanwhile.
    for (let found = 1; !isStopped && found > 0 && (await lastIndexed(database.read)) < last; )
      found = await step();
  }

  return {
    added(count) {
      waiting += count;
      newInTick += count;
      schedule();
    },
    async changed(db, seqs) {
      const last = await lastIndexed(db);
      for (const seq of seqs) {
        if (seq > last) continue;
        await db.run(sql`${deletion} where rowid = ${seq}`);
        await db.run(sql`${insert} where seq = ${seq}`);
      }
    },
    async removed(db, seqs) {
      for (const seq of seqs) await db.run(sql`${deletion} where rowid = ${seq}`);
    },
    async rebuild() {
      await database.write(empty);
      await upToDate();
    },
    waiting: () =>
      numberOf(
        database.read,
        `select count(*) from ${table} where seq > (select coalesce(max(id), 0) from ${index}_docsize)`,
      ),
    upToDate,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

interface SearchTerm {
  text: string;
  /** Whether its last word is only the beginning of one. */
  prefix: boolean;
}

/** What words are made of, for a class of a regular expression: as FTS5's `unicode61` has it. */
export const WORD_CHARACTERS = '\\p{L}\\p{N}\\p{Co}';
const WORD = new RegExp(`[${WORD_CHARACTERS}]`, 'u');

/**
 * The terms of what a user types: words, "quoted phrases", and beginnings of words, which end in
 * `*`. There is no other operator; what holds no word is left out.
 */
export function searchTerms(q: string): SearchTerm[] {
  return [...q.matchAll(/"([^"]*)"?|(\S+)/gu)].flatMap(([, phrase, word]) => {
    const text = phrase ?? word ?? '';
    if (!WORD.test(text)) return [];
    const prefix = phrase === undefined && text.endsWith('*');
    return [{ text: (prefix ? text.slice(0, -1) : text).replaceAll('"', ''), prefix }];
  });
}

/** An FTS5 MATCH of which all terms and tokens of `scope` must be there; undefined without a word. */
export function matchExpression(q: string, columns: string, scope: string[]): string | undefined {
  const terms = searchTerms(q).map(({ text, prefix }) => `"${text}"${prefix ? ' *' : ''}`);
  if (terms.length === 0) return undefined;
  const scopes = scope.map((token) => `scope:${token}`);
  return [...scopes, `{${columns}}:(${terms.join(' AND ')})`].join(' AND ');
}
