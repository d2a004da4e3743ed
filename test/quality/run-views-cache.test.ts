// Views are kept until what they are made of changes, and made one at a time.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createViewCache } from '../../src/quality/runs/views/cache.ts';
import { createTop } from '../../src/quality/runs/views/top.ts';

describe('a view', () => {
  test('is made once for each count', async () => {
    const cache = createViewCache();
    let made = 0;
    const ask = (name: string, count: number) => cache.get(name, count, async () => ++made);
    expect(await Promise.all([ask('a', 0), ask('a', 0), ask('b', 0)])).toEqual([1, 1, 2]);
    expect(await ask('a', 0)).toBe(1);
    expect(await ask('a', 1)).toBe(3);
    expect(await ask('b', 0)).toBe(2);
    cache.clear();
    expect(await ask('b', 0)).toBe(4);
  });

  test('is made after those that were asked for before', async () => {
    const cache = createViewCache();
    const order: string[] = [];
    const slow = (name: string) =>
      cache.get(name, 0, async () => {
        order.push(`begin ${name}`);
        await new Promise((next) => setImmediate(next));
        order.push(`end ${name}`);
      });
    await Promise.all(['a', 'b', 'c'].map(slow));
    expect(order).toEqual(['a', 'b', 'c'].flatMap((name) => [`begin ${name}`, `end ${name}`]));
  });

  test('that failed is made again, and holds up no other', async () => {
    const cache = createViewCache();
    const failing = cache.get('a', 0, async () => {
      throw new Error('no');
    });
    const other = cache.get('b', 0, async () => 'b');
    await expect(failing).rejects.toThrow('no');
    expect(await other).toBe('b');
    expect(await cache.get('a', 0, async () => 'a')).toBe('a');
  });

  test('goes when many others were asked for since', async () => {
    const cache = createViewCache();
    let made = 0;
    const ask = (name: string) => cache.get(name, 0, async () => ++made);
    await ask('first');
    for (let at = 0; at < 31; at += 1) await ask(`${at}`);
    expect(await ask('first')).toBe(1);
    for (let at = 0; at < 32; at += 1) await ask(`x${at}`);
    expect(await ask('first')).toBe(65);
  });
});

test('the first of many are those of the whole in order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer()), fc.integer({ min: 1, max: 9 }), (items, most) => {
      const ascending = (a: number, b: number) => a - b;
      const top = createTop(most, ascending);
      for (const item of items) top.add(item);
      expect(top.list()).toEqual(items.toSorted(ascending).slice(0, most));
    }),
  );
});
