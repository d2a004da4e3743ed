// libsql inside the compiled executable: its addon is kept in the data folder, is replaced when it
// is damaged, and does not need a usable temporary folder.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deferAddon } from '../../scripts/build-libsql.ts';
import { missingFromSystem } from '../../src/runtime/native.ts';

const buildScript = new URL('../../scripts/build.ts', import.meta.url).pathname;
let folder: string;
let probe: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pqrs-test-'));
  probe = join(folder, 'probe');
  const entry = new URL('./probe.ts', import.meta.url).pathname;
  const built = run([process.execPath, buildScript, '--entry', entry, '--outfile', probe]);
  expect(built).toEqual({ stdout: '', stderr: '', exitCode: 0 });
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string[], env: Record<string, string> = {}, cwd = folder) {
  const { stdout, stderr, exitCode } = Bun.spawnSync(command, { cwd, env });
  return { stdout: stdout.toString(), stderr: stderr.toString(), exitCode };
}

/** Runs a command with TMPDIR on a file system of its own, which ends with the command. */
function inMount(options: string, mountPoint: string, command: string[]) {
  const script =
    'mount -t tmpfs -o "$1" tmpfs "$2" && TMPDIR="$2" && export TMPDIR && shift 2 && exec "$@"';
  const namespace = ['unshare', '--mount', '--map-root-user', 'sh', '-c', script, 'sh'];
  try {
    const env = { PATH: process.env.PATH ?? '' };
    return run([...namespace, options, mountPoint, ...command], env, tmpdir());
  } catch (error) {
    return { stdout: '', stderr: String(error), exitCode: -1 };
  }
}

function newFolder(name: string): string {
  return mkdtempSync(join(folder, `${name}-`));
}

function copies(dataFolder: string): string[] {
  return readdirSync(join(dataFolder, '.native')).map((name) => join(dataFolder, '.native', name));
}

const rows = (n: number) => ({ stdout: `rows ${n}\n`, stderr: '', exitCode: 0 });

describe('the copy of the addon', () => {
  test('is one private read-only file in the data folder, and none is left in TMPDIR', () => {
    const data = newFolder('data');
    const temporary = newFolder('temporary');
    expect(run([probe, 'database', data], { TMPDIR: temporary })).toEqual(rows(1));
    const found = copies(data);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/\/libsql-[0-9a-f]{16}\.node$/);
    expect(statSync(found[0]!).mode & 0o777).toBe(0o500);
    expect(statSync(join(data, '.native')).mode & 0o777).toBe(0o700);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('is used again, not written again', () => {
    const data = newFolder('data');
    run([probe, 'database', data]);
    const before = statSync(copies(data)[0]!, { bigint: true });
    expect(run([probe, 'database', data])).toEqual(rows(2));
    const after = statSync(copies(data)[0]!, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  test.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, 1000)],
    ['changed in one byte', (bytes: Buffer) => bytes.fill(~bytes[5000]!, 5000, 5001)],
  ])('is replaced when it is %s', (_, damage) => {
    const data = newFolder('data');
    run([probe, 'database', data]);
    const copy = copies(data)[0]!;
    const whole = readFileSync(copy);
    chmodSync(copy, 0o700);
    writeFileSync(copy, damage(Buffer.from(whole)));
    expect(run([probe, 'database', data])).toEqual(rows(2));
    expect(copies(data)).toEqual([copy]);
    expect(readFileSync(copy).equals(whole)).toBe(true);
  });

  describe('in the temporary folder, where the data folder cannot hold it,', () => {
    const runWithoutDataFolder = (temporary: string) => {
      const data = newFolder('data');
      const file = join(data, 'file');
      writeFileSync(file, '');
      return run([probe, 'database', data, file], { TMPDIR: temporary });
    };
    const ownFolder = `pqrs-native-${process.getuid?.() ?? 'user'}`;

    test('is in a folder that only this user may read', () => {
      const temporary = newFolder('temporary');
      expect(runWithoutDataFolder(temporary)).toEqual(rows(1));
      expect(readdirSync(temporary)).toEqual([ownFolder]);
      expect(statSync(join(temporary, ownFolder)).mode & 0o777).toBe(0o700);
      expect(runWithoutDataFolder(temporary)).toEqual(rows(1));
    });

    test('is not taken from a folder that others may write', () => {
      const temporary = newFolder('temporary');
      mkdirSync(join(temporary, ownFolder));
      chmodSync(join(temporary, ownFolder), 0o777);
      const { stderr, exitCode } = runWithoutDataFolder(temporary);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('is not a folder that only this user may write');
      expect(readdirSync(join(temporary, ownFolder))).toEqual([]);
    });
  });

  test('is made by several processes that start at once', async () => {
    const data = newFolder('data');
    const processes = Array.from({ length: 4 }, () =>
      Bun.spawn([probe, 'database', newFolder('own'), data], { env: {} }),
    );
    expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
    expect(copies(data)).toHaveLength(1);
  });
});

