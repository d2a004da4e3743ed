// Full-text indexes that follow their tables: a search waits for nothing, sees the newest rows whether
// they are indexed or not, and says from when on it lacks some.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createSearchIndex, type SearchIndex } from '../../src/store/search.ts';

const MIGRATIONS = [
  {
    name: '0001_notes',
    sql: `create table instance (name text primary key, value text not null) strict;
      create table notes (seq integer primary key, project_id text not null, text text not null, created_at integer not null) strict;
      create virtual table notes_text using fts5 (body, scope, content = '', contentless_delete = 1);`,
  },
];

let folder: string;
let database: Database;
let index: SearchIndex;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pqrs-test-'));
  database = await openDatabase({
    location: { path: join(folder, 'a.db'), backups: join(folder, 'set-aside') },
    writesPerCommit: 1000,
    migrations: MIGRATIONS,
  });
  index = open();
});

afterEach(async () => {
  index.stop();
  await database.close();
  rmSync(folder, { recursive: true });
});

function open(texts = 'text'): SearchIndex {
  const what = { table: 'notes', index: 'notes_text', columns: 'body', texts, scope: "'p1'" };
  return createSearchIndex(database, what);
}

async function add(count: number, word: string, project = 'a'): Promise<void> {
  await database.write(async (db) => {
    await db.run(
      sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) insert into notes (project_id, text, created_at) select ${project}, ${word} || ' number ' || i, i from n`,
    );
  });
}

async function found(word: string): Promise<number> {
  const row = await database.read.get(
    sql`select count(*) from notes_text where notes_text match ${word}`,
  );
  return Number(Object.values(row as object)[0]);
}

test('what was committed is found, however many rows wait [PQRS-58]', async () => {
  for (const [count, word] of [
    [1, 'one'],
    [249, 'below'],
    [250, 'exactly'],
    [251, 'above'],
    [2000, 'many'],
  ] as const) {
    await add(count, word);
    index.added();
    await index.upToDate();
    expect(await found(word)).toBe(count);
  }
});

test('rows that an earlier process left are found without being told of', async () => {
  await add(300, 'left');
  await index.upToDate();
  expect(await found('left')).toBe(300);
});

/** What a search finds behind the index, and from when on it lacks rows. */
async function search(projectId: string, q: string, most = Number.MAX_SAFE_INTEGER) {
  const searched = await index.search(projectId, q);
  const newest = await searched?.newest?.(1, Number.MAX_SAFE_INTEGER, most);
  return { newest, indexedTo: (await searched?.missing?.())?.indexedTo };
}

const between = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => last - at);

test('a search matches the newest rows itself and says from when on others are missing', async () => {
  expect(await search('a', 'old')).toEqual({ newest: [], indexedTo: undefined });
  await add(1, 'old');
  await add(3000, 'new');
  await add(10, 'new', 'b');
  const indexedTo = new Date(1).toISOString();
  expect(await search('a', 'NÉW')).toEqual({ newest: between(2002, 3001), indexedTo });
  expect((await search('a', 'old')).newest).toEqual([]);
  expect(await search('b', 'new')).toEqual({
    newest: between(3002, 3011),
    indexedTo: undefined,
  });
  expect(await index.search('a', ' … ')).toBeUndefined();
  await index.upToDate();
  expect(await search('a', 'new')).toEqual({ newest: [], indexedTo: undefined });
});

test('a search matches no more rows than a page asks for', async () => {
  await add(1000, 'page');
  expect(await search('a', 'page', 50)).toEqual({
    newest: between(951, 1000),
    indexedTo: undefined,
  });
  const searched = await index.search('a', 'page');
  for (const [first, last] of [
    [900, 1000],
    [300, 899],
    [1, 299],
  ] as const)
    expect(await searched?.newest?.(first, last, 1000)).toEqual(between(first, last));
  expect(await searched?.missing?.()).toBeUndefined();
});

test('a search matches no more text than it has time for', async () => {
  for (let at = 0; at < 3; at++) await add(100, `long ${'x'.repeat(20_000)}`);
  const { newest, indexedTo } = await search('a', 'long');
  expect([newest?.length, indexedTo !== undefined]).toEqual([200, true]);
});

test('rows are indexed while others never stop coming, and none of these waits for long', async () => {
  let written = 0;
  let longest = 0;
  const end = performance.now() + 3000;
  while (performance.now() < end && (await found('flood')) < 200) {
    const began = performance.now();
    await add(1, 'flood');
    index.added();
    longest = Math.max(longest, performance.now() - began);
    written++;
  }
  expect(await found('flood')).toBeGreaterThanOrEqual(200);
  expect(written).toBeGreaterThan(200);
  expect(longest).toBeLessThan(1000);
}, 10_000);

test('rows are indexed in a quiet moment, without a search', async () => {
  await add(500, 'quiet');
  index.added();
  const end = performance.now() + 5000;
  while ((await found('quiet')) < 500 && performance.now() < end) await Bun.sleep(20);
  expect(await found('quiet')).toBe(500);
});

test('a changed row is found by its new text alone, indexed before or not', async () => {
  const [first, second] = [1, 2];
  await add(1, 'old');
  await index.upToDate();
  await add(1, 'old');
  for (const seq of [first, second]) {
    await database.write(async (db) => {
      await db.run(sql`update notes set text = 'new' where seq = ${seq}`);
      await index.changed(db, [seq]);
    });
  }
  index.added();
  await index.upToDate();
  expect([await found('old'), await found('new')]).toEqual([0, 2]);
});

test('a row that was taken out is not found, and does not come back', async () => {
  await add(3, 'gone');
  await index.upToDate();
  await database.write(async (db) => {
    await db.run(sql`delete from notes where seq = 3`);
    await index.removed(db, [3]);
  });
  await add(1, 'next');
  index.added();
  await index.upToDate();
  expect([await found('gone'), await found('next')]).toEqual([2, 1]);
});

test('a step that fails leaves its rows to the next', async () => {
  await add(10, 'late');
  const rename = (from: string, to: string) =>
    database.write((db) => db.run(sql.raw(`alter table ${from} rename to ${to}`)));
  await rename('notes_text', 'notes_away');
  await expect(index.upToDate()).rejects.toThrow();
  await rename('notes_away', 'notes_text');
  await index.upToDate();
  expect(await found('late')).toBe(10);
});

test('an index that was made otherwise is made again', async () => {
  await add(300, 'before');
  await index.upToDate();
  index.stop();
  index = open("text || ' after'");
  expect(await search('a', 'before')).toMatchObject({ newest: { length: 300 } });
  await index.upToDate();
  expect([await found('before'), await found('after')]).toEqual([300, 300]);
});

test('rows are indexed anew while parts of the index are merged in steps', async () => {
  let rows = 0;
  const newer = (at: number) => rows - ((at * 7919) % Math.min(rows, 1500));
  for (let round = 0; round < 300; round++) {
    const count = 1 + ((round * 37) % 60);
    // Of so many words that a step merges a part of them.
    const words = Array.from({ length: 300 }, (_, at) => `w${(round * 131 + at * 17) % 20_000}`);
    await add(count, `merged ${words.join(' ')}`);
    rows += count;
    await index.upToDate();
    const changed = Array.from({ length: 12 }, (_, at) => newer(round * 12 + at));
    await database.write((db) => index.changed(db, changed));
  }
  expect(await found('merged')).toBe(rows);
}, 30_000);
