// Groups of tests that fail together from run to run: most flaky tests fail in clusters that share a
// cause (Parry and others, 2025).
import { yieldToEventLoop } from '../../scheduler.ts';

/** How alike the runs of two tests are: the share of both in either (Jaccard). */
const SIMILARITY = 0.7;
/** Runs in which tests failed together before that says something. */
const SUPPORT = 2;
const GROUPS = 100;
/** Different sets of runs that are compared, those of the most tests. */
const COMPARED = 1000;
const STEP_SIZE = 20;

export interface TestGroup {
  testSeqs: number[];
  /** Runs in which at least half of them failed. */
  runs: number;
}

interface Group extends TestGroup {
  /** The runs of its first tests, with which others are compared. */
  leading: readonly number[];
  /** How many tests failed in each run. */
  failed: Map<number, number>;
}

/**
 * Finds the groups of tests that fail together, the largest first. Tests that failed in the same runs
 * are together; a set of runs joins the first larger one that it is much like.
 *
 * @param failures - of each test the runs in which it failed, in their order
 */
export async function failingGroups(
  failures: ReadonlyMap<number, readonly number[]>,
): Promise<TestGroup[]> {
  const often = [...failures].filter(([, runs]) => runs.length >= SUPPORT);
  const sets = [...Map.groupBy(often, ([, runs]) => runs.join()).values()].sort(
    (a, b) => b.length - a.length,
  );
  const groups: Group[] = [];
  for (const [at, set] of sets.slice(0, COMPARED).entries()) {
    if (at % STEP_SIZE === 0) await yieldToEventLoop();
    const leading = set[0]?.[1] ?? [];
    let group = groups.find((one) => similarity(one.leading, leading) >= SIMILARITY);
    if (!group) {
      group = { testSeqs: [], runs: 0, leading, failed: new Map() };
      groups.push(group);
    }
    for (const [testSeq] of set) group.testSeqs.push(testSeq);
    for (const run of leading) group.failed.set(run, (group.failed.get(run) ?? 0) + set.length);
  }
  return groups
    .map(({ testSeqs, failed }) => ({
      testSeqs: testSeqs.sort((a, b) => a - b),
      runs: [...failed.values()].filter((count) => 2 * count >= testSeqs.length).length,
    }))
    .filter(({ testSeqs, runs }) => testSeqs.length > 1 && runs >= SUPPORT)
    .sort((a, b) => b.testSeqs.length - a.testSeqs.length || b.runs - a.runs)
    .slice(0, GROUPS);
}

function similarity(one: readonly number[], other: readonly number[]): number {
  const runs = new Set(one);
  const both = other.filter((run) => runs.has(run)).length;
  return both / (one.length + other.length - both);
}
