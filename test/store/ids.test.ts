// Identifiers and secrets.
import { describe, expect, test } from 'bun:test';
import { isId, newId, newSecret } from '../../src/store/ids.ts';

describe('an identifier', () => {
  test('has its prefix and 26 characters of Crockford base32', () => {
    for (const prefix of ['prj', 'tok', 'iss', 'att', 'log'] as const) {
      const id = newId(prefix);
      expect(id).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
      expect(isId(prefix, id)).toBe(true);
    }
  });

  test('is new each time, and sorts behind the ones before', () => {
    const ids = [...Array(5000)].map(() => newId('iss'));
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  test('is told from everything else', () => {
    const id = newId('iss');
    for (const other of [
      '',
      'iss_',
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      id.replace('iss', 'log'),
      `${id.slice(0, -1)}u`,
      ` ${id}`,
      `${id}\n`,
    ]) {
      expect(isId('iss', other)).toBe(false);
    }
  });
});

test('a secret has 256 bits, and is new each time', () => {
  const secrets = [...Array(1000)].map(newSecret);
  expect(new Set(secrets).size).toBe(secrets.length);
  for (const secret of secrets) expect(secret).toMatch(/^[01][0-9a-hjkmnp-tv-z]{51}$/);
  // Every character varies, the first among those that its one bit leaves.
  for (let at = 0; at < 52; at += 1) {
    expect(new Set(secrets.map((secret) => secret[at])).size).toBeGreaterThan(at === 0 ? 1 : 20);
  }
});
