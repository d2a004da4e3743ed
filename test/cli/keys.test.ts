// `pqrs keys show`: the same key with and without a server.
import { describe, expect, test } from 'bun:test';
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
    const first = run('keys', 'show', '--data-dir', dataDir);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/^ed25519:[\w-]{43}\n$/);
    const json = run('keys', 'show', '--json', '--data-dir', dataDir);
    expect(JSON.parse(json.out)).toEqual({ publicKey: first.out.trim() });
  });

  test('has help, and refuses words that mean nothing', () => {
    expect(run('keys', 'show', '--help').out).toContain('public key');
    expect(run('keys', 'show', 'now', '--data-dir', dataDir).code).toBe(2);
  });
});
