// The tests that flake over the newest runs, and the groups that fail together.
import type { Db } from '../../../store/database.ts';
import { inTurns, type Steps } from '../../turns.ts';
import type { RunFilters } from '../query.ts';
import { coFailingSteps, type Failure } from './co-failing.ts';
import { createFlakinessTally, type Flakiness, type FlakinessTally, isFailing } from './flaky.ts';
import { createTop } from './top.ts';
import { openWindow, resultsOf, type WindowSize } from './window.ts';

/** Tests that a view lists at most. */
export const TESTS_LISTED = 1000;
/** Tests of a group that are named. */
const NAMED = 20;
const A_STEP = 100;

export interface FlakyTest extends Flakiness {
  testSeq: number;
}

export interface FailingGroup {
  /** How many tests there are in the group. */
  size: number;
  /** How many of them flake. */
  flaky: number;
  /** Runs in which at least half of them failed. */
  runs: number;
  /** The first of them. */
  testSeqs: number[];
}

export interface FlakyView {
  window: WindowSize;
  /** How many tests flake; the worst of them are listed. */
  total: number;
  tests: FlakyTest[];
  groups: FailingGroup[];
}

/** Looks for flaky tests in the newest runs that count. */
export async function findFlaky(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<FlakyView> {
  const window = await openWindow(db, projectId, filters);
  const tally = createFlakinessTally();
  const failures: Failure[] = [];
  for await (const { run, results } of resultsOf(db, window)) {
    const { commit, environment } = run;
    const runId = String(run.batch);
    for (const [testSeq, status, flaky] of results) {
      const testKey = String(testSeq);
      tally.add({ testKey, status, flaky: flaky === 1, commit, environment });
      if (isFailing(status)) failures.push({ testKey, runId });
    }
  }
  const { tests, flaky } = await inTurns(flakyOnes(tally));
  const groups = await inTurns(coFailingSteps(failures, { keys: Number.POSITIVE_INFINITY }));
  return {
    window: window.size,
    total: flaky.size,
    tests,
    groups: groups.map(({ testKeys, size, runs }) => ({
      ...{ size, runs, flaky: testKeys.filter((key) => flaky.has(key)).length },
      testSeqs: testKeys.slice(0, NAMED).map(Number),
    })),
  };
}

/** The worst of the tests that flake, and the keys of all of them. */
function* flakyOnes(tally: FlakinessTally): Steps<{ tests: FlakyTest[]; flaky: Set<string> }> {
  const top = createTop<FlakyTest>(TESTS_LISTED, worstFirst);
  const flaky = new Set<string>();
  let looked = 0;
  for (const known of tally.each()) {
    looked += 1;
    if (looked % A_STEP === 0) yield;
    if (!known.flaky) continue;
    flaky.add(known.testKey);
    top.add({ ...known, testSeq: Number(known.testKey) });
  }
  return { tests: top.list(), flaky };
}

function worstFirst(a: FlakyTest, b: FlakyTest): number {
  return (
    (b.flipRate ?? 0) - (a.flipRate ?? 0) ||
    b.withinRun + b.acrossRuns - a.withinRun - a.acrossRuns ||
    b.runs - a.runs ||
    a.testSeq - b.testSeq
  );
}
