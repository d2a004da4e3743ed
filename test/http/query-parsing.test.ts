// Query strings are read as a browser writes them (application/x-www-form-urlencoded), by the quick
// way for what is not encoded too.
import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { compileQuery } from '../../src/http/api/query.ts';

const NAMES = ['a', 'b', 'c'] as const;
const read = compileQuery(
  Type.Object(
    Object.fromEntries(NAMES.map((name) => [name, Type.Optional(Type.Array(Type.String()))])),
    { additionalProperties: false },
  ),
);

/** What the standard's own parser makes of it. */
function expected(search: string): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    values[name] = [...(values[name] ?? []), value];
  }
  return values;
}

const piece = fc.string({
  unit: fc.constantFrom('x', 'Y', '7', '-', '.', '=', '%20', '%C3%A4', '+', '*', "'", '~', '%'),
  maxLength: 6,
});
const pair = fc.oneof(
  fc.tuple(fc.constantFrom(...NAMES), piece).map(([name, value]) => `${name}=${value}`),
  fc.constantFrom(...NAMES),
  fc.constant(''),
);

test('names and values are those of URLSearchParams', () => {
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 6 }), (pairs) => {
      const search = pairs.join('&');
      expect(read(search) as Record<string, string[]>).toEqual(expected(search));
    }),
    { numRuns: 2000 },
  );
});

test('a name that is not a parameter is refused however it is written', () => {
  for (const search of ['d=1', '%64=1', 'a=1&d', '__proto__=1', 'constructor=1']) {
    expect(() => read(search)).toThrow('is not a parameter of this operation');
  }
});
