// Reading the newest results of a project: all of them once, and from then on those of the runs that
// have come since, page by page, so that others have their turn.
import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import { joinedName, namesOfTest, readCalledTests } from '../../quality/reports/test-names.ts';
import { BATCH_SPAN } from '../../quality/runs/result-rows.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { runBatches, testLinks, testResults, testRuns, tests } from '../../store/tables/quality.ts';
import { chunksOf } from '../state/chunks.ts';
import { namesAmong, takesAnother } from './called-tests.ts';
import { readCommandResults } from './command-results.ts';
import { type NamedTest, readNamedTests } from './named-tests.ts';
import {
  batchOf,
  type IndexBuilder,
  type KnownTest,
  NO_RESULTS,
  nextIndex,
  type ResultIndex,
} from './result-index.ts';
import { type RunFacts, readRunFacts } from './run-facts.ts';
import type { TargetResult } from './target-results.ts';

const PAGE = 2000;
/** Where more runs than these have come, all is read anew. */
const RUNS_AT_ONCE = 200;

const p = sql.placeholder;

/** The test of a result, and what is read of a result. */
const TEST = { seq: tests.seq, testKey: tests.testKey, name: tests.name, path: tests.path };
const LINK = {
  storyIds: testLinks.storyIds,
  resultSeq: testLinks.resultSeq,
  status: testLinks.status,
  durationMs: testLinks.durationMs,
  contentSha256: testLinks.contentSha256,
};

const linkPage = prepared((db) =>
  db
    .select({ ...TEST, link: LINK })
    .from(testLinks)
    .innerJoin(tests, eq(tests.seq, testLinks.testSeq))
    .where(and(eq(testLinks.projectId, p('projectId')), gt(testLinks.testSeq, p('behind'))))
    .orderBy(asc(testLinks.testSeq))
    .limit(PAGE)
    .prepare(),
);

const resultPage = prepared((db) =>
  db
    .select({
      ...TEST,
      file: tests.file,
      link: LINK,
      own: {
        resultSeq: testResults.seq,
        status: testResults.status,
        durationMs: testResults.durationMs,
        contentSha256: testResults.contentSha256,
      },
    })
    .from(testResults)
    .innerJoin(tests, eq(tests.seq, testResults.testSeq))
    .leftJoin(testLinks, eq(testLinks.testSeq, testResults.testSeq))
    .where(and(gt(testResults.seq, p('behind')), lt(testResults.seq, p('end'))))
    .orderBy(asc(testResults.seq))
    .limit(PAGE)
    .prepare(),
);

/**
 * The newest results of a project.
 *
 * @param before - what was known earlier; undefined for nothing
 * @param wanted - gives the keys of tests that something else than their own results names, and the
 *   names that it calls others by; asked only where there are runs
 */
export async function loadResults(
  db: Db,
  projectId: string,
  before: ResultIndex | undefined,
  wanted: () => Promise<ReadonlySet<string>>,
): Promise<ResultIndex> {
  // Looked up first: what is settled while the rest is read is read again the next time.
  const upTo = await settledRuns(db, projectId);
  if (upTo === undefined) return NO_RESULTS;
  const ids = await wanted();
  const fresh = before && (await newRuns(db, projectId, before.upTo));
  const next =
    before && fresh && fresh.length <= RUNS_AT_ONCE && !(await hasLost(db, projectId, before))
      ? await advance(db, projectId, before, fresh, ids)
      : await readAll(db, projectId, ids);
  return next.done(upTo, ids);
}

/**
 * The `seq` of the newest run before which all are settled; undefined where the project has none. Of
 * a run that is being settled some links are there, and others not yet.
 */
