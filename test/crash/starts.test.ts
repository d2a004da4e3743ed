// Starts that must be refused, with a line that says why, and starts over what a crash has left.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { openClient } from '../../scripts/bench/client.ts';
import {
  makeToken,
  removeFolders,
  startPqrs,
  temporaryFolder,
} from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';
import { expectOneLine } from '../support/one-line.ts';
import { mountSmallDisk } from './small-disk.ts';

let executable: string;

beforeAll(async () => {
  executable = await executablePath();
}, 120_000);

afterAll(removeFolders);

function run(...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, ...args], {
    env: {},
    timeout: 10_000,
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

function serve(dataDir: string) {
  return run('serve', '--data-dir', dataDir, '--port', '0');
}

test('a second process on the same data folder is refused, and the first one goes on [PQRS-82]', async () => {
  const first = await startPqrs(executable);
  const { exitCode, stdout, stderr } = serve(first.dataDir);
  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expectOneLine(stderr, /^pqrs: another pqrs process uses this data folder$/m);
  const client = await openClient(first.port);
  await client.askJson({ method: 'GET', path: '/api/ready', token: first.token });
  client.close();
  expect(await first.stop()).toBe(0);
});

test('of several processes that start at once on a new data folder one wins [PQRS-82]', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const starts = await Promise.allSettled(
    Array.from({ length: 5 }, () => startPqrs(executable, {}, dataDir)),
  );
  const winners = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  expect(winners).toHaveLength(1);
  for (const start of starts) {
    if (start.status === 'rejected') expect(String(start.reason)).toContain('another pqrs process');
  }
  expect(await winners[0]?.stop()).toBe(0);
}, 20_000);

test('a database of a newer version is refused and left as it is [PQRS-88]', () => {
  const dataDir = join(temporaryFolder(), 'data');
  expect(run('init', '--data-dir', dataDir).exitCode).toBe(0);
  const path = join(dataDir, 'pqrs.db');
  const future = new Database(path);
  future.exec("insert into migrations (name, applied_at) values ('9999_future', 1)");
  future.close();
  for (const refused of [serve(dataDir), run('token', 'list', '--data-dir', dataDir)]) {
    expect(refused.exitCode).toBe(1);
    expectOneLine(refused.stderr, /newer than this executable.*9999_future/);
  }
  const after = new Database(path);
  const names = after.prepare('select name from migrations order by name').all([]) as {
    name: string;
  }[];
  after.close();
  expect(names.map((row) => row.name)).toContain('9999_future');
});

test.each([
  ['is no database', (path: string) => writeFileSync(path, 'no database, but '.repeat(1000))],
  ['is damaged', damage],
])('a database file that %s is named', (_, change) => {
  const dataDir = join(temporaryFolder(), 'data');
  expect(run('init', '--data-dir', dataDir).exitCode).toBe(0);
  const path = join(dataDir, 'pqrs.db');
  change(path);
  for (const refused of [serve(dataDir), run('token', 'list', '--data-dir', dataDir)]) {
    expect(refused.exitCode).toBe(1);
    expectOneLine(refused.stderr, /^pqrs: .* cannot be read as a database/);
    expect(refused.stderr).toContain(path);
  }
});

test('a folder in the place of the database file is named', () => {
  const dataDir = join(temporaryFolder(), 'data');
  expect(run('init', '--data-dir', dataDir).exitCode).toBe(0);
  const path = join(dataDir, 'pqrs.db');
  rmSync(path);
  mkdirSync(path);
  const refused = serve(dataDir);
  expect(refused.exitCode).toBe(1);
  expectOneLine(refused.stderr, /^pqrs: .* cannot be opened/);
  expect(refused.stderr).toContain(path);
});

/** Writes over all of a database but its first page. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, 4096));
}

test('after a kill the socket that was left behind is in nobody’s way [PQRS-84]', async () => {
  const first = await startPqrs(executable);
  const socket = join(first.dataDir, 'admin.sock');
  await first.kill();
  expect(existsSync(socket)).toBe(true);
  // No server answers there: the command opens the database itself.
  expect(run('token', 'list', '--data-dir', first.dataDir).exitCode).toBe(0);
  const again = await startPqrs(executable, {}, first.dataDir);
  const token = makeToken(executable, first.dataDir, 'agent:execute');
  const client = await openClient(again.port);
  await client.askJson({ method: 'GET', path: '/api/health', token });
  client.close();
  expect(await again.stop()).toBe(0);
  expect(existsSync(socket)).toBe(false);
});

describe('on a disk that cannot be written', () => {
  const disk = mountSmallDisk(32);
  const reason = typeof disk === 'string' ? disk : undefined;
  if (reason !== undefined) console.log(`The test of a read-only disk is skipped: ${reason}`);
  afterAll(() => {
    if (typeof disk !== 'string') disk.unmount();
  });

  test.skipIf(reason !== undefined)(
    'a start is refused, and works again on a writable one',
    async () => {
      if (typeof disk === 'string') return;
      const dataDir = join(disk.path, 'data');
      expect(run('init', '--data-dir', dataDir).exitCode).toBe(0);
      disk.remount('ro');
      const refused = serve(dataDir);
      expect(refused.exitCode).toBe(1);
      expectOneLine(refused.stderr, /read-only|cannot be written|EROFS/i);
      expect(refused.stderr).not.toContain('another pqrs process');
      disk.remount('rw');
      const server = await startPqrs(executable, {}, dataDir);
      expect(await server.stop()).toBe(0);
      rmSync(dataDir, { recursive: true });
    },
    20_000,
  );
});
