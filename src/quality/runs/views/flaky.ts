// The tests that flake over the newest runs, and the groups that fail together.
import type { Static } from '@sinclair/typebox';
import type { Db } from '../../../store/database.ts';
import { flakinessOf, isFailing } from '../flaky.ts';
import { type FailingGroup, type Flakiness, FlakyTest, Test } from '../model.ts';
import type { RunFilters } from '../query.ts';
import { failingGroups } from './groups.ts';
import { firstTests, readWindow, type View, type WindowSample, withTests } from './window.ts';

const NAMED = 20;

export interface FlakyView extends View<Static<typeof FlakyTest>> {
  groups: Static<typeof FailingGroup>[];
}

export async function findFlaky(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<FlakyView> {
  const { window, samples } = await readWindow(db, projectId, filters);
  const flaky = new Set<WindowSample[]>();
  const listed = (own: WindowSample[]) => {
    const known = flakinessOf(own);
    if (!known.flaky) return undefined;
    flaky.add(own);
    return known;
  };
  const { first, total } = await firstTests(samples, listed, worstFirst);
  const groups: FlakyView['groups'] = [];
  for (const { testSeqs, runs } of await failingGroups(failuresIn(samples))) {
    const flaking = testSeqs.filter((seq) => flaky.has(samples.get(seq) ?? []));
    const named = testSeqs.slice(0, NAMED).map((testSeq) => ({ testSeq }));
    const tests = (await withTests(db, Test, named)).map(({ item }) => item);
    groups.push({ size: testSeqs.length, runs, flaky: flaking.length, tests });
  }
  return { window, total, items: await withTests(db, FlakyTest, first), groups };
}

function* failuresIn(samples: ReadonlyMap<number, WindowSample[]>): Generator<[number, number[]]> {
  for (const [testSeq, own] of samples)
    yield [testSeq, own.flatMap(({ status, batch }) => (isFailing(status) ? batch : []))];
}

function worstFirst(a: Flakiness, b: Flakiness): number {
  return (
    (b.flipRate.share ?? 0) - (a.flipRate.share ?? 0) ||
    b.withinRun + b.acrossRuns - a.withinRun - a.acrossRuns ||
    b.runs - a.runs
  );
}
