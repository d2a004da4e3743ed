// The tables that the code knows are those that the migrations make.
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { openDatabase } from '../../src/store/database.ts';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import * as agents from '../../src/store/tables/agents.ts';
import * as assurance from '../../src/store/tables/assurance.ts';
import * as evidence from '../../src/store/tables/evidence.ts';
import * as projects from '../../src/store/tables/projects.ts';
import * as quality from '../../src/store/tables/quality.ts';
import * as requirements from '../../src/store/tables/requirements.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TABLES = Object.values({
  ...agents,
  ...assurance,
  ...evidence,
  ...projects,
  ...quality,
  ...requirements,
}) as SQLiteTable[];

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
    const { name, columns, primaryKeys } = getTableConfig(table);
    const keyed = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
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
