// Groups of tests that fail together.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { coFailingGroups, type Failure } from '../../src/quality/runs/views/co-failing.ts';

const failures = (runs: Record<string, string>): Failure[] =>
  Object.entries(runs).flatMap(([runId, keys]) => [...keys].map((testKey) => ({ testKey, runId })));

test('tests that fail in the same runs', () => {
  const groups = coFailingGroups(failures({ r1: 'abx', r2: 'ab', r3: 'cd', r4: 'cdy', r5: 'ab' }));
  expect(groups).toEqual([
    { testKeys: ['a', 'b'], size: 2, runs: 3 },
    { testKeys: ['c', 'd'], size: 2, runs: 2 },
  ]);
});

test('together once says nothing, alone is no group', () => {
  expect(coFailingGroups(failures({ r1: 'abc', r2: 'd', r3: 'd' }))).toEqual([]);
  expect(coFailingGroups([])).toEqual([]);
  expect(coFailingGroups(failures({ r1: 'ab' }), { support: 1 })).toHaveLength(1);
});

test('much alike is enough', () => {
  const runs: Record<string, string> = {};
  for (let at = 0; at < 10; at += 1) runs[`r${at}`] = at === 0 ? 'ab' : at === 1 ? 'bc' : 'abc';
  expect(coFailingGroups(failures(runs))).toEqual([
    { testKeys: ['a', 'b', 'c'], size: 3, runs: 10 },
  ]);
  expect(coFailingGroups(failures(runs), { similarity: 0.95 })).toEqual([]);
});

describe('many', () => {
  /** Clusters of tests, each failing in runs of its own, and tests that fail alone. */
  function clusters(count: number, size: number): Failure[] {
    const all: Failure[] = [];
    for (let cluster = 0; cluster < count; cluster += 1) {
      for (let run = 0; run < 8; run += 1) {
        for (let at = 0; at < size; at += 1) {
          // Each test misses one of its cluster's runs.
          if (at % 8 === run && at < 8) continue;
          all.push({ testKey: `c${cluster}-t${at}`, runId: `c${cluster}-r${run}` });
        }
      }
      for (let run = 0; run < 3; run += 1)
        all.push({ testKey: `alone-${cluster}`, runId: `x${cluster + run * 31}` });
    }
    return all;
  }

  test('clusters are found whole, and nothing but them', () => {
    const groups = coFailingGroups(clusters(50, 13));
    expect(groups).toHaveLength(50);
    expect(groups.every(({ size, runs }) => size === 13 && runs === 8)).toBe(true);
    const mixed = groups.filter(
      ({ testKeys }) => new Set(testKeys.map((key) => key.split('-')[0])).size > 1,
    );
    expect(mixed).toEqual([]);
  });

  test('lists are bounded, work grows with the failures', () => {
    const same = failures({ r1: 'a' }).flatMap(() =>
      Array.from({ length: 20_000 }, (_, at) => [
        { testKey: `t${at}`, runId: 'r1' },
        { testKey: `t${at}`, runId: 'r2' },
      ]).flat(),
    );
    expect(coFailingGroups(same)).toMatchObject([{ size: 20_000, runs: 2 }]);
    expect(coFailingGroups(same)[0]?.testKeys).toHaveLength(100);
    expect(coFailingGroups(clusters(400, 13))).toHaveLength(100);
    // Every test in a bucket with every other: the comparisons of one bucket are bounded.
    const crowd = Array.from({ length: 3000 }, (_, at) =>
      ['r1', 'r2', 'r3', `x${at}`].map((runId) => ({ testKey: `t${at}`, runId })),
    ).flat();
    expect(coFailingGroups(crowd)).toEqual([]);
  });
});

test('groups are apart, sorted, and the same whatever the order of the failures', () => {
  const failure = fc.record({
    testKey: fc.constantFrom(...'abcdefgh'),
    runId: fc.constantFrom(...'123456'),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(failure, { selector: ({ testKey, runId }) => testKey + runId }),
      (all) => {
        const groups = coFailingGroups(all);
        const keys = groups.flatMap(({ testKeys }) => testKeys);
        expect(new Set(keys).size).toBe(keys.length);
        for (const { testKeys, size, runs } of groups) {
          expect(testKeys).toEqual([...testKeys].sort());
          expect(size).toBe(testKeys.length);
          expect(size).toBeGreaterThan(1);
          expect(runs).toBeGreaterThan(1);
        }
        expect(coFailingGroups(all.slice())).toEqual(groups);
      },
    ),
  );
});
