// A share is what it says and never more.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { shareOf } from '../../src/quality/runs/flaky.ts';

test('a share is all only of all, and of nothing there is none [PQRS-29]', () => {
  expect(shareOf(0, 0)).toEqual({ count: 0, total: 0, share: null });
  expect(shareOf(99_999, 100_000).share).toBe(0.9999);
  expect(shareOf(999_999, 1_000_000).share).toBe(0.9999);
  expect(shareOf(1, 3).share).toBe(0.3333);
  const counts = fc.nat(10_000_000).chain((total) => fc.tuple(fc.nat(total), fc.constant(total)));
  fc.assert(
    fc.property(counts, ([count, total]) => {
      const { share } = shareOf(count, total);
      if (share === null) expect(total).toBe(0);
      else {
        expect(share === 1).toBe(count === total);
        expect(share).toBeLessThanOrEqual(count / total);
        expect(share).toBeGreaterThan(count / total - 0.000_11);
      }
    }),
  );
});
