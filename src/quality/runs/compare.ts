// How tests went in one run, commit or branch against another.
import { eq } from 'drizzle-orm';
import { invalid } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { type TestRunRow, testRuns } from '../../store/tables/quality.ts';
import { isFailing } from './flaky.ts';
import { CHANGES, ComparedTest, type RunQuery } from './model.ts';
import { firstTests, newestCounting, readWindow, type WindowSample, withTests } from './window.ts';

type Change = (typeof CHANGES)[number];

/** @throws Problem `invalid` for a side that names nothing */
export async function compareRuns(db: Db, projectId: string, query: RunQuery) {
  const [one, other] = [
    await runOf(db, projectId, query.from),
    await runOf(db, projectId, query.to),
  ];
  const sideOf = async (at: '/from' | '/to', name = '', run?: TestRunRow, behind?: number) => {
    for (const filter of run ? [] : (['commit', 'branch'] as const)) {
      const side = await readWindow(
        db,
        await newestCounting(db, projectId, { [filter]: [name] }, behind),
      );
      if (side.window.runs > 0) return side;
    }
    if (!run) throw invalid(at, 'names no run, commit or branch with results');
    return readWindow(db, [run.seq]);
  };
  const to = await sideOf('/to', query.to, other);
  const from = await sideOf('/from', query.from, one, other?.seq);
  const counts = { newly_failing: 0, still_failing: 0, newly_passing: 0, new: 0, gone: 0 };
  const changed = (_: WindowSample[], testSeq: number) => {
    const [was, is] = [statusIn(from, testSeq), statusIn(to, testSeq)];
    const change = changeOf(was, is);
    if (change === undefined) return undefined;
    counts[change] += 1;
    if (query.change && !query.change.includes(change)) return undefined;
    return { change, from: was, to: is };
  };
  const all = new Map([...from.samples, ...to.samples]);
  const { first, total } = await firstTests(all, changed, (a, b) => placeOf(a) - placeOf(b));
  const items = await withTests(db, ComparedTest, first);
  return { from: from.window, to: to.window, counts, total, items };
}

async function runOf(db: Db, projectId: string, id = ''): Promise<TestRunRow | undefined> {
  const [run] = await db.select().from(testRuns).where(eq(testRuns.id, id));
  return run?.projectId === projectId ? run : undefined;
}

function statusIn({ samples }: { samples: Map<number, WindowSample[]> }, testSeq: number) {
  return samples.get(testSeq)?.at(-1)?.status ?? null;
}

function changeOf(was: string | null, is: string | null): Change | undefined {
  if (is === null) return 'gone';
  if (isFailing(is)) return was !== null && isFailing(was) ? 'still_failing' : 'newly_failing';
  if (was === null) return 'new';
  return isFailing(was) && is === 'passed' ? 'newly_passing' : undefined;
}

function placeOf({ change }: { change: Change }): number {
  return CHANGES.indexOf(change);
}
