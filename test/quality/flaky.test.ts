// Flakiness as it is derived from tries and from runs.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Attempt, ResultStatus } from '../../src/quality/reports/model.ts';
import {
  flakinessOf,
  isFlaky,
  placeOf,
  type Sample,
  shareOf,
} from '../../src/quality/runs/flaky.ts';

const STATUSES = ['passed', 'failed', 'broken', 'skipped', 'unknown'] as const;

const attempt = (status: ResultStatus): Attempt => ({
  ...{ status, durationMs: null, message: null, trace: null },
});

test.each([
  ['passed', [], false],
  ['failed', [], false],
  ['passed', ['failed', 'passed'], true],
  ['passed', ['broken', 'passed'], true],
  ['failed', ['passed', 'failed'], true],
  ['failed', ['failed', 'failed'], false],
  ['failed', ['failed', 'broken'], false],
  ['passed', ['passed', 'passed'], false],
  ['passed', ['skipped', 'passed'], false],
  ['skipped', ['failed', 'skipped'], false],
  ['passed', ['failed'], true],
])('%s after %j is flaky: %p', (status, tries, expected) => {
  const attempts = (tries as ResultStatus[]).map(attempt);
  expect(isFlaky({ status: status as ResultStatus, attempts })).toBe(expected);
});

const sample = (status: ResultStatus, over: Partial<Sample> = {}): Sample => ({
  ...{ status, flaky: false, place: placeOf('c1', 'ci') },
  ...over,
});

test.each([
  ['passed and failed at one commit', [sample('passed'), sample('failed')], true],
  ['at two', [sample('passed'), sample('failed', { place: placeOf('c2', 'ci') })], false],
  [
    'in two environments',
    [sample('passed'), sample('failed', { place: placeOf('c1', null) })],
    false,
  ],
  ['nowhere', [sample('passed', { place: null }), sample('failed', { place: null })], false],
  ['in one run', [sample('passed', { flaky: true, place: null })], true],
  ['skipped between', [sample('skipped'), sample('failed'), sample('unknown')], false],
])('%s', (_, samples, expected) => {
  expect(flakinessOf(samples).flaky).toBe(expected);
});

test('the figures', () => {
  const samples = ['passed', 'failed', 'passed', 'skipped', 'passed', 'broken'] as const;
  expect(flakinessOf(samples.map((status) => sample(status)))).toEqual({
    ...{ flaky: true, runs: 5, passed: 3, failed: 2, withinRun: 0, acrossRuns: 1 },
    flipRate: { count: 3, total: 4, share: 0.75 },
  });
  expect(flakinessOf([sample('passed')]).flipRate.share).toBeNull();
  expect(flakinessOf([sample('skipped')]).runs).toBe(0);
});

test('flaky means that both happened, and nothing else does', () => {
  const samples = fc.record({
    status: fc.constantFrom(...STATUSES),
    flaky: fc.constant(false),
    place: fc.constantFrom('1', '2', null),
  });
  fc.assert(
    fc.property(fc.array(samples, { maxLength: 12 }), (all) => {
      const { flaky, runs, passed, failed, flipRate } = flakinessOf(all);
      const isRed = (one: Sample) => one.status === 'failed' || one.status === 'broken';
      const both = all.some(
        (one) =>
          one.status === 'passed' &&
          one.place !== null &&
          all.some((two) => isRed(two) && one.place === two.place),
      );
      expect(passed + failed).toBe(runs);
      expect(flipRate.count).toBeLessThanOrEqual(flipRate.total);
      expect(flaky).toBe(both);
    }),
  );
});

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
