// What a command says where it cannot do its work.
import { expect } from 'bun:test';

/** One line for a person, and no stack. */
export function expectOneLine(text: string, pattern: RegExp): void {
  expect(text).toMatch(pattern);
  expect(text.trim().split('\n')).toHaveLength(1);
  expect(text).not.toMatch(/\n\s+at /);
}
