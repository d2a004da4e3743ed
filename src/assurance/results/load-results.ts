// Reading the latest results of a project: all that concern stories once, and from then on those of the
// runs that have come since, page by page, so that others have their turn.

import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, gt, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import {
  asCalled,
  isTestKey,
  joinedName,
  namesOfTest,
  readCalledTests,
} from '../../quality/reports/test-names.ts';
import { BATCH_SPAN } from '../../quality/runs/model.ts';
import type { Db } from '../../store/database.ts';
import {
  commandStats,
  latestResults,
  runBatches,
  testResults,
  testRuns,
  tests,
} from '../../store/tables/quality.ts';
import { addLink } from '../coverage/declared.ts';
import type { StoryTrace } from '../coverage/model.ts';
import type { RunFacts, TargetResult } from './model.ts';
import { batchOf, type KnownTest, NO_RESULTS, type ResultIndex } from './model.ts';
import { readRunFacts } from './run-facts.ts';

const BATCH_SIZE = 2000;

const LATEST = {
  seq: tests.seq,
  testKey: tests.testKey,
  name: tests.name,
  path: tests.path,
  file: tests.file,
  storyIds: latestResults.storyIds,
  resultSeq: latestResults.resultSeq,
  status: latestResults.status,
  durationMs: latestResults.durationMs,
  contentSha256: latestResults.contentSha256,
};

function latest(db: Db) {
  return db
    .select(LATEST)
    .from(latestResults)
    .innerJoin(tests, eq(tests.seq, latestResults.testSeq))
    .$dynamic();
}

type LatestRow = Awaited<ReturnType<typeof latest>>[number];

/**
 * The latest results of a project.
 *
 * @param wanted - the keys of tests that something else than their own results names, and the names
 *   that it calls others by
 * @param before - what was read earlier, of which nothing was taken away since
 */
export async function loadResults(
  db: Db,
  projectId: string,
  wanted: ReadonlySet<string>,
  before: ResultIndex = NO_RESULTS,
): Promise<ResultIndex> {
  // Looked up first: what is settled while the rest is read is read again the next time.
  const upTo = await settledUpTo(db, projectId);
  if (upTo === undefined) return NO_RESULTS;
  const isFirst = before === NO_RESULTS;
  const names = new Set([...wanted].filter((text) => !isTestKey(text)).map(asCalled));
  const isNew = isFirst || [...names].some((name) => !before.names.has(name));
  const called = new Map(isNew ? [] : [...before.called].filter(([name]) => names.has(name)));
  const candidates = isNew ? await keysOfNames(db, projectId, names) : [];
  const batches = isFirst ? [] : await batchesBehind(db, projectId, before.upTo);
  const unknown = [...wanted].filter((key) => !before.tests.has(key) && !before.wanted.has(key));
  if (!isFirst && batches.length + unknown.length + candidates.length === 0)
    return { ...before, upTo, wanted, names, called };
  const known = new Map(before.tests);
  const facts = new Map(before.facts);
  const relinked = new Set<string>();

  /** Whether a test has one of the names; with a second one of a name this means none. */
  function isCalled(row: LatestRow): boolean {
    const own = names.size === 0 ? [] : namesOfTest(row).filter((name) => names.has(name));
    for (const name of own) {
      const keys = called.get(name) ?? [];
      if (keys.length < 2 && !keys.includes(row.testKey)) called.set(name, [...keys, row.testKey]);
    }
    return own.length > 0;
  }

  async function put(rows: readonly LatestRow[]): Promise<void> {
    await addFacts(db, facts, rows);
    for (const row of rows) {
      const { testKey: key } = row;
      const concernsStories = isCalled(row) || row.storyIds !== null || wanted.has(key);
      const test = concernsStories ? knownTest(facts, row) : undefined;
      const stories = (one: KnownTest | undefined) => one?.storyIds.join('\n') ?? '';
      if (stories(known.get(key)) !== stories(test)) relinked.add(key);
      if (test) known.set(key, test);
      else known.delete(key);
    }
    await setImmediate();
  }

  if (isFirst) for await (const rows of readNaming(db, projectId)) await put(rows);
  for (const batch of batches) for await (const rows of readBatch(db, batch)) await put(rows);
  for await (const rows of readByKey(db, projectId, [...unknown, ...candidates])) await put(rows);
  const commands = await readCommandResults(db, projectId, facts);
  return {
    upTo,
    tests: known,
    linksOf: linksWith(before, known, relinked),
    commands,
    facts: needed(facts, known, commands),
    wanted,
    names,
    called,
  };
}

async function keysOfNames(
  db: Db,
  projectId: string,
  names: ReadonlySet<string>,
): Promise<string[]> {
  const keys: string[] = [];
  for await (const some of readCalledTests(db, projectId, names))
    keys.push(...some.map(({ key }) => key));
  return keys;
}

/**
 * The `seq` of the newest run before which all are settled; undefined where the project has none. Of
 * a run that is being settled some results are there, and others not yet.
 */
