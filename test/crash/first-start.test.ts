// First starts that are killed, or cannot write: none makes a project whose token is nowhere, and each is
// reported in one line. The long version of the kills is test/long/first-start.campaign.ts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolders, temporaryFolder } from '../../scripts/bench/running.ts';
import { executablePath } from '../support/executable.ts';
import { expectOneLine } from '../support/one-line.ts';
import { firstStartRounds, whatIsLost } from './first-start-rounds.ts';
import { mountSmallDisk } from './small-disk.ts';

let executable: string;

beforeAll(async () => {
  executable = await executablePath();
}, 120_000);

afterAll(removeFolders);

function run(...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, ...args], {
    env: { PQRS_FREE_DISK_BYTES: '0' },
    timeout: 10_000,
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

const init = (dataDir: string) => run('init', '--demo', '--data-dir', dataDir);

describe('the tokens of a first start [PQRS-84]', () => {
  test('are in their files whenever it is killed', async () => {
    const report = await firstStartRounds({
      executable,
      rounds: 3,
      momentOf: (round) => [undefined, 0.1, 0.6][round],
    });
    expect(report.broken).toEqual([]);
    expect(report.before).toBeGreaterThan(0);
  }, 120_000);

  test.each(['owner.token', 'demo.token'])(
    'are made later where a folder lies in the place of %s',
    (name) => {
      const dataDir = join(temporaryFolder(), 'data');
      mkdirSync(join(dataDir, name), { recursive: true });
      const refused = init(dataDir);
      expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
      expectOneLine(refused.stderr, new RegExp(`^pqrs: EISDIR: .*${name}`));
      expect(readdirSync(dataDir).filter((one) => one.endsWith('.tmp'))).toEqual([]);
      rmSync(join(dataDir, name), { recursive: true });
      expect(init(dataDir)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(whatIsLost(dataDir)).toEqual([]);
    },
  );

  test('are made where it was killed while it wrote the ids', () => {
    const dataDir = join(temporaryFolder(), 'data');
    mkdirSync(join(dataDir, 'files'), { recursive: true });
    writeFileSync(join(dataDir, 'folder.id'), `${crypto.randomUUID()}\n`);
    writeFileSync(join(dataDir, 'files/folder.id'), '');
    expect(init(dataDir)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(whatIsLost(dataDir)).toEqual([]);
    const ids = ['', 'files', 'keys'].map((part) =>
      readFileSync(join(dataDir, part, 'folder.id'), 'utf8'),
    );
    expect(new Set(ids).size).toBe(1);
  });

  test('are refused beside the token of another instance, and stay where there is a project', () => {
    const dataDir = join(temporaryFolder(), 'data');
    const file = join(dataDir, 'owner.token');
    mkdirSync(dataDir);
    writeFileSync(file, 'pqrs_of_another_start\n');
    const refused = init(dataDir);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expectOneLine(refused.stderr, /owner\.token/);
    expect(readFileSync(file, 'utf8')).toBe('pqrs_of_another_start\n');
    rmSync(file);
    expect(init(dataDir).exitCode).toBe(0);
    expect(whatIsLost(dataDir)).toEqual([]);
    writeFileSync(file, 'what its user put there\n');
    rmSync(join(dataDir, 'demo.token'));
    expect(init(dataDir).exitCode).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('what its user put there\n');
    expect(existsSync(join(dataDir, 'demo.token'))).toBe(false);
  });
});

describe('on a disk that is full [PQRS-84]', () => {
  const disk = mountSmallDisk(32);
  const reason = typeof disk === 'string' ? disk : undefined;
  if (reason !== undefined) console.log(`The test of a full disk is skipped: ${reason}`);
  afterAll(() => {
    if (typeof disk !== 'string') disk.unmount();
  });

  test.skipIf(reason !== undefined)(
    'a first start is reported in one line, and with space again the next one makes all',
    () => {
      if (typeof disk === 'string') return;
      const filler = join(disk.path, 'filler');
      const dataDir = join(disk.path, 'data');
      let refusals = 0;
      for (const kibibytes of FREE_KIBIBYTES) {
        fill(filler, kibibytes * 1024);
        const { exitCode, stderr, stdout } = init(dataDir);
        if (exitCode !== 0) {
          refusals++;
          expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
          expectOneLine(stderr, /^pqrs: .*(?:no space left|disk is full|unable to open|disk I\/O)/);
          expect(stderr).not.toContain('another pqrs process');
        }
        rmSync(filler);
        expect(init(dataDir)).toMatchObject({ exitCode: 0, stderr: '' });
        expect(whatIsLost(dataDir), `with space for ${kibibytes} KiB`).toEqual([]);
        rmSync(dataDir, { recursive: true });
      }
      expect(refusals).toBeGreaterThan(2);
    },
    60_000,
  );
});

/** The library of the database, which goes elsewhere where it has no space, takes 9500. */
const FREE_KIBIBYTES = [0, 256, 700, 9500, 10_240];

/** Fills the disk but for so many bytes. */
function fill(path: string, leave: number): void {
  const piece = Buffer.alloc(2 ** 13);
  try {
    for (;;) writeFileSync(path, piece, { flag: 'a' });
  } catch {
    const { size } = Bun.file(path);
    writeFileSync(path, Buffer.alloc(Math.max(0, size - leave)));
  }
}
