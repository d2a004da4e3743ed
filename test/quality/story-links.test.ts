// Links from tests to stories by what people write.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  isStoryLink,
  storyIdsInName,
  storyIdsInTag,
  storyIdsInValue,
} from '../../src/quality/story-links.ts';

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
  expect(storyIdsInName(name)).toEqual(ids);
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
  expect(storyIdsInValue(value)).toEqual(ids);
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
  expect(storyIdsInTag(tag)).toEqual(ids);
});

test('names of properties that link', () => {
  const links = [
    'story',
    'Story',
    'stories',
    'requirement',
    'requirements',
    'verifies',
    'verify',
    'issue',
    'issues',
    'story_id',
    'requirementIds',
    'issue-key',
  ];
  const others = [
    'history',
    'storyboard',
    'priority',
    'tissue',
    '',
    'issue tracker',
    'x'.repeat(100),
  ];
  expect(links.filter(isStoryLink)).toEqual(links);
  expect(others.filter(isStoryLink)).toEqual([]);
});

test('anything at all throws nothing, takes no long time and is bounded', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'[]@US-12,: ~.'), maxLength: 300 }),
      (text) => {
        for (const read of [storyIdsInName, storyIdsInValue, storyIdsInTag]) {
          const ids = read(text);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids.length).toBeLessThanOrEqual(100);
        }
      },
    ),
  );
  for (const text of ['[', ']', '@', '[[', '@a.', 'a ', '[US-1']) {
    storyIdsInName(text.repeat(20_000).slice(0, 65_536));
    storyIdsInTag(text.repeat(20_000));
  }
});
