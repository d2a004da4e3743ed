// What a command's past says of its next run, and priorities as people write them.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  DEFAULT_SETTINGS,
  MIDDLE_PRIORITY,
  pastOf,
  priorityLevel,
} from '../../../src/agents/plan/score.ts';
import { REMEMBERED_RUNS } from '../../../src/quality/commands/rows.ts';

test.each([
  ['Must have', 1],
  ['P0', 1],
  ['1', 1],
  ['HIGH', 0.8],
  [' p1 - soon', 0.8],
  ['Should', 0.5],
  ['low (for now)', 0.3],
  ['won’t have', 0.1],
  ['5', 0.1],
  ['99999999999999999999999', 0.1],
  ['', MIDDLE_PRIORITY],
  ['constructor', MIDDLE_PRIORITY],
  [null, MIDDLE_PRIORITY],
] as const)('priority %p is %p', (text, level) => {
  expect(priorityLevel(text)).toBe(level);
});

const past = (outcomes: string) => pastOf({ outcomes, lastOrdinal: 1 }, DEFAULT_SETTINGS);
const chance = (outcomes: string) => past(outcomes).failureChance;
const letters = (unit: string) => fc.string({ unit: fc.constantFrom(...unit), maxLength: 50 });

describe('the chance of a failure', () => {
  test('fades run by run', () => {
    for (let at = 1; at < REMEMBERED_RUNS; at += 1) {
      const failed = (place: number) => `${'p'.repeat(place)}f${'p'.repeat(REMEMBERED_RUNS)}`;
      expect(chance(failed(at))).toBeLessThan(chance(failed(at - 1)));
    }
  });

  test('is 0 to 1 and grows with every failure more', () => {
    fc.assert(
      fc.property(letters('pfbsPFBS'), letters('pf'), (newer, older) => {
        fc.pre(newer.length < REMEMBERED_RUNS);
        expect(chance(`${newer}f${older}`)).toBeGreaterThan(chance(`${newer}p${older}`));
        expect(chance(newer)).toBeGreaterThanOrEqual(0);
        expect(chance(newer)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('is greatest of one that just failed, then of a new one', () => {
    const fresh = DEFAULT_SETTINGS.weights.full.fresh;
    expect(chance(`f${'p'.repeat(50)}`)).toBeGreaterThan(chance('') + fresh);
    expect(chance('p')).toBeLessThan(chance(''));
    expect(chance('b')).toBe(chance('f'));
  });
});

test('a past counts the last ten runs that were not skipped, and reads 40', () => {
  expect(past('fpFPbppppp')).toMatchObject({ runs: 10, failures: 3, flaky: 2, failedLast: true });
  expect(past('sfpsFPsbpppspps')).toEqual(past('fpFPbppppp'));
  expect(past(`pppppppppp${'f'.repeat(30)}`)).toMatchObject({ runs: 10, failures: 0 });
  expect(past('p'.repeat(REMEMBERED_RUNS))).toEqual(past(`${'p'.repeat(REMEMBERED_RUNS)}ffff`));
  expect(past('')).toMatchObject({ runs: 0, failures: 0, failedLast: false, flakiness: 0 });
  expect(past('Ppppp').flakiness).toBeGreaterThan(past('ppppP').flakiness);
});
