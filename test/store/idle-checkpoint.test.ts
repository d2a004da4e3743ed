// The database file alone, without its write-ahead log, is not far behind.
import { expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import Database from 'libsql';
import { openDatabase } from '../../src/store/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MIGRATIONS = [{ name: '0001_notes', sql: 'create table notes (text text) strict;' }];
const WITHIN_MS = 20_000;

test('a copy of the file alone has all rows soon after the last commit, also where writes go on', async () => {
  const folder = temporaryFolder('idle');
  const path = join(folder, 'a.db');
  const database = await openDatabase({
    location: { path, backups: join(folder, 'set-aside') },
    writesPerCommit: 1000,
    migrations: MIGRATIONS,
  });
  const add = () =>
    database.write(async (db) => void (await db.run(sql`insert into notes values ('one')`)));
  const inCopy = (): number => {
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    const opened = new Database(copy);
    try {
      const [count] = opened.prepare('select count(*) from notes').raw(true).get([]) as number[];
      return count ?? 0;
    } catch {
      return 0;
    } finally {
      opened.close();
    }
  };
  const untilCopied = async (rows: number, meanwhile: () => Promise<void>) => {
    const end = performance.now() + WITHIN_MS;
    while (inCopy() < rows && performance.now() < end) {
      await meanwhile();
      await Bun.sleep(100);
    }
    expect(inCopy()).toBeGreaterThanOrEqual(rows);
  };
  for (let row = 0; row < 50; row++) await add();
  await untilCopied(50, async () => {});
  await untilCopied(51, add);
  await database.close();
}, 60_000);