async function settledRuns(db: Db, projectId: string): Promise<number | undefined> {
  const [found] = await db
    .select({ newest: sql<number | null>`max(${testRuns.seq})` })
    .from(testRuns)
    .where(eq(testRuns.projectId, projectId));
  if (found?.newest == null) return undefined;
  const [open] = await db
    .select({ first: sql<number | null>`min(${testRuns.seq})` })
    .from(runBatches)
    .innerJoin(testRuns, eq(testRuns.batch, runBatches.batch))
    .where(eq(runBatches.projectId, projectId));
  return open?.first == null ? found.newest : open.first - 1;
}

interface NewRun {
  batch: number;
  commandId: string | null;
}

/** The runs that count behind one, as far as they are settled. */
async function newRuns(db: Db, projectId: string, behind: number): Promise<NewRun[]> {
  const rows = await db
    .select({ batch: testRuns.batch, commandId: testRuns.commandId, open: runBatches.batch })
    .from(testRuns)
    .leftJoin(runBatches, eq(runBatches.batch, testRuns.batch))
    .where(
      and(eq(testRuns.projectId, projectId), gt(testRuns.seq, behind), eq(testRuns.counts, true)),
    )
    .orderBy(asc(testRuns.seq))
    .limit(RUNS_AT_ONCE + 1);
  return rows.filter(({ open }) => open === null);
}

/** Whether links went away that no run has taken away. */
async function hasLost(db: Db, projectId: string, { linked }: ResultIndex): Promise<boolean> {
  if (linked === 0) return false;
  return (await db.$count(testLinks, eq(testLinks.projectId, projectId))) < linked;
}

async function readAll(
  db: Db,
  projectId: string,
  wanted: ReadonlySet<string>,
): Promise<IndexBuilder> {
  const next = nextIndex();
  let behind = -1;
  for (;;) {
    const rows = await linkPage(db).all({ projectId, behind });
    await readFacts(
      db,
      next,
      rows.map(({ link }) => link.resultSeq),
    );
    for (const row of rows) next.put(knownTest(next.facts, row, row.link, true));
    if (rows.length < PAGE) break;
    behind = rows.at(-1)?.seq ?? behind;
    await setImmediate();
  }
  await readCommandResults(db, projectId, next);
  await lookUp(db, projectId, next, wanted);
  await lookUpCalled(db, projectId, next, namesAmong(wanted));
  return next;
}

async function advance(
  db: Db,
  projectId: string,
  before: ResultIndex,
  runs: readonly NewRun[],
  wanted: ReadonlySet<string>,
): Promise<IndexBuilder> {
  const next = nextIndex(before, wanted);
  for (const { batch } of runs) await readRun(db, next, batch, wanted);
  const commands = new Set(runs.flatMap(({ commandId }) => commandId ?? []));
  if (commands.size > 0) await readCommandResults(db, projectId, next, [...commands]);
  if (wanted !== before.wanted) {
    const more = [...wanted].filter((key) => !before.wanted.has(key));
    await lookUp(db, projectId, next, more);
  }
  const known = namesAmong(before.wanted);
  const unknown = new Set(
    known === namesAmong(wanted) ? [] : [...namesAmong(wanted)].filter((name) => !known.has(name)),
  );
  for (const name of await noneOfSeveral(db, projectId, next)) unknown.add(name);
  next.uncall(unknown);
  await lookUpCalled(db, projectId, next, unknown);
  return next;
}

/** Takes what a run says of its tests: their links as they are now, or its own results. */
async function readRun(
  db: Db,
  next: IndexBuilder,
  batch: number,
  wanted: ReadonlySet<string>,
): Promise<void> {
  const names = namesAmong(wanted);
  let behind = batch * BATCH_SPAN - 1;
  for (;;) {
    const rows = await resultPage(db).all({ behind, end: (batch + 1) * BATCH_SPAN });
    await readFacts(
      db,
      next,
      rows.map(({ link, own }) => (link ?? own).resultSeq),
    );
    for (const row of rows) {
      const known = next.tests.get(row.testKey);
      const own = names.size === 0 ? [] : namesOfTest(row).filter((name) => names.has(name));
      const isMeant = own.length > 0 && next.call(row.testKey, own);
      if (row.link) next.put(knownTest(next.facts, row, row.link, true));
      else if (!isMeant && !wanted.has(row.testKey)) next.drop(row.testKey);
      else if (!known || known.linked || known.resultSeq < row.own.resultSeq)
        next.put(knownTest(next.facts, row, { ...row.own, storyIds: [] }, false));
    }
    if (rows.length < PAGE) return;
    behind = rows.at(-1)?.own.resultSeq ?? behind;
    await setImmediate();
  }
}

