// `pqrs keys show`: the same key with and without a server.
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = join(import.meta.dir, '../..');
const dataDir = temporaryFolder('keys');

function run(...args: string[]) {
  const child = Bun.spawnSync([process.execPath, 'src/main.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '' },
  });
  return { code: child.exitCode, out: child.stdout.toString(), err: child.stderr.toString() };
}

describe('pqrs keys show [PQRS-36]', () => {
  test('prints the public key, the same each time, and nothing of the private one', () => {
    expect(run('init', '--data-dir', dataDir).code).toBe(0);
    const first = run('keys', 'show', '--data-dir', dataDir);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/^ed25519:[\w-]{43}\n$/);
    const json = run('keys', 'show', '--json', '--data-dir', dataDir);
    expect(JSON.parse(json.out)).toEqual({ publicKey: first.out.trim(), earlier: [] });
  });

  test('makes no key where there is no instance', () => {
    for (const folder of [join(dataDir, 'typo'), temporaryFolder('keys-none')]) {
      expect(run('keys', 'show', '--data-dir', folder)).toEqual({
        ...{ code: 1, out: '' },
        err: `pqrs: there is no data folder at ${folder}; pqrs init makes one\n`,
      });
      expect(existsSync(join(folder, 'keys'))).toBe(false);
    }
  });

  test('has help, and refuses words that mean nothing', () => {
    expect(run('keys', 'show', '--help').out).toContain('public key');
    expect(run('keys', 'show', 'now', '--data-dir', dataDir).code).toBe(2);
  });
});

describe('pqrs keys rotate [PQRS-92]', () => {
  test('bundle: a new public key, the earlier one after it', () => {
    const before = run('keys', 'show', '--data-dir', dataDir).out.trim();
    const rotated = run('keys', 'rotate', 'bundle', '--json', '--data-dir', dataDir);
    expect(rotated.code).toBe(0);
    const { key, earlier } = JSON.parse(rotated.out);
    expect(earlier).toEqual([before]);
    const shown = run('keys', 'show', '--data-dir', dataDir).out.trim().split('\n');
    expect(shown).toEqual([key, `${before} (earlier)`]);
  });

  test.each(['signing', 'sealing'])('%s, without a server', (kind) => {
    const rotated = run('keys', 'rotate', kind, '--json', '--data-dir', dataDir);
    expect(rotated).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(rotated.out)).toMatchObject({ kind, unreadable: 0 });
  });

  test('refuses another kind', () => {
    expect(run('keys', 'rotate', 'all', '--data-dir', dataDir).code).toBe(2);
    expect(run('keys', 'rotate', '--data-dir', dataDir).code).toBe(2);
  });
});
