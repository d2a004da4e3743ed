// The measures of an order, held against their formulas and against all orders that there are.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { apfd, apfdc, type Executed, optimalOrder } from '../../../src/agents/plan/replay.ts';

const anyTest = fc.record({ failed: fc.boolean(), durationMs: fc.integer({ min: 0, max: 1000 }) });
const anyOrder = fc
  .array(anyTest, { minLength: 1, maxLength: 6 })
  .filter((order) => order.some(({ failed }) => failed));

const order = (...tests: [failed: 0 | 1, durationMs: number][]): Executed[] =>
  tests.map(([failed, durationMs]) => ({ failed: failed === 1, durationMs }));

function permutations<T>(values: readonly T[]): T[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((value, at) =>
    permutations([...values.slice(0, at), ...values.slice(at + 1)]).map((rest) => [value, ...rest]),
  );
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('APFD and APFDc', () => {
  test('are what their formulas say', () => {
    // 1 - (1 + 4) / (5 * 2) + 1 / (2 * 5)
    expect(apfd(order([1, 9], [0, 1], [0, 1], [1, 1], [0, 1]))).toBeCloseTo(0.6, 10);
    // ((4 + 1 + 5 - 4/2) + (5 - 5/2)) / (10 * 2)
    expect(apfdc(order([1, 4], [0, 1], [1, 5]))).toBeCloseTo((8 + 2.5) / 20, 10);
    expect(apfd(order([0, 1]))).toBeNull();
    expect(apfdc(order([0, 1]))).toBeNull();
  });

  test('of an order and its reverse add up to one, so chance reaches one half', () => {
    fc.assert(
      fc.property(anyOrder, (tests) => {
        for (const measure of [apfd, apfdc]) {
          const both = (measure(tests) ?? 0) + (measure(tests.toReversed()) ?? 0);
          expect(both).toBeCloseTo(1, 10);
        }
      }),
    );
    const tests = order([1, 3], [0, 10], [1, 200], [0, 7], [0, 1]);
    for (const measure of [apfd, apfdc]) {
      const all = permutations(tests).map((one) => measure(one) as number);
      expect(mean(all)).toBeCloseTo(0.5, 10);
    }
  });

  test('of the best order are what no other exceeds', () => {
    fc.assert(
      fc.property(anyOrder, (tests) => {
        const all = permutations(tests);
        const best = optimalOrder(tests);
        for (const measure of [apfd, apfdc]) {
          const most = Math.max(...all.map((one) => measure(one) as number));
          expect(measure(best)).toBeCloseTo(most, 10);
        }
      }),
      { numRuns: 30 },
    );
  });
});
