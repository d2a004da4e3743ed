// Work of one key is done one piece after the other, and what waits is done together.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { together } from '../../src/assurance/state/write-on-state.ts';

test('whatever comes, all of it is done once, in order, and never two of a key at a time', async () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b'), turns: fc.nat(3), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const busy = new Set<string>();
      const done: Record<string, number[]> = { a: [], b: [] };
      const failing = new Set(steps.flatMap(({ fails }, at) => (fails ? [at] : [])));
      const give = together<number>(async (key, given) => {
        expect(busy.has(key)).toBe(false);
        busy.add(key);
        await Bun.sleep(0);
        busy.delete(key);
        done[key]?.push(...given);
        if (given.some((at) => failing.has(at))) throw new Error('failed');
      });
      const waiting: Promise<void>[] = [];
      for (const [at, { key, turns }] of steps.entries()) {
        const given = give(key, at);
        given.catch(() => {});
        waiting.push(given);
        for (let turn = 0; turn < turns; turn += 1) await Bun.sleep(0);
      }
      const ends = await Promise.allSettled(waiting);
      for (const [at, end] of ends.entries()) {
        if (failing.has(at)) expect(end.status).toBe('rejected');
      }
      if (failing.size === 0) expect(ends.every(({ status }) => status === 'fulfilled')).toBe(true);
      for (const key of ['a', 'b']) {
        const given = steps.flatMap((one, at) => (one.key === key ? [at] : []));
        expect(done[key]).toEqual(given);
      }
    }),
    { numRuns: 60 },
  );
});

test('what comes while work is under way is done together behind it', async () => {
  const seen: (readonly string[])[] = [];
  const first = Promise.withResolvers<void>();
  const give = together<string>(async (_key, given) => {
    seen.push(given);
    if (seen.length === 1) await first.promise;
  });
  const one = give('k', '1');
  await Bun.sleep(0);
  const others = [give('k', '2'), give('k', '3')];
  const apart = give('other', '4');
  await apart;
  first.resolve();
  await Promise.all([one, ...others]);
  expect(seen).toEqual([['1'], ['4'], ['2', '3']]);
});
