// JSON Merge Patch: the cases of RFC 7396, appendix A, and its laws.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { mergePatch } from '../../src/model/merge-patch.ts';

const CASES: [string, string, string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

describe('a merge patch [PQRS-77]', () => {
  for (const [target, patch, result] of CASES) {
    test(`${patch} on ${target} makes ${result}`, () => {
      expect(mergePatch(JSON.parse(target), JSON.parse(patch)) as object).toEqual(
        JSON.parse(result),
      );
    });
  }

  test('applied twice makes what it made once, and changes neither target nor patch', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const [before, asked] = [JSON.stringify(target), JSON.stringify(patch)];
        const once = mergePatch(target, patch);
        expect(JSON.stringify(mergePatch(once, patch))).toBe(JSON.stringify(once));
        expect([JSON.stringify(target), JSON.stringify(patch)]).toEqual([before, asked]);
      }),
    );
  });

  test('leaves alone what objects are', () => {
    const patch: unknown = JSON.parse(
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
    );
    mergePatch({}, patch);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
