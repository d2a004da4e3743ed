// Numbers of issues: each project counts for itself, no number is given twice, and a write that
// fails or is undone with another's uses none up.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { fileIssue } from '../../src/evidence/issues/create.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import { issues } from '../../src/store/tables/evidence.ts';

let folder: string;
let database: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pqrs-test-'));
  database = await open();
  for (const id of ['prj_a', 'prj_b']) {
    await database.write(async (db) => {
      await db.run(
        sql`insert into projects (id, slug, name, description, settings, created_at, updated_at) values (${id}, ${id}, '', '', '{}', 0, 0)`,
      );
    });
  }
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

function open(): Promise<Database> {
  return openDatabase({
    location: { path: join(folder, 'a.db'), backups: join(folder, 'set-aside') },
    writesPerCommit: 1000,
    migrations: MIGRATIONS,
  });
}

function file(projectId: string, fail = false): Promise<number> {
  return database.write(async (db) => {
    const { issue } = await fileIssue(db, {
      projectId,
      input: { title: 'An issue' },
      actor: { tokenId: 'tok_a', label: null },
      fromWidget: false,
      now: Date.now(),
    });
    if (fail) throw new Error('on purpose');
    return issue.number;
  });
}

async function stored(projectId: string): Promise<number[]> {
  const rows = await database.read
    .select({ number: issues.number })
    .from(issues)
    .where(eq(issues.projectId, projectId))
    .orderBy(issues.seq);
  return rows.map((row) => row.number);
}

test('each project counts from one, and at once as one after the other [PQRS-55]', async () => {
  const given = await Promise.all(
    Array.from({ length: 40 }, (_, index) => file(index % 4 === 0 ? 'prj_b' : 'prj_a')),
  );
  expect(given.filter((_, index) => index % 4 === 0)).toEqual(
    Array.from({ length: 10 }, (_, index) => index + 1),
  );
  expect(await stored('prj_a')).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});

test('writes that fail leave no gap, in whichever order they come', async () => {
  const outcomes = await Promise.allSettled(
    [false, true, false, true, true, false].map((fail) => file('prj_a', fail)),
  );
  expect(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')),
  ).toEqual([1, 'failed', 2, 'failed', 'failed', 3]);
  await file('prj_a', true).catch(() => {});
  expect(await file('prj_a')).toBe(4);
  expect(await stored('prj_a')).toEqual([1, 2, 3, 4]);
});

test('the count goes on after a restart', async () => {
  await file('prj_a');
  await file('prj_a');
  await database.close();
  database = await open();
  expect(await file('prj_a')).toBe(3);
  expect(await file('prj_b')).toBe(1);
});

test('an answer holds what is stored', async () => {
  const shown = await database.write(async (db) => {
    const { issue } = await fileIssue(db, {
      projectId: 'prj_a',
      input: { title: 'An issue', labels: ['a'], description: 'more' },
      actor: { tokenId: 'tok_a', label: 'label' },
      fromWidget: false,
      now: 1_700_000_000_000,
    });
    return issue;
  });
  const [row] = await database.read.select().from(issues).where(eq(issues.id, shown.id));
  expect(row).toEqual(shown);
});
