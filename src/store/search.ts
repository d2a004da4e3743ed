// Full-text indexes that follow their tables, in short steps of their own: a write does not pay for its
// text, and a search waits for nothing. It takes the index as far as it goes, matches the newest rows
// behind that itself, and knows where it lacks some. An index that another version has made otherwise
// is emptied first, so that all rows wait.
import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { timestamp } from '../clock.ts';
import { executeRaw, parsePacked } from './client/drizzle.ts';
import type { Database, Db } from './database.ts';
import { textMatcher } from './search-terms.ts';
import { instance } from './tables/projects.ts';

interface IndexedTable {
  table: string;
  index: string;
  /** Columns of the index that hold text, and what goes into each; `scope` holds tokens. */
  columns: string;
  texts: string;
  scope: string;
}

/** What a search finds beside what is in the index. */
export interface Searched {
  /** The last row that is in the index. */
  indexed: number;
  /** Where a text is asked for: rows behind it from one to another that match, the newest first. */
  newest?(first: number, last: number, most: number): Promise<number[]>;
  /** When the first row was made that no page of the search finds yet, where there is one: asked at the end. */
  missing?(): Promise<{ indexedTo: string } | undefined>;
}

export type SearchIndex = ReturnType<typeof createSearchIndex>;

const START_MS = 2000;
/** Before a step that is not full: rows that come meanwhile share its cost. */
const TICK_MS = 100;
/** Others wait for a step: it has rows for so long, as the last one took. */
const STEP_MS = 2;
const MAX_STEP_ROWS = 500;
/** The rest after a step, in its lengths: with its commit a tenth of a core, or half of one while nobody writes. */
const REST = 20;
const SHORT_REST = 1;
/**
 * Parts of an index are merged when nothing waits, for meanwhile it would double what a row costs, or when
 * there are many: FTS5 by itself merges these at once, and others wait. Never for rows that were taken out
 * alone: with that, merges in steps have FTS5 3.45 lose where these are, and it fails as damaged.
 */
const MERGES = [
  ['automerge', 64],
  ['crisismerge', 128],
  ['deletemerge', 0],
] as const;
const MANY_PARTS = 32;
const MERGED_PAGES = 32;
/** What a search matches itself: 1,000 rows take a millisecond. */
const MAX_MATCHED_ROWS = 1000;
const MAX_MATCHED_CHARACTERS = 4_000_000;
const MATCHED_AT_ONCE = 100;

