// What a command's past says of its next run.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { pastOf } from '../../../src/agents/plan/history.ts';
import { DEFAULT_SETTINGS } from '../../../src/agents/plan/settings.ts';
import { REMEMBERED_RUNS } from '../../../src/quality/commands/outcomes.ts';

const past = (outcomes: string) => pastOf({ outcomes, lastOrdinal: 1 }, DEFAULT_SETTINGS);
const chance = (outcomes: string) => past(outcomes).failureChance;
const letters = (unit: string) => fc.string({ unit: fc.constantFrom(...unit), maxLength: 50 });

describe('the chance of a failure', () => {
  test('is a chance', () => {
    fc.assert(
      fc.property(letters('pfbsPFBS'), (outcomes) => {
        const { failureChance, flakiness } = past(outcomes);
        for (const part of [failureChance, flakiness]) {
          expect(part).toBeGreaterThanOrEqual(0);
          expect(part).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('fades run by run', () => {
    for (let at = 1; at < REMEMBERED_RUNS; at += 1) {
      const failed = (place: number) => `${'p'.repeat(place)}f${'p'.repeat(REMEMBERED_RUNS)}`;
      expect(chance(failed(at))).toBeLessThan(chance(failed(at - 1)));
    }
  });

  test('grows with every failure more', () => {
    fc.assert(
      fc.property(letters('pf'), letters('pf'), (newer, older) => {
        fc.pre(newer.length < REMEMBERED_RUNS);
        expect(chance(`${newer}f${older}`)).toBeGreaterThan(chance(`${newer}p${older}`));
      }),
    );
  });

  test('of one that just failed is greater than of a new one, that of an old one that passed less', () => {
    const fresh = DEFAULT_SETTINGS.weights.full.fresh;
    expect(chance(`f${'p'.repeat(50)}`)).toBeGreaterThan(chance('') + fresh);
    expect(chance('p')).toBeLessThan(chance(''));
    expect(chance('b')).toBe(chance('f'));
  });
});

test('what was skipped says nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('p', 'f', 'P', 's'), { maxLength: 30 }), (outcomes) => {
      const ran = outcomes.filter((letter) => letter !== 's').join('');
      expect(past(outcomes.join(''))).toEqual(past(ran));
    }),
  );
});

test('the last ten runs are counted, and no more than 40 looked at', () => {
  expect(past('fpFPbppppp')).toMatchObject({ runs: 10, failures: 3, flaky: 2, failedLast: true });
  expect(past(`pppppppppp${'f'.repeat(30)}`)).toMatchObject({ runs: 10, failures: 0 });
  expect(past('p'.repeat(REMEMBERED_RUNS))).toEqual(past(`${'p'.repeat(REMEMBERED_RUNS)}ffff`));
  expect(past('')).toMatchObject({ runs: 0, failures: 0, failedLast: false, flakiness: 0 });
});

test('flakiness fades too', () => {
  expect(past('Ppppp').flakiness).toBeGreaterThan(past('ppppP').flakiness);
  expect(past('ppppp').flakiness).toBe(0);
});
