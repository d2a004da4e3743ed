// The cache of issues: it never gives what is out of date.
import { describe, expect, test } from 'bun:test';
import { createIssueCache } from '../../src/evidence/issues/answers.ts';

type Entry = Parameters<ReturnType<typeof createIssueCache>['put']>[1];
const entry = (text: string): Entry => ({ projectId: 'p', etag: '"1"', text, attached: [] });

describe('an entry', () => {
  test('is given until its issue changes', () => {
    const cache = createIssueCache();
    cache.put('a', entry('1'), cache.generation());
    expect(cache.get('a')).toMatchObject({ text: '1' });
    cache.changed('b');
    expect(cache.get('a')).toMatchObject({ text: '1' });
    cache.changed('a');
    expect(cache.get('a')).toBeUndefined();
  });

  test('read before a change is not stored after it', () => {
    const cache = createIssueCache();
    const generation = cache.generation();
    cache.changed('a');
    cache.put('a', entry('stale'), generation);
    expect(cache.get('a')).toBeUndefined();
  });

  test('goes when there is too much, the oldest first', () => {
    const cache = createIssueCache();
    const large = 'x'.repeat(10 * 1024 * 1024);
    for (const id of ['a', 'b', 'c', 'd']) cache.put(id, entry(large), cache.generation());
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('d')).toBeDefined();
  });

  test('put anew takes the space of the one before', () => {
    const cache = createIssueCache();
    const large = 'x'.repeat(10 * 1024 * 1024);
    cache.put('small', entry('1'), cache.generation());
    for (let each = 0; each < 10; each += 1) cache.put('a', entry(large), cache.generation());
    expect(cache.get('small')).toBeDefined();
  });
});
