// Writing links in the database: each once, at the fingerprint of today, by whoever makes them.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { TraceInput } from '../../src/assurance/traceability/model.ts';
import { addTrace, addTraces, writeTraces } from '../../src/assurance/traceability/write.ts';
import { Problem } from '../../src/errors.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import { traces } from '../../src/store/tables/assurance.ts';
import { makeCovered } from './made-coverage.ts';

let folder: string;
let database: Database;
const STATE = makeCovered({ nodes: ['A', 'B'] });
const TEST = { kind: 'test', id: 't1:a' } as const;
const WISH = { storyId: 'A', type: 'verifies', target: TEST } as const;
const ACTOR = { tokenId: 'tok_1', label: 'me' };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pqrs-test-'));
  database = await openDatabase({
    location: { path: join(folder, 'a.db'), backups: join(folder, 'set-aside') },
    writesPerCommit: 1000,
    migrations: MIGRATIONS,
  });
  await database.write(async (db) => {
    await db.run(
      sql`insert into projects (id, slug, name, description, settings, created_at, updated_at) values ('prj_1', 'p', '', '', '{}', 0, 0)`,
    );
  });
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

test('a link that the service makes by itself has its origin and no author [PQRS-28]', async () => {
  const add = () =>
    database.write((db) => addTrace(db, STATE, WISH, { actor: null, now: 5 }, 'tag'));
  const first = await add();
  expect(first.added).toBe(true);
  expect(first.row).toMatchObject({
    ...{ origin: 'tag', authorToken: null, createdAt: 5, note: null, version: 1 },
    fingerprint: STATE.effective.node('A')?.fingerprint as string,
  });
  const second = await add();
  expect(second).toEqual({ row: first.row, added: false });
});

test('links come in the order of the wishes, those that are there apart [PQRS-28]', async () => {
  const wishes = Array.from({ length: 250 }, (_, at) => ({
    ...{ storyId: at % 2 ? 'A' : 'B', type: 'verifies' as const },
    target: { kind: 'test' as const, id: `t1:${at}` },
  }));
  const author = { actor: ACTOR, now: 1 };
  const odd = wishes.filter((_, at) => at % 2);
  await database.write((db) => addTraces(db, STATE, odd, author));
  const { added, unchanged } = await database.write((db) =>
    addTraces(db, STATE, [...wishes, ...wishes], author),
  );
  const idsOf = (list: { targetId: string }[]) => list.map(({ targetId }) => targetId);
  expect(idsOf(unchanged)).toEqual(odd.map(({ target }) => target.id));
  expect(idsOf(added)).toEqual(
    wishes.filter((_, at) => at % 2 === 0).map(({ target }) => target.id),
  );
});

test('nothing is written where one of the changes cannot be [PQRS-28]', async () => {
  const wish = { add: [WISH], remove: ['trc_none'] };
  const write = database.write((db) => writeTraces(db, STATE, wish, { actor: ACTOR, now: 1 }));
  const problem = await write.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Problem);
  expect(await database.read.select().from(traces)).toEqual([]);
});

test('a link that is wished again is one, and cannot have two notes [PQRS-28]', async () => {
  const commands = [{ id: 'cmd_1', key: 'unit' }];
  const state = makeCovered({ nodes: ['A', 'B'], commands });
  const write = (...add: TraceInput[]) =>
    database.write((db) => writeTraces(db, state, { add }, { actor: ACTOR, now: 1 }));
  const run = (id: string) => ({ ...WISH, target: { kind: 'command', id } as const });
  for (const [one, other] of [
    [WISH, WISH],
    [run('unit'), run('cmd_1')],
  ] as const) {
    const twice = write(
      { ...one, note: 'one' },
      { ...WISH, storyId: 'B' },
      { ...other, note: 'two' },
    );
    const problem = (await twice.catch((error: unknown) => error)) as Problem;
    expect(problem).toBeInstanceOf(Problem);
    expect(problem.errors).toEqual([
      { pointer: '/add/2', detail: 'is the link of /add/0 again, with another note' },
    ]);
    expect(await database.read.select().from(traces)).toEqual([]);
  }
  const { added, unchanged } = await write(run('unit'), { ...run('cmd_1'), note: null });
  expect(added.map(({ target }) => target.id)).toEqual(['cmd_1']);
  expect(unchanged).toEqual([]);
  const others = [
    { ...WISH, note: 'one' },
    { ...WISH, storyId: 'B', note: 'two' },
    { ...WISH, type: 'implements' as const, note: 'three' },
  ];
  expect((await write(...others)).added.map(({ note }) => note)).toEqual(['one', 'two', 'three']);
});

test('a link of another project is not found, and not touched [PQRS-28]', async () => {
  const author = { actor: ACTOR, now: 1 };
  const { row } = await database.write((db) => addTrace(db, STATE, WISH, author));
  const other = { ...STATE, effective: { ...STATE.effective, projectId: 'prj_2' } };
  for (const wish of [{ remove: [row.id] }, { review: [row.id] }]) {
    const write = database.write((db) => writeTraces(db, other, wish, author));
    expect(await write.catch((error: unknown) => error)).toBeInstanceOf(Problem);
  }
  expect(await database.read.select().from(traces)).toEqual([row]);
});
