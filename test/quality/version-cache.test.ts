// What is cached under versions is made again when one of them is another.
import { expect, test } from 'bun:test';
import { createVersionCache } from '../../src/quality/lists.ts';

const database = { onRecovered: () => () => {} };

test('a value is made once for each key, and again for another', async () => {
  const cache = createVersionCache<number>(database, () => 1);
  let made = 0;
  const ask = (name: string, ...key: unknown[]) => cache.get(name, key, async () => ++made);
  expect(await Promise.all([ask('a', 0), ask('a', 0), ask('b', 0)])).toEqual([1, 1, 2]);
  expect(await ask('a', 1)).toBe(3);
  expect(await ask('a', 1)).toBe(3);
  expect(await ask('b', 0)).toBe(2);
});

test('a value that could not be made is made again', async () => {
  const cache = createVersionCache<string>(database, () => 1);
  const failing = cache.get('a', [0], () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(await cache.get('a', [0], async () => 'a')).toBe('a');
});
