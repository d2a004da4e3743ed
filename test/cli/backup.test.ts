// `pqrs backup` and `pqrs restore` as they are typed, with and without a server.
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { readConfig } from '../../src/config.ts';
import { openLog } from '../../src/log.ts';
import { openServices } from '../../src/services.ts';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import { VERSION } from '../../src/version.ts';
import { openWorkplace } from '../support/running-executable.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SMALL_DISK = { PQRS_FREE_DISK_BYTES: '0' };

describe('pqrs backup and pqrs restore [PQRS-90]', () => {
  test('work with and without a server, to a file and through a pipe', async () => {
    const { folder, run, serve } = await openWorkplace('backup');
    const pqrs = (...args: string[]) => run(args, SMALL_DISK);
    const data = ['--data-dir', 'data'];
    expect((await pqrs('init', ...data)).code).toBe(0);
    expect((await pqrs('backup', 'alone.tar', ...data)).code).toBe(0);
    const server = await serve(data, SMALL_DISK);
    const made = await pqrs('backup', 'served.tar', '--json', ...data);
    expect(JSON.parse(made.out)).toMatchObject({ missing: [], withKeys: false });
    const piped = Bun.spawnSync(['sh', '-c', './pqrs backup - --data-dir data > piped.tar'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...SMALL_DISK },
    });
    expect(piped.exitCode).toBe(0);
    writeFileSync(join(folder, 'pass'), 'correct horse battery\n');
    const keys = ['--with-keys', '--passphrase-file', 'pass'];
    expect((await pqrs('backup', 'keys.tar', ...keys, ...data)).code).toBe(0);
    expect((await server.stop()).code).toBe(0);

    for (const name of ['alone', 'served', 'piped', 'keys'])
      expect((await pqrs('restore', `${name}.tar`, '--verify')).code).toBe(0);
    const restored = await pqrs('restore', 'keys.tar', ...keys.slice(1), '--data-dir', 'new');
    expect(restored.code).toBe(0);
    expect((await pqrs('restore', 'piped.tar', '--data-dir', 'new')).code).toBe(1);
    expect((await pqrs('restore', 'piped.tar', '--new-keys', '--data-dir', 'keyed')).code).toBe(0);
    for (const name of ['new', 'keyed']) {
      expect((await pqrs('doctor', '--data-dir', name)).out).toBe('nothing is wrong\n');
    }
    const again = await serve(['--data-dir', 'new'], SMALL_DISK);
    expect((await again.stop()).code).toBe(0);
    expect(readdirSync(folder).filter((name) => /partial|pqrs-restore/.test(name))).toEqual([]);
  });

  test('refuse what cannot be done, and leave nothing', async () => {
    const { folder, run } = await openWorkplace('backup-refused');
    expect((await run(['init'])).code).toBe(0);
    for (const [args, code] of [
      [['backup'], 2],
      [['backup', 'no/such/folder.tar'], 1],
      [['backup', 'a.tar', '--with-keys'], 2],
      [['restore', 'none.tar', '--data-dir', 'new'], 1],
      [['restore', 'pqrs', '--data-dir', 'new'], 1],
      [['restore', '--set-aside', 'LATEST'], 1],
    ] as const) {
      const ended = await run([...args], SMALL_DISK);
      expect({ args, code: ended.code, lines: ended.err.trim().split('\n').length }).toEqual({
        ...{ args, code, lines: 1 },
      });
    }
    expect(existsSync(join(folder, 'new'))).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['pqrs', 'pqrs-data']);
  });
});

describe('pqrs restore --set-aside [PQRS-88]', () => {
  test('brings back the database of before a migration, and names its version', async () => {
    const { folder, run, serve } = await openWorkplace('set-aside');
    const dataDir = join(folder, 'pqrs-data');
    const mask = process.umask();
    const config = readConfig({ flags: { 'data-dir': dataDir }, environment: {}, folder });
    const log = openLog('silent', false);
    await (await openServices({ config, log, migrations: MIGRATIONS })).close();
    const later = { name: '9000_later', sql: 'create table later (n integer) strict;' };
    await (await openServices({ config, log, migrations: [...MIGRATIONS, later] })).close();
    process.umask(mask);
    // This version does not know the migration.
    expect((await run(['token', 'list'])).code).toBe(1);
    const back = await run(['restore', '--set-aside', 'LATEST', '--json']);
    expect(JSON.parse(back.out)).toMatchObject({
      version: VERSION,
      migration: MIGRATIONS.at(-1)?.name,
      replaced: expect.stringMatching(/^replaced-\d+\.db$/),
    });
    const { replaced } = JSON.parse(back.out) as { replaced: string };
    const old = new Database(join(dataDir, 'set-aside', replaced));
    expect(old.prepare('select count(*) from later').raw(true).get([])).toEqual([0]);
    old.close();
    expect(statSync(join(dataDir, 'pqrs.db')).mode & 0o077).toBe(0);
    const server = await serve();
    expect((await run(['restore', '--set-aside', 'LATEST'])).code).toBe(1);
    expect((await server.stop()).code).toBe(0);
  });
});

test('settings of the schedule are read as times [PQRS-83]', () => {
  const read = (every: string) =>
    readConfig({
      flags: {},
      environment: { PQRS_BACKUP_EVERY: every },
      folder: temporaryFolder('config'),
    }).backupEvery;
  expect([read('30m'), read('24h'), read('7d'), read('90s')]).toEqual([
    1_800_000, 86_400_000, 604_800_000, 90_000,
  ]);
  for (const bad of ['', '0h', '24', '1.5h', '1 h', 'daily', '-1h'])
    expect(() => read(bad)).toThrow(/PQRS_BACKUP_EVERY/);
});
