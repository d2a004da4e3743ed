// Numbers that JavaScript would round are kept as their digits.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseJson } from '../../../src/requirements/sources/tree/json.ts';
import { numberOf, plainOf } from '../../../src/requirements/sources/tree/value.ts';

test.each<[string, number | undefined]>([
  ['0', 0],
  ['-7', -7],
  ['1.50', 1.5],
  ['0.1', 0.1],
  ['1e300', 1e300],
  ['0.000012345678901234568', 0.000012345678901234568],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', undefined],
  ['12345678901234567890', undefined],
  ['0.10000000000000000555', undefined],
  ['1e400', undefined],
  ['-1e-400', undefined],
  ['0e-400', 0],
])('%p is %p [PQRS-8]', (text, number) => {
  expect(numberOf(text)).toBe(number as number);
});

test('JSON is read as JSON.parse reads it [PQRS-8]', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(plainOf(parseJson(text))).toEqual(JSON.parse(text));
    }),
  );
});
