// Caches of projects have their bounds.
import { expect, test } from 'bun:test';
import { evictOldest, MAX_CACHED } from '../../../src/requirements/graph/effective.ts';

const nodesOf = (nodes: number) => nodes;

test('the graphs of projects are dropped when they are many, or large, the oldest first', () => {
  const many = new Map(Array.from({ length: MAX_CACHED.projects + 2 }, (_, at) => [`p${at}`, 1]));
  evictOldest(many, nodesOf);
  expect([...many.keys()][0]).toBe('p2');
  expect(many.size).toBe(MAX_CACHED.projects);
  const large = new Map([
    ['a', MAX_CACHED.nodes],
    ['b', 10],
    ['c', 10],
  ]);
  evictOldest(large, nodesOf);
  expect([...large.keys()]).toEqual(['b', 'c']);
});

test('the last one stays, however large it is', () => {
  const one = new Map([['a', MAX_CACHED.nodes * 2]]);
  evictOldest(one, nodesOf);
  expect(one.size).toBe(1);
});
