// Token buckets: what any order of calls may take, and what their headers say.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createRateLimiter, type RateLimiter } from '../../src/http/api/guard.ts';

/** What the headers say is left. */
function leftOf(limiter: RateLimiter, key: string, now: number): number {
  return Number(/r=(\d+)/.exec(limiter.headers(key, now).RateLimit ?? '')?.[1]);
}

const rule = { name: 'test', burst: 20, amount: 60, perMs: 60_000 };

describe('a bucket [PQRS-71]', () => {
  test('asked for more than it holds says when it is full, and gives nothing', () => {
    const limiter = createRateLimiter({ ...rule, burst: 10 });
    expect(limiter.take('a', 4, 0)).toBe(0);
    expect(limiter.take('a', 50, 0)).toBe(4000);
    expect(leftOf(limiter, 'a', 0)).toBe(6);
  });

  test('never gives more than burst and what flowed in, and what it says to wait is enough', () => {
    const steps = fc.array(
      fc.record({ after: fc.nat(5000), cost: fc.integer({ min: 1, max: 5 }) }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (calls) => {
        const limiter = createRateLimiter(rule);
        let now = 0;
        let given = 0;
        for (const { after, cost } of calls) {
          now += after;
          const wait = limiter.take('a', cost, now);
          if (wait === 0) {
            given += cost;
            continue;
          }
          expect(limiter.take('a', cost, now + wait - 2)).toBeGreaterThan(0);
          now += wait;
          expect(limiter.take('a', cost, now)).toBe(0);
          given += cost;
        }
        expect(given).toBeLessThanOrEqual(20 + (now * 60) / 60_000 + 1e-6);
      }),
    );
  });

  test('keeps no more keys than it must', () => {
    const limiter = createRateLimiter(rule);
    for (let key = 0; key < 50_000; key += 1) limiter.take(`k${key}`, 1, 0);
    // The last ones are still counted.
    expect(leftOf(limiter, 'k49999', 0)).toBe(19);
  });
});
