// Full-text indexes that follow their tables: a search sees every row that was committed before it,
// does not wait for those that come meanwhile, and quiet moments are used.
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
      create table notes (seq integer primary key, text text not null) strict;
      create virtual table notes_text using fts5 (body, content = '', contentless_delete = 1);`,
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

function open(): SearchIndex {
  const what = { table: 'notes', index: 'notes_text', columns: 'body', values: 'text' };
  return createSearchIndex(database, what);
}

async function add(count: number, word: string): Promise<void> {
  await database.write(async (db) => {
    await db.run(
      sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) insert into notes (text) select ${word} || ' number ' || i from n`,
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
    index.added(count);
    await index.upToDate();
    expect(await found(word)).toBe(count);
  }
});

test('rows that an earlier process left are found without being told of', async () => {
  await add(300, 'left');
  await index.upToDate();
  expect(await found('left')).toBe(300);
});

test('a search ends although rows never stop coming', async () => {
  let going = true;
  let written = 0;
  const writer = (async () => {
    while (going) {
      await add(1, 'flood');
      index.added(1);
      written++;
    }
  })();
  for (let searches = 0; searches < 10; searches++) {
    await Bun.sleep(5);
    const before = written;
    await index.upToDate();
    expect(await found('flood')).toBeGreaterThanOrEqual(before);
  }
  going = false;
  await writer;
  expect(written).toBeGreaterThan(20);
}, 10_000);

test('rows are indexed in a quiet moment, without a search', async () => {
  await add(500, 'quiet');
  index.added(500);
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
  index.added(1);
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
  index.added(1);
  await index.upToDate();
  expect([await found('gone'), await found('next')]).toEqual([2, 1]);
});

test('a write that fails is told to the search that needed it, and the next one succeeds', async () => {
  await add(10, 'late');
  index.added(10);
  await database.write(async (db) => {
    await db.run(sql`alter table notes_text rename to notes_away`);
  });
  await expect(index.upToDate()).rejects.toThrow();
  await database.write(async (db) => {
    await db.run(sql`alter table notes_away rename to notes_text`);
  });
  await index.upToDate();
  expect(await found('late')).toBe(10);
});

test('an index that was made otherwise is made again', async () => {
  await add(300, 'before');
  await index.upToDate();
  index.stop();
  const what = { table: 'notes', index: 'notes_text', columns: 'body', values: "text || ' after'" };
  index = createSearchIndex(database, what);
  await index.upToDate();
  expect([await found('before'), await found('after')]).toEqual([300, 300]);
});
