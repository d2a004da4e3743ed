// Token buckets: what any order of calls may take, and what their headers say.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createRateLimiter, type RateLimiter } from '../../src/http/api/rate-limit.ts';

/** What the headers say is left. */
function leftOf(limiter: RateLimiter, key: string, now: number): number {
  return Number(/r=(\d+)/.exec(limiter.headers(key, now).RateLimit ?? '')?.[1]);
}

const rule = { name: 'test', burst: 20, amount: 60, perMs: 60_000 };

describe('a bucket [PQRS-71]', () => {
  test('gives its burst, then as fast as it fills', () => {
    const limiter = createRateLimiter(rule);
    for (let at = 0; at < 20; at += 1) expect(limiter.take('a', 1, 0)).toBe(0);
    expect(limiter.take('a', 1, 0)).toBe(1000);
    expect(limiter.take('a', 1, 400)).toBe(600);
    expect(limiter.take('a', 1, 1000)).toBe(0);
    expect(limiter.take('a', 1, 1000)).toBe(1000);
    expect(leftOf(limiter, 'a', 1000 * 3600)).toBe(20);
  });

  test('of one key is not that of another', () => {
    const limiter = createRateLimiter(rule);
    for (let at = 0; at < 25; at += 1) limiter.take('a', 1, 0);
    expect(limiter.take('b', 1, 0)).toBe(0);
    expect(leftOf(limiter, 'b', 0)).toBe(19);
    expect(leftOf(limiter, 'c', 0)).toBe(20);
  });

  test('asked for more than it holds says when it is full, and gives nothing', () => {
    const limiter = createRateLimiter({ ...rule, burst: 10 });
    expect(limiter.take('a', 4, 0)).toBe(0);
    expect(limiter.take('a', 50, 0)).toBe(4000);
    expect(leftOf(limiter, 'a', 0)).toBe(6);
  });

  test('does not fill when the clock goes back', () => {
    const limiter = createRateLimiter(rule);
    for (let at = 0; at < 20; at += 1) limiter.take('a', 1, 10_000);
    expect(limiter.take('a', 1, 0)).toBeGreaterThan(0);
    expect(limiter.take('a', 1, 10_500)).toBeGreaterThan(0);
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

describe('the headers [PQRS-71]', () => {
  test('say policy, rest and time as structured fields', () => {
    const limiter = createRateLimiter(rule);
    expect(limiter.headers('a', 0)).toEqual({
      'RateLimit-Policy': '"test";q=20;w=20',
      RateLimit: '"test";r=20;t=0',
    });
    limiter.take('a', 5, 0);
    expect(limiter.headers('a', 0).RateLimit).toBe('"test";r=15;t=5');
    expect(limiter.headers('a', 2500).RateLimit).toBe('"test";r=17;t=3');
  });
});