describe('with a temporary folder that is', () => {
  const mayMount = process.platform === 'linux' && inMount('rw', tmpdir(), ['true']).exitCode === 0;
  if (!mayMount) console.log('skipped: no file system can be mounted here (unshare, mount)');

  const mounts = [
    { state: 'without execution', options: 'rw,noexec', reason: 'failed to map segment' },
    { state: 'read-only', options: 'ro', reason: 'EROFS' },
  ];

  test.skipIf(!mayMount).each(mounts)('$state, it needs only the data folder', ({ options }) => {
    const data = newFolder('data');
    expect(inMount(options, newFolder('mount'), [probe, 'database', data])).toEqual(rows(1));
    expect(copies(data)).toHaveLength(1);
  });

  test.skipIf(!mayMount).each(mounts)('$state, with no data folder either, it says so', (mount) => {
    const command = [probe, 'database', newFolder('data'), 'none'];
    const { stderr, exitCode } = inMount(mount.options, newFolder('mount'), command);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('must be writable and allow execution');
    expect(stderr).toContain('prepareNative was not called');
    expect(stderr).toContain(mount.reason);
  });
});

describe('a library that the system lacks', () => {
  test.each([
    ['libgcc_s.so.1: cannot open shared object file: No such file or directory', 'libgcc_s.so.1'],
    ["/lib/libc.so.6: version `GLIBC_2.18' not found (required by /x/a.node)", 'GLIBC_2.18'],
    [
      'Error loading shared library libgcc_s.so.1: No such file or directory (needed by /x/a.node)',
      'libgcc_s.so.1',
    ],
    ['/x/a.node: failed to map segment from shared object', undefined],
    ['/x/a.node: cannot open shared object file: No such file or directory', undefined],
  ])('is known by the message %s', (text, name) => {
    expect(missingFromSystem(text)).toBe(name);
  });

  const root = newRootWithoutLibgcc();
  afterAll(() => root !== '' && rmSync(root, { recursive: true, force: true }));
  const inRoot = (...command: string[]) => {
    const script =
      'mount --rbind /proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"';
    const namespace = ['unshare', '--mount', '--map-root-user', 'sh', '-c', script, 'sh'];
    return Bun.spawnSync([...namespace, root, ...command]);
  };

  test.skipIf(root === '')('is named, and no folder is blamed', () => {
    copyFileSync(probe, join(root, 'probe'));
    chmodSync(join(root, 'probe'), 0o755);
    if (inRoot('/probe', 'env', 'X').stdout.toString() !== 'unset\n') {
      return console.log('skipped: no other root can be had here (unshare, mount, chroot)');
    }
    const { stderr, exitCode } = inRoot('/probe', 'database', '/data');
    expect(exitCode).toBe(1);
    expect(stderr.toString()).toMatch(/^LibraryUnavailable: .* libgcc_s\.so\.1\b/m);
  });
});

/** A root folder with the libraries of Bun itself; empty where it is not linked as on glibc. */
function newRootWithoutLibgcc(): string {
  const ldd = process.platform === 'linux' ? Bun.spawnSync(['ldd', process.execPath]) : undefined;
  const libraries = [...(ldd?.stdout.toString() ?? '').matchAll(/(\/\S+) \(0x/g)];
  if (!libraries.some(([, path = '']) => path.endsWith('/libc.so.6'))) return '';
  const root = mkdtempSync(join(tmpdir(), 'pqrs-root-'));
  for (const [, path = ''] of libraries) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(path, join(root, path));
    chmodSync(join(root, path), 0o755);
  }
  for (const name of ['proc', 'dev', 'data']) mkdirSync(join(root, name));
  return root;
}

describe('the rest of the executable', () => {
  test('reads no .env of the folder it is started in', () => {
    const cwd = newFolder('cwd');
    writeFileSync(join(cwd, '.env'), 'PROBE=from-file\n');
    expect(run([probe, 'env', 'PROBE'], {}, cwd).stdout).toBe('unset\n');
    expect(run([probe, 'env', 'PROBE'], { PROBE: 'given' }, cwd).stdout).toBe('given\n');
    const plainBun = [process.execPath, '-p', 'process.env.PROBE'];
    expect(run(plainBun, {}, cwd).stdout).toBe('from-file\n');
  });

  test('speaks to a remote database without the addon', () => {
    const data = newFolder('data');
    expect(run([probe, 'remote', 'http://127.0.0.1:1'], {}, data).stdout).toBe('TypeError\n');
    expect(readdirSync(data)).toEqual([]);
  });

  test('keeps the names that Elysia reads in its handlers', () => {
    expect(run([probe, 'elysia'])).toEqual({
      stdout: '200 {"id":"7","limit":3,"accept":"text/x"}\n',
      stderr: '',
      exitCode: 0,
    });
  });
});

describe('the change to libsql', () => {
  test('refuses a source that loads its addon in another way', () => {
    const changed = 'const { open } = requireNative();';
    expect(() => deferAddon(changed, 'libsql/index.js')).toThrow('libsql/index.js does not load');
    expect(() => deferAddon('', 'libsql/index.js')).toThrow('adapt scripts/build-libsql.ts');
  });

  test('makes each function load the addon', () => {
    const source =
      'function requireNative() {\n  return 0;\n}\nconst { databaseOpen, databaseOpenWithSync, rowsNext } = requireNative();\n';
    const text = deferAddon(source, 'index.js');
    expect(text).not.toContain('requireNative');
    expect(text).toContain('let databaseOpen, databaseOpenWithSync, rowsNext;');
    expect(text.match(/\{ loadAddonOnce\(\); return/g)).toHaveLength(3);
  });
});
