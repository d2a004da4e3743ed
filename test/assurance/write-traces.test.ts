// Writing links in the database: each once, at the fingerprint of today, by whoever makes them.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { TraceInput } from '../../src/assurance/traceability/model.ts';
import { addTraces, writeTraces } from '../../src/assurance/traceability/write.ts';
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

test('a link that is wished again is one, and the last note counts [PQRS-28]', async () => {
  const commands = [{ id: 'cmd_1', key: 'unit' }];
  const state = makeCovered({ nodes: ['A', 'B'], commands });
  const write = (...add: TraceInput[]) =>
    database.write((db) => writeTraces(db, state, { add }, { actor: ACTOR, now: 1 }));
  const run = (id: string) => ({ ...WISH, target: { kind: 'command', id } as const });
  const { added, unchanged } = await write(
    { ...run('unit'), note: 'one' },
    { ...WISH, storyId: 'B' },
    { ...run('cmd_1'), note: 'two' },
  );
  expect(added.map(({ target, note }) => [target.id, note])).toEqual([
    ['cmd_1', 'two'],
    [TEST.id, null],
  ]);
  expect(unchanged).toEqual([]);
});

test('a link of another project is not found, and not touched [PQRS-28]', async () => {
  const author = { actor: ACTOR, now: 1 };
  const { added } = await database.write((db) => addTraces(db, STATE, [WISH], author));
  const other = { ...STATE, effective: { ...STATE.effective, projectId: 'prj_2' } };
  const ids = added.map(({ id }) => id);
  for (const wish of [{ remove: ids }, { review: ids }]) {
    const write = database.write((db) => writeTraces(db, other, wish, author));
    expect(await write.catch((error: unknown) => error)).toBeInstanceOf(Problem);
  }
  expect(await database.read.select().from(traces)).toEqual(added);
});
