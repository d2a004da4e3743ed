// A new version on an old data folder: a copy of the database is set aside before it is changed,
// and a migration that fails changes nothing.
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { removeFolders, temporaryFolder } from '../../scripts/bench/running.ts';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/log.ts';
import { openServices } from '../../src/services.ts';
import { MIGRATIONS, type Migration } from '../../src/store/migrations.ts';

const ADDED: Migration = {
  name: '9000_added',
  sql: 'create table added (n integer) strict; insert into added values (7);',
};
const FAILING: Migration = {
  name: '9001_failing',
  sql: 'create table half (n integer) strict; insert into nowhere values (1);',
};

let dataDir: string;

beforeEach(() => {
  dataDir = join(temporaryFolder(), 'data');
});

afterAll(removeFolders);

async function openAndClose(migrations: Migration[]): Promise<string[]> {
  const mask = process.umask();
  try {
    const config = readConfig({ flags: { 'data-dir': dataDir }, environment: {}, folder: dataDir });
    const services = await openServices({ config, log: openLog('silent', false), migrations });
    const names = services.database.migrations;
    await services.close();
    return names;
  } finally {
    process.umask(mask);
  }
}

function tablesOf(path: string): string[] {
  const database = new Database(path);
  const rows = database.prepare("select name from sqlite_schema where type = 'table'").all([]);
  database.close();
  return (rows as { name: string }[]).map((row) => row.name);
}

function copies(): string[] {
  return readdirSync(join(dataDir, 'set-aside')).map((name) => join(dataDir, 'set-aside', name));
}

test('the copy that is set aside is the database as it was, for its owner alone [PQRS-88]', async () => {
  await openAndClose(MIGRATIONS);
  const path = join(dataDir, 'pqrs.db');
  const before = new Database(path);
  before.exec("insert into instance (name, value) values ('kept', 'yes')");
  before.close();

  expect(await openAndClose([...MIGRATIONS, ADDED])).toEqual(
    [...MIGRATIONS, ADDED].map((migration) => migration.name),
  );
  expect(tablesOf(path)).toContain('added');
  const [copy, ...others] = copies();
  expect(others).toEqual([]);
  expect(copy).toContain(MIGRATIONS.at(-1)?.name ?? '');
  expect(statSync(copy ?? '').mode & 0o077).toBe(0);
  expect(tablesOf(copy ?? '')).not.toContain('added');
  const kept = new Database(copy ?? '');
  expect(kept.prepare('pragma integrity_check').raw(true).get([])).toEqual(['ok']);
  expect(kept.prepare("select value from instance where name = 'kept'").raw(true).get([])).toEqual([
    'yes',
  ]);
  kept.close();

  // Nothing to do any more: no second copy.
  await openAndClose([...MIGRATIONS, ADDED]);
  expect(copies()).toEqual([copy ?? '']);
});

test('a new data folder sets nothing aside', async () => {
  await openAndClose(MIGRATIONS);
  expect(readdirSync(dataDir)).not.toContain('set-aside');
});

test('a migration that fails leaves the database as it was, and the next try can succeed [PQRS-88]', async () => {
  await openAndClose(MIGRATIONS);
  const path = join(dataDir, 'pqrs.db');
  const tables = tablesOf(path);
  await expect(openAndClose([...MIGRATIONS, FAILING])).rejects.toThrow(/nowhere/);
  expect(tablesOf(path)).toEqual(tables);
  // The lock was given back, and nothing half done is in the way.
  expect(await openAndClose([...MIGRATIONS, ADDED])).toContain('9000_added');
});

test('the version before is refused once the new one has been there [PQRS-88]', async () => {
  await openAndClose([...MIGRATIONS, ADDED]);
  await expect(openAndClose(MIGRATIONS)).rejects.toThrow(/newer than this executable.*9000_added/);
});
