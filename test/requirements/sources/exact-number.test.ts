// Numbers that JavaScript would round, in decimal notation.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { exactNumber } from '../../../src/requirements/sources/exact-number.ts';

test.each<[string, number | undefined]>([
  ['0', 0],
  ['-7', -7],
  ['+1.50', 1.5],
  ['.5', 0.5],
  ['5.', 5],
  ['0.1', 0.1],
  ['1e300', 1e300],
  ['1.2345678901234568e-05', 0.000012345678901234568],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', undefined],
  ['12345678901234567890', undefined],
  ['0.10000000000000000555', undefined],
  ['1e400', undefined],
  ['-1e-400', undefined],
  ['0e-400', 0],
  ['INF', undefined],
  ['', undefined],
])('%p is %p [PQRS-9]', (text, number) => {
  expect(exactNumber(text)).toBe(number);
});

test('a number as JavaScript writes it is itself', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(exactNumber(String(number))).toBe(Object.is(number, -0) ? 0 : number);
    }),
  );
});
