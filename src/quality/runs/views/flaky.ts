// The tests that flake over the newest runs, and the groups that fail together.
import type { Static } from '@sinclair/typebox';
import type { Db } from '../../../store/database.ts';
import { shownBy } from '../../shown.ts';
import { flakinessOf, isFailing, placeOf, type Sample } from '../flaky.ts';
import { type FailingGroup, type Flakiness, FlakyTest } from '../model.ts';
import type { RunFilters } from '../query.ts';
import { testView } from '../results.ts';
import { failingGroups } from './groups.ts';
import { firstInOrder, openWindow, resultsOf, testsBySeq, type View } from './window.ts';

const NAMED = 20;

export interface FlakyView extends View<Static<typeof FlakyTest>> {
  groups: Static<typeof FailingGroup>[];
}

export async function findFlaky(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<FlakyView> {
  const window = await openWindow(db, projectId, filters);
  const samples = new Map<number, Sample[]>();
  const failures = new Map<number, number[]>();
  for await (const { run, results } of resultsOf(db, window)) {
    const place = placeOf(run.commit, run.environment);
    for (const [testSeq, status, flaky] of results) {
      add(samples, testSeq, { status, flaky: flaky === 1, place });
      if (isFailing(status)) add(failures, testSeq, run.batch);
    }
  }
  const flaky = new Set<number>();
  const { first, total } = await firstInOrder(
    samples,
    ([testSeq, own]) => {
      const known = flakinessOf(own);
      if (!known.flaky) return undefined;
      flaky.add(testSeq);
      return { testSeq, known };
    },
    (a, b) => worstFirst(a.known, b.known) || a.testSeq - b.testSeq,
  );
  const groups = (await failingGroups(failures)).map(({ testSeqs, runs }) => ({
    size: testSeqs.length,
    runs,
    flaky: testSeqs.filter((testSeq) => flaky.has(testSeq)).length,
    named: testSeqs.slice(0, NAMED),
  }));
  const inGroups = groups.flatMap(({ named }) => named);
  const testOf = await testsBySeq(db, [...first.map(({ testSeq }) => testSeq), ...inGroups]);
  return {
    window: window.size,
    total,
    items: first.map(({ testSeq, known }) => ({
      key: testSeq,
      item: shownBy(FlakyTest, { ...testOf(testSeq), ...known }),
    })),
    groups: groups.map(({ named, ...group }) => ({
      ...group,
      tests: named.map((testSeq) => testView(testOf(testSeq))),
    })),
  };
}

function add<T>(lists: Map<number, T[]>, key: number, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

function worstFirst(a: Flakiness, b: Flakiness): number {
  const [flipsOfA, flipsOfB] = [a.flipRate.share ?? 0, b.flipRate.share ?? 0];
  return (
    flipsOfB - flipsOfA ||
    b.withinRun + b.acrossRuns - a.withinRun - a.acrossRuns ||
    b.runs - a.runs
  );
}
