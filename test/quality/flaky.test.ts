// Flakiness as it is derived from tries and from runs.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Attempt, ResultStatus } from '../../src/quality/reports/model.ts';
import {
  createFlakinessTally,
  type FlakySample,
  isFlaky,
} from '../../src/quality/runs/views/flaky.ts';

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

const sample = (status: ResultStatus, more: Partial<FlakySample> = {}): FlakySample => ({
  ...{ testKey: 't', status, flaky: false, commit: 'c1', environment: 'ci' },
  ...more,
});

function tally(samples: FlakySample[]) {
  const flakiness = createFlakinessTally();
  for (const one of samples) flakiness.add(one);
  return flakiness.list();
}

test.each([
  ['passed and failed at one commit', [sample('passed'), sample('failed')], true],
  ['at two commits', [sample('passed'), sample('failed', { commit: 'c2' })], false],
  ['in two environments', [sample('passed'), sample('failed', { environment: 'mac' })], false],
  [
    'at no known commit',
    [sample('passed', { commit: null }), sample('failed', { commit: null })],
    false,
  ],
  ['in one run', [sample('passed', { flaky: true, commit: null })], true],
  ['of two tests', [sample('passed'), sample('failed', { testKey: 'u' })], false],
  ['skipped between', [sample('skipped'), sample('failed'), sample('unknown')], false],
])('%s', (_, samples, expected) => {
  expect(tally(samples).some(({ flaky }) => flaky)).toBe(expected);
});

test('the figures', () => {
  const samples = ['passed', 'failed', 'passed', 'skipped', 'passed', 'broken'] as const;
  expect(tally(samples.map((status) => sample(status)))).toEqual([
    {
      ...{ testKey: 't', flaky: true, runs: 5, passed: 3, failed: 2 },
      ...{ withinRun: 0, acrossRuns: 1, flipRate: 0.75 },
    },
  ]);
  expect(tally([sample('passed')])[0]?.flipRate).toBeNull();
  expect(tally([sample('skipped')])).toEqual([]);
});

test('flaky means that both happened, and nothing else does', () => {
  const samples = fc.record({
    testKey: fc.constantFrom('a', 'b'),
    status: fc.constantFrom(...STATUSES),
    flaky: fc.constant(false),
    commit: fc.constantFrom('1', '2', null),
    environment: fc.constantFrom('ci', null),
  });
  fc.assert(
    fc.property(fc.array(samples, { maxLength: 12 }), (all) => {
      for (const { testKey, flaky, runs, passed, failed, flipRate } of tally(all)) {
        const own = all.filter((one) => one.testKey === testKey && one.commit !== null);
        const both = own.some((one) =>
          own.some(
            (two) =>
              one.status === 'passed' &&
              (two.status === 'failed' || two.status === 'broken') &&
              one.commit === two.commit &&
              one.environment === two.environment,
          ),
        );
        expect(passed + failed).toBe(runs);
        expect(flipRate === null || (flipRate >= 0 && flipRate <= 1)).toBe(true);
        expect(flaky).toBe(both);
      }
    }),
  );
});
