// Links from tests to stories by what people write.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MAX_ID_LENGTH } from '../../src/limits.ts';
import { createStoryLinks } from '../../src/quality/reports/story-links.ts';

const plain = createStoryLinks();

test.each([
  ['adds [US-12]', ['US-12']],
  ['[US-1] adds [REQ_LOGIN_3]', ['US-1', 'REQ_LOGIN_3']],
  ['adds [US-1, US-2; @US-3]', ['US-1', 'US-2', 'US-3']],
  ['adds @US-12.', ['US-12']],
  ['@US-1 @US-1 adds', ['US-1']],
  ['covers [req~login~1]', ['req~login~1']],
  ['[[US-4]]', ['US-4']],
  ['test_x[1-2]', []],
  ['test_x[UTF-8]', []],
  ['an array [] and [a, b]', []],
  ['mails a@US-12.com', []],
  ['uses @scope/US-1', []],
  ['a decorator @deprecated', []],
  ['US-12 without a mark', []],
  ['[US-1', []],
  ['plain', []],
])('%s', (name, ids) => {
  expect(plain.inName(name)).toEqual(ids);
});

test.each([
  ['US-1', ['US-1']],
  ['US-1, US-2 REQ-3', ['US-1', 'US-2', 'REQ-3']],
  ['[US-1]', ['US-1']],
  ['LOGIN', ['LOGIN']],
  ['LOGIN, LOGOUT', ['LOGIN', 'LOGOUT']],
  ['must be fast', []],
  ['', []],
  ['#12', []],
])('the value %j', (value, ids) => {
  expect(plain.inValue(value)).toEqual(ids);
});

test.each([
  ['US-12', ['US-12']],
  ['@US-12', ['US-12']],
  ['[US-12]', ['US-12']],
  ['story:US-12', ['US-12']],
  ['@verifies=US-1,US-2', ['US-1', 'US-2']],
  ['requirement: LOGIN', ['LOGIN']],
  ['smoke', []],
  ['owner:US-12', []],
  ['', []],
])('the tag %j', (tag, ids) => {
  expect(plain.inTag(tag)).toEqual(ids);
});

describe('ids of the project that do not look like ids', () => {
  const known = new Set([
    ...[
      'LLR001',
      'PRD001',
      'auth-1',
      'R_LOGIN',
      'FOO-BAR',
      'UTF-8',
      '12',
      'two words',
      'a:b/c',
      'é',
    ],
    ...['end.', '@odd', 'US-1', 'story:1'],
  ]);
  const { inName, inTag, inValue } = createStoryLinks(known);

  test.each([
    ['parses [LLR001]', ['LLR001']],
    ['fails @PRD001', ['PRD001']],
    ['(@auth-1), then @R_LOGIN.', ['auth-1', 'R_LOGIN']],
    ['[FOO-BAR, US-7; @12]', ['FOO-BAR', 'US-7', '12']],
    ['reads [UTF-8] @UTF-8', ['UTF-8']],
    ['holds [two words]', ['two words']],
    ['@a:b/c and @é!', ['a:b/c', 'é']],
    ['@end. and @end', ['end.']],
    ['[@odd]', ['@odd']],
    ['[[LLR001]', ['LLR001']],
    ['[llr001] @FOO-bar [Two words]', []],
    ['a@LLR001 @LLR0012 [xLLR001]', []],
    ['LLR001 alone', []],
  ])('in the name %s', (name, ids) => {
    expect(inName(name)).toEqual(ids);
  });

  test.each([
    ['LLR001', ['LLR001']],
    ['@12', ['12']],
    ['[FOO-BAR]', ['FOO-BAR']],
    ['story:two words', ['two words']],
    ['a:b/c', ['a:b/c']],
    ['story:1', ['story:1']],
    ['smoke', []],
    ['foo-bar', []],
  ])('in the tag %s', (tag, ids) => {
    expect(inTag(tag)).toEqual(ids);
  });

  test.each([
    ['US-7, FOO-BAR', ['US-7', 'FOO-BAR']],
    ['R_LOGIN must be fast', ['R_LOGIN']],
    ['two words, [12]', ['two words', '12']],
    ['LOGIN', ['LOGIN']],
    ['must be fast', []],
  ])('in the value %s', (value, ids) => {
    expect(new Set(inValue(value))).toEqual(new Set(ids));
  });

  test('whatever they are, link as they are written, and change nothing for others', () => {
    const id = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => /^[^\s,;|[\]@]+$/.test(text));
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 5 }), fc.string(), (ids, text) => {
        const links = createStoryLinks(new Set(ids));
        for (const one of ids) {
          expect(links.inName(`does it [${one}]`)).toEqual([one]);
          expect(links.inName(`does it @${one}`)).toContain(one);
          expect(links.inTag(`@${one}`)).toContain(one);
        }
        const others = createStoryLinks(new Set(['no such text']));
        expect(others.inName(text)).toEqual(plain.inName(text));
        expect(others.inTag(text)).toEqual(plain.inTag(text));
        expect(others.inValue(text)).toEqual(plain.inValue(text));
      }),
      { numRuns: 500 },
    );
  });
});

describe('ids of the project that are as long as ids can be [PQRS-45]', () => {
  const words = `US-1, of ${'many/words; '.repeat(100)}`
    .slice(0, MAX_ID_LENGTH - 1)
    .padEnd(MAX_ID_LENGTH, '!');
  const word = 'слово/'.repeat(200).slice(0, MAX_ID_LENGTH);
  const padded = ' padded ';
  const { inName, inTag, inValue } = createStoryLinks(new Set([words, word, padded]));

  test('link where they stand whole, and nothing that they hold does', () => {
    const text = 'a long story '.repeat(80);
    for (const id of [words, word]) {
      expect(id).toHaveLength(MAX_ID_LENGTH);
      for (const name of [`[${id}]`, `${text}[${id}]`, `[[${id}] it]`])
        expect(inName(name)).toEqual([id]);
      for (const tag of [id, `@${id}`, `[${id}]`, `story: ${id}`]) expect(inTag(tag)).toEqual([id]);
      expect(inValue(id)).toEqual([id]);
    }
    expect(inName(`${text} @${word}`)).toEqual([word]);
    expect(inName(`${text} @${word}).`)).toEqual([word]);
    expect(inName(`[US-7] [${words}], [US-8, ${word.slice(9)}]`)).toEqual(['US-7', words, 'US-8']);
  });
});

test('the beginning of a longer word is no id', () => {
  const id = `US-${'1'.repeat(197)}`;
  expect(plain.inName(`does @${id}.`)).toEqual([id]);
  for (const more of ['1', '-1', '.a', '~~1']) expect(plain.inName(`@${id}${more}`)).toEqual([]);
});

test('anything at all throws nothing, takes no long time and is bounded', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'[]@US-12,: ~.'), maxLength: 300 }),
      (text) => {
        for (const read of [plain.inName, plain.inValue, plain.inTag]) {
          const ids = read(text);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids.length).toBeLessThanOrEqual(100);
        }
      },
    ),
  );
  for (const text of ['[', ']', '@', '[[', '@a.', 'a ', '[US-1']) {
    plain.inName(text.repeat(20_000).slice(0, 65_536));
    plain.inTag(text.repeat(20_000));
  }
});
