import { afterAll, beforeAll, expect, jest, test } from 'bun:test';
import { dropIdle } from '../../src/runtime/idle.ts';

beforeAll(() => jest.useFakeTimers());
afterAll(() => jest.useRealTimers());

test('a cache drops what nobody asks for, and keeps the rest', () => {
  const cached = new Map(['asked', 'left'].map((name) => [name, { name }]));
  const touch = dropIdle(cached);
  for (const one of cached.values()) touch(one);
  for (let seconds = 0; seconds < 60; seconds += 10) {
    jest.advanceTimersByTime(10_000);
    touch(cached.get('asked') as { name: string });
  }
  expect([...cached.keys()]).toEqual(['asked']);
  jest.advanceTimersByTime(60_000);
  expect([...cached.keys()]).toEqual([]);
});
