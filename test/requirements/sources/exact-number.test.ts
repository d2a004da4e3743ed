// Numbers that JavaScript would round: in decimal notation, and in JSON.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { exactNumber } from '../../../src/requirements/sources/exact-number.ts';
import { withExactNumbers } from '../../../src/requirements/sources/json-numbers.ts';

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

test('JSON without numbers that would be rounded stays as it is [PQRS-8]', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(withExactNumbers(text)).toBe(text);
    }),
  );
});

test('JSON says each digit, in whatever it stands [PQRS-8]', () => {
  const text =
    '{"1234567890123456789":[12345678901234567890,-1E400,true,"\\"1e400",1.5e3],"a":1e-400}';
  expect(JSON.parse(withExactNumbers(text))).toEqual({
    '1234567890123456789': ['12345678901234567890', '-1E400', true, '"1e400', 1500],
    a: '1e-400',
  });
});
