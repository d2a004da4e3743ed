// What is kept of projects' graphs in memory has its bounds.
import { expect, test } from 'bun:test';
import { forgetOldest, KEPT } from '../../src/requirements/graph/effective.ts';

const nodesOf = (nodes: number) => nodes;

test('the graphs of projects are forgotten when they are many, or large, the oldest first', () => {
  const many = new Map(Array.from({ length: KEPT.projects + 2 }, (_, at) => [`p${at}`, 1]));
  forgetOldest(many, nodesOf);
  expect([...many.keys()][0]).toBe('p2');
  expect(many.size).toBe(KEPT.projects);
  const large = new Map([
    ['a', KEPT.nodes],
    ['b', 10],
    ['c', 10],
  ]);
  forgetOldest(large, nodesOf);
  expect([...large.keys()]).toEqual(['b', 'c']);
});

test('the last one stays, however large it is', () => {
  const one = new Map([['a', KEPT.nodes * 2]]);
  forgetOldest(one, nodesOf);
  expect(one.size).toBe(1);
});
