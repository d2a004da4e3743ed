// Groups of tests that fail together.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { failingGroups } from '../../src/quality/runs/views.ts';

/** Groups by the letters of tests that failed, run by run. */
async function groupsOf(...runs: string[]): Promise<string[]> {
  const failures = new Map<number, number[]>();
  for (const [run, names] of runs.entries()) {
    for (const name of names) {
      const seq = name.charCodeAt(0);
      failures.set(seq, [...(failures.get(seq) ?? []), run]);
    }
  }
  const groups = await failingGroups(failures);
  return groups.map(({ testSeqs, runs }) => `${String.fromCharCode(...testSeqs)} ${runs}`);
}

test.each([
  ['in the same runs', ['abx', 'ab', 'cd', 'cdy', 'ab'], ['ab 3', 'cd 2']],
  ['once says nothing, alone is no group', ['abc', 'd', 'd'], []],
  ['never', [], []],
  ['in nearly the same', ['ab', 'bc', ...Array(8).fill('abc')], ['abc 10']],
  ['in half of them', ['ab', 'ab', 'a', 'a', 'b', 'b'], []],
])('tests that fail %s', async (_, runs, groups) => {
  expect(await groupsOf(...runs)).toEqual(groups);
});

test('clusters are found whole, and nothing but them, as many as are listed', async () => {
  const failures = new Map<number, number[]>();
  for (let cluster = 0; cluster < 400; cluster += 1) {
    const runs = Array.from({ length: 8 }, (_, at) => cluster * 8 + at);
    // Each of the first misses one of its cluster's runs.
    for (let at = 0; at < 13; at += 1)
      failures.set(
        cluster * 13 + at,
        runs.filter((_, run) => run !== at),
      );
  }
  const groups = await failingGroups(failures);
  expect(groups).toHaveLength(100);
  expect(groups.every(({ runs }) => runs === 8)).toBe(true);
  for (const { testSeqs } of groups)
    expect(new Set(testSeqs.map((seq) => Math.floor(seq / 13))).size).toBe(1);
});

test('groups are apart, and of tests that failed together', async () => {
  const runs = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(runs, { maxLength: 8 }), async (all) => {
      const failures = new Map(all.map((own, seq) => [seq, [...new Set(own)].sort()]));
      const groups = await failingGroups(failures);
      const seqs = groups.flatMap(({ testSeqs }) => testSeqs);
      expect(new Set(seqs).size).toBe(seqs.length);
      for (const { testSeqs, runs: count } of groups) {
        expect(testSeqs.length).toBeGreaterThan(1);
        expect(count).toBeGreaterThan(1);
      }
    }),
  );
});
