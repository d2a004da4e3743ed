// `pqrs keys show`: the same key with and without a server.
import { describe, expect, test } from 'bun:test';
import { openWorkplace } from '../support/running-executable.ts';

const place = await openWorkplace('keys');
const run = (...args: string[]) => place.run(args);

describe('pqrs keys show [PQRS-36]', () => {
  test('prints the public key, the same each time, and nothing of the private one', async () => {
    expect((await run('init')).code).toBe(0);
    const first = await run('keys', 'show');
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/^ed25519:[\w-]{43}\n$/);
    const json = await run('keys', 'show', '--json');
    expect(JSON.parse(json.out)).toEqual({ publicKey: first.out.trim(), earlier: [] });
  });
});

describe('pqrs keys rotate [PQRS-92]', () => {
  test('bundle: a new public key, the earlier one after it', async () => {
    const before = (await run('keys', 'show')).out.trim();
    const rotated = await run('keys', 'rotate', 'bundle', '--json');
    expect(rotated.code).toBe(0);
    const { key, earlier } = JSON.parse(rotated.out);
    expect(earlier).toEqual([before]);
    const shown = (await run('keys', 'show')).out.trim().split('\n');
    expect(shown).toEqual([key, `${before} (earlier)`]);
  });

  test.each(['signing', 'sealing'])('%s, without a server', async (kind) => {
    const rotated = await run('keys', 'rotate', kind, '--json');
    expect(rotated).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(rotated.out)).toMatchObject({ kind, unreadable: 0 });
  });

  test('refuses another kind', async () => {
    expect((await run('keys', 'rotate', 'all')).code).toBe(2);
    expect((await run('keys', 'rotate')).code).toBe(2);
    expect((await run('keys', 'show', 'now')).code).toBe(2);
  });
});
