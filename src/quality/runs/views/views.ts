// The views of test runs as they are answered: kept as they were found, their tests named and
// their pages cut for each answer.
import { sql } from 'drizzle-orm';
import { invalid } from '../../../errors.ts';
import { encodeCursor, type Page } from '../../../model/pages.ts';
import { readContentVersions } from '../../../requirements/projects/content-versions.ts';
import type { Db } from '../../../store/database.ts';
import { type TestRow, tests } from '../../../store/tables/quality.ts';
import type { Quality } from '../../quality.ts';
import { createVersionCache } from '../../version-cache.ts';
import type { RunFilters, RunViewName, TrendStep } from '../query.ts';
import { type TestView, testView } from '../result-rows.ts';
import { flakinessView } from '../test-history.ts';
import { type FlakyView, findFlaky, findSlowest, type SlowestView } from './tests.ts';
import { followTrend, type TrendView } from './trend.ts';
import type { WindowSize } from './window.ts';

export interface ViewQuestion {
  projectId: string;
  view: RunViewName;
  by: TrendStep;
  filters: RunFilters;
  /** The hash of the list's filters, for its cursors. */
  hash: string;
  /** The key of the last item seen. */
  behind: number | undefined;
  limit: number;
}

export interface ViewAnswer extends Page<object> {
  window: WindowSize;
  /** How many items there are on all pages, and of tests beyond those that are listed. */
  total: number;
  /** Of the view of flaky tests alone. */
  groups?: object[];
}

export interface RunViews {
  /** @throws Problem `invalid` for a cursor behind what is no longer there */
  answer(question: ViewQuestion): Promise<ViewAnswer>;
}

export function openRunViews({ database }: Quality): RunViews {
  const views = createVersionCache<unknown>(database, () => 1);
  const db = database.read;
  let last: Promise<unknown> = Promise.resolve();

  /** A view as it was found for these results; views are made one at a time. */
  function cached<T>(name: string, results: number, find: () => Promise<T>): Promise<T> {
    return views.get(name, [results], () => {
      const found = last.then(find, find);
      last = found;
      return found;
    }) as Promise<T>;
  }

  return {
    async answer(question) {
      const { projectId, view, by, filters, hash } = question;
      const { results } = await readContentVersions(db, projectId);
      const name = `${projectId} ${hash}`;
      switch (view) {
        case 'flaky': {
          const found = await cached(name, results, () => findFlaky(db, projectId, filters));
          return flakyPage(db, found, question);
        }
        case 'slowest': {
          const found = await cached(name, results, () => findSlowest(db, projectId, filters));
          return slowestPage(db, found, question);
        }
        case 'trend': {
          const found = await cached(name, results, () => followTrend(db, projectId, filters, by));
          return trendPage(found, question);
        }
      }
    },
  };
}

async function flakyPage(db: Db, found: FlakyView, question: ViewQuestion): Promise<ViewAnswer> {
  const { shown, nextCursor } = pageAfter(found.tests, ({ testSeq }) => testSeq, question);
  const inGroups = found.groups.flatMap(({ testSeqs }) => testSeqs);
  const named = await testsBySeq(db, [...shown.map(({ testSeq }) => testSeq), ...inGroups]);
  return {
    items: shown.map(({ testSeq, ...known }) => ({
      ...viewOf(named, testSeq),
      ...flakinessView(known),
    })),
    nextCursor,
    window: found.window,
    total: found.total,
    groups: found.groups.map(({ testSeqs, ...group }) => ({
      ...group,
      tests: testSeqs.map((testSeq) => viewOf(named, testSeq)),
    })),
  };
}

async function slowestPage(
  db: Db,
  found: SlowestView,
  question: ViewQuestion,
): Promise<ViewAnswer> {
  const { shown, nextCursor } = pageAfter(found.tests, ({ testSeq }) => testSeq, question);
  const seqs = shown.map(({ testSeq }) => testSeq);
  const named = await testsBySeq(db, seqs);
  return {
    items: shown.map(({ testSeq, ...slow }) => ({ ...viewOf(named, testSeq), ...slow })),
    nextCursor,
    window: found.window,
    total: found.total,
  };
}

function trendPage(found: TrendView, question: ViewQuestion): ViewAnswer {
  const { shown, nextCursor } = pageAfter(found.points, ({ key }) => key, question);
  return {
    items: shown.map(({ point }) => point),
    nextCursor,
    window: found.window,
    total: found.points.length,
  };
}

/** What comes behind the last item seen, by the order that the view has now. */
function pageAfter<T>(
  found: readonly T[],
  keyOf: (item: T) => number,
  { hash, behind, limit }: ViewQuestion,
): { shown: T[]; nextCursor: string | null } {
  const at = behind === undefined ? -1 : found.findIndex((item) => keyOf(item) === behind);
  if (behind !== undefined && at < 0)
    throw invalid('/cursor', 'is behind what the view no longer holds: start again without it');
  const shown = found.slice(at + 1, at + 1 + limit);
  const last = shown.at(-1);
  const more = last !== undefined && at + 1 + limit < found.length;
  return { shown, nextCursor: more ? encodeCursor(hash, keyOf(last)) : null };
}

async function testsBySeq(db: Db, seqs: readonly number[]): Promise<Map<number, TestRow>> {
  const rows = await db
    .select()
    .from(tests)
    .where(sql`${tests.seq} in (select value from json_each(${JSON.stringify(seqs)}))`);
  return new Map(rows.map((row) => [row.seq, row]));
}

function viewOf(named: ReadonlyMap<number, TestRow>, testSeq: number): TestView {
  const row = named.get(testSeq);
  if (row === undefined) throw new Error('a result has no test');
  return testView(row);
}