async function settledUpTo(db: Db, projectId: string): Promise<number | undefined> {
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

async function batchesBehind(db: Db, projectId: string, behind: number): Promise<number[]> {
  const rows = await db
    .select({ batch: testRuns.batch })
    .from(testRuns)
    .where(
      and(eq(testRuns.projectId, projectId), gt(testRuns.seq, behind), eq(testRuns.counts, true)),
    )
    .orderBy(asc(testRuns.seq));
  return rows.map(({ batch }) => batch);
}

async function* readNaming(db: Db, projectId: string): AsyncGenerator<LatestRow[]> {
  for (let behind = -1; ; ) {
    const rows = await latest(db)
      .where(
        and(
          eq(latestResults.projectId, projectId),
          isNotNull(latestResults.storyIds),
          gt(latestResults.testSeq, behind),
        ),
      )
      .orderBy(asc(latestResults.testSeq))
      .limit(BATCH_SIZE);
    yield rows;
    if (rows.length < BATCH_SIZE) return;
    behind = rows.at(-1)?.seq ?? behind;
  }
}

async function* readBatch(db: Db, batch: number): AsyncGenerator<LatestRow[]> {
  for (let from = batch * BATCH_SPAN; ; ) {
    const page = db
      .select({ seq: testResults.seq, testSeq: testResults.testSeq })
      .from(testResults)
      .where(and(gt(testResults.seq, from - 1), lt(testResults.seq, (batch + 1) * BATCH_SPAN)))
      .orderBy(asc(testResults.seq))
      .limit(BATCH_SIZE)
      .as('page');
    const rows = await db
      .select({ ...LATEST, at: page.seq })
      .from(page)
      .innerJoin(latestResults, eq(latestResults.testSeq, page.testSeq))
      .innerJoin(tests, eq(tests.seq, latestResults.testSeq))
      .orderBy(asc(page.seq));
    yield rows;
    if (rows.length < BATCH_SIZE) return;
    from = (rows.at(-1)?.at ?? from) + 1;
  }
}

async function* readByKey(
  db: Db,
  projectId: string,
  keys: readonly string[],
): AsyncGenerator<LatestRow[]> {
  for (let from = 0; from < keys.length; from += BATCH_SIZE) {
    const some = JSON.stringify(keys.slice(from, from + BATCH_SIZE));
    yield await latest(db).where(
      and(
        eq(tests.projectId, projectId),
        inArray(tests.testKey, sql`(select value from json_each(${some}))`),
      ),
    );
  }
}

async function addFacts(
  db: Db,
  facts: Map<number, RunFacts>,
  rows: readonly { resultSeq: number }[],
): Promise<void> {
  const unknown = new Set(rows.map((row) => batchOf(row.resultSeq)));
  for (const batch of facts.keys()) unknown.delete(batch);
  for (const [batch, run] of await readRunFacts(db, [...unknown])) facts.set(batch, run);
}

function knownTest(facts: ReadonlyMap<number, RunFacts>, row: LatestRow): KnownTest {
  const { seq, testKey, name, resultSeq, status, durationMs, contentSha256 } = row;
  const run = facts.get(batchOf(resultSeq));
  return {
    key: testKey,
    seq,
    name: joinedName(row.path, name),
    storyIds: row.storyIds ?? [],
    resultSeq,
    result: run && {
      ...run,
      status: status as TargetResult['status'],
      durationMs,
      ownFingerprint: contentSha256,
    },
  };
}

async function readCommandResults(
  db: Db,
  projectId: string,
  facts: Map<number, RunFacts>,
): Promise<ReadonlyMap<string, TargetResult>> {
  const rows = await db
    .select({
      commandId: commandStats.commandId,
      batch: commandStats.lastBatch,
      status: commandStats.lastStatus,
      durationMs: commandStats.lastDurationMs,
      fingerprint: commandStats.lastFingerprint,
    })
    .from(commandStats)
    .where(eq(commandStats.projectId, projectId));
  await addFacts(
    db,
    facts,
    rows.map(({ batch }) => ({ resultSeq: batch * BATCH_SPAN })),
  );
  const commands = new Map<string, TargetResult>();
  for (const { commandId, batch, status, durationMs, fingerprint } of rows) {
    const run = facts.get(batch);
    if (!run) continue;
    commands.set(commandId, {
      ...run,
      commandId,
      status: status as TargetResult['status'],
      durationMs,
      ownFingerprint: fingerprint,
    });
  }
  return commands;
}

function linksWith(
  before: ResultIndex,
  known: ReadonlyMap<string, KnownTest>,
  touched: ReadonlySet<string>,
): ResultIndex['linksOf'] {
  if (touched.size === 0) return before.linksOf;
  const fresh = new Map<string, StoryTrace[]>();
  const left = new Set<string>();
  for (const key of touched) {
    for (const storyId of before.tests.get(key)?.storyIds ?? []) left.add(storyId);
    const target = { kind: 'test', id: key } as const;
    for (const storyId of known.get(key)?.storyIds ?? [])
      addLink(fresh, storyId, { target, origin: 'tag' });
  }
  const linksOf = new Map(before.linksOf);
  const seqOf = ({ target }: StoryTrace) => known.get(target.id)?.seq ?? 0;
  for (const storyId of new Set([...fresh.keys(), ...left])) {
    const others = linksOf.get(storyId)?.filter(({ target }) => !touched.has(target.id)) ?? [];
    const links = [...others, ...(fresh.get(storyId) ?? [])];
    if (links.length === 0) linksOf.delete(storyId);
    else
      linksOf.set(
        storyId,
        links.sort((a, b) => seqOf(a) - seqOf(b)),
      );
  }
  return linksOf;
}

function needed(
  facts: ReadonlyMap<number, RunFacts>,
  known: ReadonlyMap<string, KnownTest>,
  commands: ReadonlyMap<string, TargetResult>,
): ResultIndex['facts'] {
  const runs = new Set<string>();
  for (const { result } of known.values()) if (result) runs.add(result.runId);
  for (const { runId } of commands.values()) runs.add(runId);
  return new Map([...facts].filter(([, { runId }]) => runs.has(runId)));
}
