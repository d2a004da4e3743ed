// Priorities as people write them.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { MIDDLE_PRIORITY, priorityLevel } from '../../../src/agents/plan/priority.ts';

test.each([
  ['Must have', 1],
  ['P0', 1],
  ['1', 1],
  ['HIGH', 0.8],
  [' p1 - soon', 0.8],
  ['Should', 0.5],
  ['medium', 0.5],
  ['low (for now)', 0.3],
  ["Won't", 0.1],
  ['won’t have', 0.1],
  ['5', 0.1],
  ['99999999999999999999999', 0.1],
  ['', MIDDLE_PRIORITY],
  ['constructor', MIDDLE_PRIORITY],
  [null, MIDDLE_PRIORITY],
  [undefined, MIDDLE_PRIORITY],
])('%p is %p', (text, level) => {
  expect(priorityLevel(text)).toBe(level);
});

test('any text has a level', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const level = priorityLevel(text);
      expect(level).toBeGreaterThan(0);
      expect(level).toBeLessThanOrEqual(1);
    }),
  );
});
