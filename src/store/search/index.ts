// Full-text indexes that follow their tables. New rows are indexed after they are committed, in
// batches, so that a write does not pay for its text; a search first brings the index up to the
// last row, so that it never misses one. An index that another version has made otherwise is emptied
// first, so that all rows wait.
import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { Database, Db } from '../database.ts';
import { instance } from '../tables/projects.ts';

export interface IndexedTable {
  table: string;
  index: string;
  /** SQL of the indexed values in the order of the index's columns, over the table's columns. */
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
  /** How many committed rows are not in the index yet. */
  waiting(): Promise<number>;
  /** Resolves when every committed row is in the index. */
  upToDate(): Promise<void>;
  /** Stops the work in the background. */
  stop(): void;
}

/** Rows of a step: some milliseconds, for which others wait. */
const STEP_ROWS = 250;
const START_MS = 2000;
const TICK_MS = 50;
/** More new rows than this in a tick, and the index waits: indexing costs as much as writing. */
const BUSY_ROWS = 100;
const MAX_WAITING = 50_000;

/**
 * Follows one table.
 *
 * @param database - where table and index are
 * @param what - the table, its index and what of it is indexed
 */
export function createSearchIndex(database: Database, what: IndexedTable): SearchIndex {
  let behind = true;
  let waiting = 0;
  let steps = 0;
  let lastComplete = 0;
  let catchingUp: Promise<void> | undefined;
  let newInTick = 0;
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(tick, START_MS);
  let stopped = false;
  let isCurrent = false;
  const version = createHash('sha256').update(`${what.columns}: ${what.values}`).digest('hex');

  const raw = (text: string) => sql.raw(text);

  async function lastIndexed(db: Db): Promise<number> {
    // The shadow table that holds a row's length has a row for each indexed row.
    return firstNumber(await db.get(raw(`select max(id) from ${what.index}_docsize`)));
  }

  async function waitingRows(): Promise<number> {
    return firstNumber(
      await database.read.get(
        raw(
          `select count(*) from ${what.table} where seq > (select coalesce(max(id), 0) from ${what.index}_docsize)`,
        ),
      ),
    );
  }

  /** Empties the index where it was made otherwise, or by nobody knows whom. */
  async function requireVersion(db: Db): Promise<void> {
    const name = `search:${what.index}`;
    const [known] = await db.select().from(instance).where(eq(instance.name, name));
    if (known?.value === version) return;
    await db.run(raw(`insert into ${what.index} (${what.index}) values ('delete-all')`));
    await db
      .insert(instance)
      .values({ name, value: version })
      .onConflictDoUpdate({ target: instance.name, set: { value: version } });
  }

  /** Indexes the next rows; whether there may be more. */
  async function step(): Promise<boolean> {
    const own = ++steps;
    behind = false;
    try {
      const indexed = await database.write(async (db) => {
        if (!isCurrent) await requireVersion(db);
        const from = await lastIndexed(db);
        const result = await db.run(
          sql`${raw(`insert into ${what.index} (rowid, ${what.columns}) select seq, ${what.values} from ${what.table}`)} where seq > ${from} order by seq limit ${STEP_ROWS}`,
        );
        return result.rowsAffected;
      });
      isCurrent = true;
      waiting = Math.max(0, waiting - indexed);
      if (indexed < STEP_ROWS) lastComplete = own;
      else behind = true;
      return indexed === STEP_ROWS;
    } catch (error) {
      behind = true;
      throw error;
    }
  }

  /** Steps until no row waits, or as long as is said. One run at a time, whoever asks. */
  function catchUp(goOn: () => boolean): Promise<void> {
    catchingUp ??= (async () => {
      while (!stopped && (await step()) && goOn()) {}
    })().finally(() => {
      catchingUp = undefined;
    });
    return catchingUp;
  }

  const isQuiet = () => newInTick <= BUSY_ROWS;
  const isTooFar = () => waiting > MAX_WAITING;

  function tick(): void {
    const quiet = isQuiet();
    newInTick = 0;
    timer = quiet ? undefined : setTimeout(tick, TICK_MS);
    if (quiet) catchUp(isQuiet).catch(() => {});
  }

  return {
    added(count) {
      behind = true;
      waiting += count;
      newInTick += count;
      if (isTooFar()) catchUp(isTooFar).catch(() => {});
      if (!timer && !stopped) timer = setTimeout(tick, TICK_MS);
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
    waiting: waitingRows,
    async upToDate() {
      // A step that began after this and left nothing has all that was committed before this; rows
      // that come meanwhile are no reason to wait on.
      const since = steps;
      // Entries of the audit come inside writes of others, who do not say so.
      behind ||= (await waitingRows()) > 0;
      while (!stopped && lastComplete <= since && (behind || catchingUp)) await catchUp(() => true);
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
