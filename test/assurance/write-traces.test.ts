// Writing links in the database: each once, at the fingerprint of today, by whoever makes them.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
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

test('nothing is written where one of the changes cannot be [PQRS-28]', async () => {
  const wish = { add: [WISH], remove: ['trc_none'] };
  const write = database.write((db) => writeTraces(db, STATE, wish, { actor: ACTOR, now: 1 }));
  const problem = await write.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Problem);
  expect(await database.read.select().from(traces)).toEqual([]);
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