export function createSearchIndex(database: Database, what: IndexedTable) {
  const { table, index, texts } = what;
  const columns = `${what.columns}, scope`;
  const values = `${texts}, ${what.scope}`;
  const version = createHash('sha256').update(`${columns}: ${values} ${MERGES}`).digest('hex');
  const insert = sql.raw(
    `insert into ${index} (rowid, ${columns}) select seq, ${values} from ${table}`,
  );
  const deletion = sql.raw(`delete from ${index}`);
  const command = (name: string, value: number) =>
    sql.raw(`insert into ${index} (${index}, rank) values ('${name}', ${value})`);
  // The sign keeps it from the index of a project's rows, which would be sorted then.
  const waitingOfProject = `from ${table} where seq > ? and seq < ? and +project_id = ? order by seq`;
  let isCurrent = false;
  let stepRows = MAX_STEP_ROWS;
  /** Each step with rows makes one. */
  let parts = 0;
  let isAdded = false;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function numberOf(db: Db, query: string): Promise<number> {
    const [row] = await executeRaw(db, query, []);
    return Number(row?.[0] ?? 0);
  }

  async function isMadeAlike(db: Db): Promise<boolean> {
    if (isCurrent) return true;
    const isNamed = eq(instance.name, `search:${index}`);
    const [known] = await db.select().from(instance).where(isNamed);
    return known?.value === version;
  }

  async function lastIndexed(db: Db): Promise<number> {
    // The shadow table that holds a row's length has a row for each indexed row.
    return (await isMadeAlike(db)) ? numberOf(db, `select max(id) from ${index}_docsize`) : 0;
  }

  const lastRow = (db: Db) => numberOf(db, `select max(seq) from ${table}`);

  async function empty(db: Db): Promise<void> {
    const row = { name: `search:${index}`, value: version };
    await db.run(sql.raw(`insert into ${index} (${index}) values ('delete-all')`));
    await db.insert(instance).values(row).onConflictDoUpdate({ target: instance.name, set: row });
  }

  /** @returns whether there was anything to merge */
  async function merge(db: Db): Promise<boolean> {
    const before = await numberOf(db, 'select total_changes()');
    await db.run(command('merge', MERGED_PAGES));
    // The command itself counts as one.
    return (await numberOf(db, 'select total_changes()')) > before + 1;
  }

  async function step() {
    const done = await database.write(async (db) => {
      const began = performance.now();
      if (!(await isMadeAlike(db))) await empty(db);
      if (!isCurrent) for (const [name, value] of MERGES) await db.run(command(name, value));
      const from = await lastIndexed(db);
      const { rowsAffected: rows } = await db.run(
        sql`${insert} where seq > ${from} order by seq limit ${stepRows}`,
      );
      const isMerged = (rows === 0 || parts > MANY_PARTS) && (await merge(db));
      const waiting = (await lastRow(db)) - (await lastIndexed(db));
      return { rows, isMerged, waiting, ms: performance.now() - began };
    });
    isCurrent = true;
    if (done.rows > 0) parts += 1;
    else if (!done.isMerged) parts = 0;
    // A database server is far away, and holds nobody up.
    if (database.kind === 'file' && done.rows > 0) {
      const wanted = Math.round((done.rows * STEP_MS) / done.ms);
      stepRows = Math.max(1, Math.min(wanted, 2 * stepRows, MAX_STEP_ROWS));
    }
    return done;
  }

  function wake(ms: number): void {
    if (!isStopped) timer ??= setTimeout(tick, ms).unref();
  }

  async function tick(): Promise<void> {
    isAdded = false;
    let rest: number | undefined = START_MS;
    try {
      const { rows, isMerged, waiting, ms } = await step();
      rest = ms * (isAdded ? REST : SHORT_REST);
      if (waiting < stepRows && !isMerged) rest = Math.max(rest, TICK_MS);
      if (rows === 0 && !isMerged && !isAdded) rest = undefined;
    } catch {
      // Tried again: the database may be away, or its disk full.
    }
    timer = undefined;
    if (rest !== undefined) wake(rest);
  }

  /** Resolves when every row that is committed now is in the index; holds others up meanwhile. */
  async function upToDate(): Promise<void> {
    const last = await lastRow(database.read);
    if (!isCurrent && !isStopped) await step();
    // The last ones may have been removed meanwhile.
    for (let found = 1; !isStopped && found > 0 && (await lastIndexed(database.read)) < last; )
      found = (await step()).rows;
  }

  wake(START_MS);
  return {
    /** Says that rows were added and committed. */
    added(): void {
      isAdded = true;
      wake(TICK_MS);
    },
    /** Indexes rows anew whose text or scope has changed, inside the caller's write. */
    async changed(db: Db, seqs: number[]): Promise<void> {
      const last = await lastIndexed(db);
      for (const seq of seqs) {
        if (seq > last) continue;
        await db.run(sql`${deletion} where rowid = ${seq}`);
        await db.run(sql`${insert} where seq = ${seq}`);
      }
    },
    /** Takes rows out of the index, inside the caller's write. */
    async removed(db: Db, seqs: number[]): Promise<void> {
      for (const seq of seqs) await db.run(sql`${deletion} where rowid = ${seq}`);
    },
    /** Undefined for a text in which there is no word. */
    async search(projectId: string, q: string | undefined): Promise<Searched | undefined> {
      const db = database.read;
      if (!q?.trim()) return { indexed: await lastIndexed(db) };
      const matches = textMatcher(q);
      if (!matches) return undefined;
      const indexed = await lastIndexed(db);
      const found: number[] = [];
      let before = (await lastRow(db)) + 1;
      let [rows, characters] = [0, 0];
      const isDone = () =>
        before <= indexed + 1 || rows >= MAX_MATCHED_ROWS || characters >= MAX_MATCHED_CHARACTERS;

      const matchMore = async () => {
        // One text, so that there is one to be parsed; a blob, as a text of a damaged page would end the process.
        const packing = `select cast(json_group_array(json_array(seq, ${what.columns})) as blob) from waiting`;
        const query = `with waiting(seq, ${what.columns}) as (select seq, ${texts} ${waitingOfProject} desc limit ${MATCHED_AT_ONCE}) ${packing}`;
        const [packed] = await executeRaw(db, query, [indexed, before, projectId]);
        const batch = parsePacked<[number, ...string[]][]>(packed?.[0] as ArrayBuffer);
        for (const [seq, ...words] of batch) {
          if (matches(words)) found.push(seq);
          before = seq;
          characters += words.join('').length;
        }
        rows += batch.length;
        if (batch.length < MATCHED_AT_ONCE) before = indexed + 1;
      };

      return {
        indexed,
        async newest(first, last, most) {
          const wanted = () => found.filter((seq) => seq >= first && seq <= last);
          while (!isDone() && before > first && wanted().length < most) await matchMore();
          return wanted().slice(0, most);
        },
        async missing() {
          const left = isDone() ? 0 : MAX_MATCHED_ROWS - rows;
          const query = `select created_at ${waitingOfProject} limit ?`;
          const waiting = await executeRaw(db, query, [indexed, before, projectId, left + 1]);
          if (waiting.length <= left) return undefined;
          return { indexedTo: timestamp(Number(waiting[0]?.[0])) };
        },
      };
    },
    async rebuild(): Promise<void> {
      await database.write(empty);
      await upToDate();
    },
    /** How many committed rows are not in the index yet. */
    waiting: (): Promise<number> =>
      numberOf(
        database.read,
        `select count(*) from ${table} where seq > (select coalesce(max(id), 0) from ${index}_docsize)`,
      ),
    upToDate,
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
