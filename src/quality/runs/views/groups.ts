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

type Failures = readonly [testSeq: number, runs: readonly number[]];

/**
 * Finds the groups of tests that fail together, the largest first. Tests that failed in the same runs
 * are together; such a set joins the first larger one whose runs are much like its own.
 * @param failures - of each test the runs in which it failed, in their order
 */
export async function failingGroups(failures: Iterable<Failures>) {
  const often = [...failures].filter(([, runs]) => runs.length >= SUPPORT);
  const sets = [...Map.groupBy(often, ([, runs]) => runs.join()).values()];
  const groups: Failures[][] = [];
  for (const [at, set] of sets
    .sort((a, b) => b.length - a.length)
    .slice(0, COMPARED)
    .entries()) {
    if (at % STEP_SIZE === 0) await yieldToEventLoop();
    const near = groups.find(([first]) => similarity(first, set[0]) >= SIMILARITY);
    if (near) near.push(...set);
    else groups.push([...set]);
  }
  return groups
    .map((group) => ({
      testSeqs: group.map(([testSeq]) => testSeq).sort((a, b) => a - b),
      runs: sharedRuns(group),
    }))
    .filter(({ testSeqs, runs }) => testSeqs.length > 1 && runs >= SUPPORT)
    .sort((a, b) => b.testSeqs.length - a.testSeqs.length || b.runs - a.runs)
    .slice(0, GROUPS);
}

/** How many runs there are in which at least half of the tests failed. */
function sharedRuns(group: readonly Failures[]): number {
  const failed = Map.groupBy(
    group.flatMap(([, runs]) => runs),
    (run) => run,
  );
  return [...failed.values()].filter(({ length }) => 2 * length >= group.length).length;
}

function similarity([, one]: Failures = [0, []], [, other]: Failures = [0, []]): number {
  const runs = new Set(one);
  const both = other.filter((run) => runs.has(run)).length;
  return both / (one.length + other.length - both);
}
