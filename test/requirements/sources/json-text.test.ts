// Places in JSON texts: of members, and of the first error.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  depthAt,
  faultOf,
  membersAt,
  repeatsAt,
} from '../../../src/requirements/sources/json-text.ts';

test('members are the values that JSON.parse finds', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const members = membersAt(text);
      const found = members.map(({ start, end }) => JSON.parse(text.slice(start, end)));
      const object = typeof value === 'object' && value !== null ? value : {};
      expect(found).toEqual(JSON.parse(JSON.stringify(Object.values(object))));
      expect(members.map(({ key }) => key)).toEqual(Object.keys(object));
      expect(faultOf(text)).toBe(text.length);
    }),
  );
});

test('no key is repeated in what JSON.stringify writes, and one that is put in is found [PQRS-8, PQRS-13]', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (value, other, key) => {
      const text = JSON.stringify([value, { [key]: other }]);
      expect(repeatsAt(text, 0)).toEqual([]);
      const [first, again] = [JSON.stringify({ [key]: value }), JSON.stringify({ [key]: other })];
      const twice = `[{"a":[${first.slice(0, -1)},${again.slice(1)}]}]`;
      expect(repeatsAt(twice, 0).map((one) => [one.key, one.at])).toEqual([
        [key, `[{"a":[${first}`.length],
      ]);
      const inner = (text: string) => membersAt(`[${text}]`)[0]?.inner ?? 0;
      expect(inner(twice)).toBe(inner(first) + inner(again) + 1);
    }),
  );
});

test('a text has a fault before its end exactly where JSON.parse refuses it', () => {
  const parses = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const words = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u00e9"',
    '"\\x"',
    '1',
    '-0.5e3',
    '01',
    'true',
    'nul',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 10 }), (all) => {
      const text = all.join('');
      if (faultOf(text) < text.length) expect(parses(text)).toBe(false);
      if (parses(text)) expect(faultOf(text)).toBe(text.length);
    }),
    { numRuns: 2000 },
  );
});

describe('the first fault', () => {
  test.each([
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['["a\nb"]', 3],
    ['["\\q"]', 2],
    ['tru', 0],
    ['1 x', 2],
    ['[1', 2],
    ['', 0],
  ])('%j', (text, at) => {
    expect(faultOf(text)).toBe(at);
  });
});

test('depth counts what is open, not what strings hold', () => {
  expect(depthAt('[{"a":"[[[["},[[1]]]', 0)).toBe(3);
  expect(depthAt('7', 0)).toBe(0);
});
