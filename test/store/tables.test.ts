// The tables that the code knows are those that the migrations make.
import { afterAll, describe, expect, test } from 'bun:test';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { openDatabase } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import * as agents from '../../src/store/tables/agents.ts';
import * as assurance from '../../src/store/tables/assurance.ts';
import * as evidence from '../../src/store/tables/evidence.ts';
import * as projects from '../../src/store/tables/projects.ts';
import * as quality from '../../src/store/tables/quality.ts';
import * as requirements from '../../src/store/tables/requirements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dir, '../..');

const TABLES = Object.values({
  ...agents,
  ...assurance,
  ...evidence,
  ...projects,
  ...quality,
  ...requirements,
}).filter((one) => is(one, SQLiteTable));

const folder = temporaryFolder('tables');
const database = await openDatabase({
  location: { path: join(folder, 'pqrs.db'), backups: join(folder, 'set-aside') },
  writesPerCommit: 1,
  migrations: MIGRATIONS,
});

afterAll(() => database.close());

async function columnsOf(
  table: string,
): Promise<{ name: string; type: string; required: boolean }[]> {
  const rows = await database.read.all<Record<number, unknown>>(`pragma table_info(${table})`);
  return rows
    .map((row) => ({
      name: String(row[1]),
      type: String(row[2]).toLowerCase(),
      required: row[3] === 1 || row[5] === 1,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

describe('every table', () => {
  for (const table of TABLES) {
    const { name, columns, indexes, primaryKeys } = getTableConfig(table);
    const keyed = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
    test(`${name} has the indexes that the code knows`, async () => {
      const rows = await database.read.all<Record<number, unknown>>(`pragma index_list(${name})`);
      const made = rows.filter((row) => row[3] === 'c').map((row) => [row[1], row[2] === 1]);
      const known = indexes.map(({ config }) => [config.name, config.unique]);
      expect(made.sort()).toEqual(known.sort());
    });

    test(`${name} has the columns that the code knows`, async () => {
      const known = columns
        .map((column) => ({
          name: column.name,
          type: column.getSQLType().toLowerCase(),
          required: column.notNull || column.primary || keyed.has(column.name),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      expect(await columnsOf(name)).toEqual(known);
    });
  }

  test('of the database is known to the code, or is an index or part of one', async () => {
    const rows = await database.read.all<Record<number, unknown>>(
      "select name from sqlite_schema where type = 'table'",
    );
    const names = new Set(TABLES.map((table) => getTableConfig(table).name));
    const others = rows
      .map((row) => String(row[0]))
      .filter((name) => !names.has(name) && !/^(?:sqlite_|.*_text(?:_|$))/.test(name));
    expect(others.sort()).toEqual(['migrations']);
  });
});

describe('drizzle-kit generate', () => {
  /** Runs on copies of the tables and migrations; gives the names of the new files. */
  function generate(change: (folder: string) => void): string[] {
    const folder = temporaryFolder('generate');
    for (const part of ['drizzle', 'src/store/tables', 'scripts/drizzle.config.ts'])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    change(folder);
    const tool = join(ROOT, 'node_modules/drizzle-kit/bin.cjs');
    const { exitCode, stderr } = Bun.spawnSync(
      ['node', tool, 'generate', '--config', 'scripts/drizzle.config.ts', '--name', 'more'],
      { cwd: folder },
    );
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: '' });
    const before = new Set(readdirSync(join(ROOT, 'drizzle')));
    return readdirSync(join(folder, 'drizzle')).filter((name) => !before.has(name));
  }

  test('finds nothing to do', () => expect(generate(() => {})).toEqual([]));

  test('makes one migration of a new column', () => {
    const made = generate((folder) => {
      const file = join(folder, 'src/store/tables/projects.ts');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace('slug: text()', 'colour: text(),\n  slug: text()'));
    });
    const next = String(MIGRATIONS.length + 1).padStart(4, '0');
    expect(made).toEqual([`${next}_more.sql`]);
  });

  test('has recorded the migrations that the executable runs', () => {
    const journal = JSON.parse(readFileSync(join(ROOT, 'drizzle/meta/_journal.json'), 'utf8'));
    const tags = journal.entries.map(({ tag }: { tag: string }) => tag);
    expect(tags).toEqual(MIGRATIONS.map(({ name }) => name));
  });
});