/** Looks for tests that something names. */
async function lookUp(
  db: Db,
  projectId: string,
  next: IndexBuilder,
  keys: Iterable<string>,
): Promise<void> {
  const unknown = [...keys].filter((key) => !next.tests.has(key));
  for await (const rows of readNamedTests(db, projectId, unknown)) {
    await readFacts(
      db,
      next,
      rows.map(({ own }) => own.resultSeq),
    );
    for (const row of rows)
      next.put(knownTest(next.facts, row, { ...row.own, storyIds: [] }, false));
  }
}

/** Looks for the tests that have some names, as far as they have results that count. */
async function lookUpCalled(
  db: Db,
  projectId: string,
  next: IndexBuilder,
  names: ReadonlySet<string>,
): Promise<void> {
  const isOpen = (name: string) => takesAnother(next.called, name);
  for await (const some of readCalledTests(db, projectId, names)) {
    const found = some.filter((one) => one.names.some(isOpen));
    const read = new Map<string, NamedTest>();
    const unknown = found.flatMap(({ key }) => (next.tests.has(key) ? [] : key));
    for await (const rows of readNamedTests(db, projectId, unknown)) {
      for (const row of rows) read.set(row.testKey, row);
    }
    const meant = found.flatMap(({ key, names: own }) => {
      const row = read.get(key);
      return (row || next.tests.has(key)) && next.call(key, own) && row ? [row] : [];
    });
    await readFacts(
      db,
      next,
      meant.map(({ own }) => own.resultSeq),
    );
    for (const row of meant)
      next.put(knownTest(next.facts, row, { ...row.own, storyIds: [] }, false));
  }
}

/** The names of several tests of which some are gone, so that another may have it alone. */
async function noneOfSeveral(
  db: Db,
  projectId: string,
  { called }: IndexBuilder,
): Promise<string[]> {
  const several = [...called].filter(([, keys]) => keys.length > 1);
  const there = new Set<string>();
  for (const some of chunksOf(several.flatMap(([, keys]) => keys))) {
    const rows = await db
      .select({ key: tests.testKey })
      .from(tests)
      .where(and(eq(tests.projectId, projectId), inArray(tests.testKey, some)));
    for (const { key } of rows) there.add(key);
  }
  return several.flatMap(([name, keys]) => (keys.every((key) => there.has(key)) ? [] : name));
}

async function readFacts(
  db: Db,
  { facts }: IndexBuilder,
  resultSeqs: readonly number[],
): Promise<void> {
  const unknown = new Set(resultSeqs.map(batchOf).filter((batch) => !facts.has(batch)));
  for (const [batch, run] of await readRunFacts(db, [...unknown])) facts.set(batch, run);
}

interface ResultParts {
  storyIds: string[];
  resultSeq: number;
  status: string;
  durationMs: number | null;
  contentSha256: string | null;
}

function knownTest(
  facts: ReadonlyMap<number, RunFacts>,
  test: { seq: number; testKey: string; name: string; path: string[] },
  { storyIds, resultSeq, status, durationMs, contentSha256 }: ResultParts,
  linked: boolean,
): KnownTest {
  const run = facts.get(batchOf(resultSeq));
  const result = run && {
    ...run,
    ...{ status: status as TargetResult['status'], durationMs, ownFingerprint: contentSha256 },
  };
  return {
    ...{ key: test.testKey, seq: test.seq, name: joinedName(test.path, test.name) },
    ...{ storyIds, resultSeq, linked, result },
  };
}
