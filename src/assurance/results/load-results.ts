// The latest results of a project, as far as they concern stories: read once, and from then on those of
// the runs that have come since.
import { setImmediate } from 'node:timers/promises';
import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import { joinedName } from '../../quality/reports/test-names.ts';
import { BATCH_SPAN } from '../../quality/runs/model.ts';
import { runTime } from '../../quality/runs/runs.ts';
import { runInSlices, type Steps } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import {
  commandStats,
  latestResults,
  runPins,
  testRuns,
  tests,
} from '../../store/tables/quality.ts';
import { addLink } from '../coverage/declared.ts';
import type { StoryTrace } from '../coverage/model.ts';
import { chunksOf } from '../state/state.ts';
import {
  batchOf,
  type KnownTest,
  NO_RESULTS,
  type ResultIndex,
  type RunFacts,
  type TargetResult,
} from './model.ts';

/** How many latest results are read while others wait. */
const BATCH_SIZE = 500;

/**
 * @param wanted - the keys of tests that something else than their own results names
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
  const keys = [...wanted].filter((key) => !before.tests.has(key) && !before.wanted.has(key));
  async function* seqs() {
    yield* before === NO_RESULTS ? seqsOfAll(db, projectId) : seqsSince(db, projectId, before.upTo);
    yield* chunksOf(await seqsOfKeys(db, projectId, keys), BATCH_SIZE);
  }

  const found = new Map(before.tests);
  const facts = new Map<number, RunFacts>();
  const seen = new Set<number>();
  let linksOf = before.linksOf;
  for await (const some of seqs()) {
    const unseen = some.filter((seq) => !seen.has(seq));
    for (const seq of unseen) seen.add(seq);
    const rows = await latestOf(db, unseen);
    const batches = new Set(rows.map(({ resultSeq }) => batchOf(resultSeq)));
    for (const batch of facts.keys()) batches.delete(batch);
    for (const [batch, run] of await readRunFacts(db, [...batches])) facts.set(batch, run);
    for (const row of rows) {
      const test = knownTest(facts, row);
      const linked = found.get(test.key)?.storyIds ?? [];
      if (linked.join('\n') !== test.storyIds.join('\n')) linksOf = NO_RESULTS.linksOf;
      if (test.storyIds.length > 0 || wanted.has(test.key)) found.set(test.key, test);
      else found.delete(test.key);
    }
    await setImmediate();
  }
  if (linksOf === NO_RESULTS.linksOf) linksOf = await runInSlices(linksOfTests(found));
  const commands = await readCommandResults(db, projectId, before.commands);
  return { upTo, tests: found, linksOf, commands, wanted };
}

/** The `seq` up to which all runs are settled: of a run that is being settled some results are missing. */
async function settledUpTo(db: Db, projectId: string): Promise<number | undefined> {
  const [row] = await db.values<[newest: number | null, open: number | null]>(sql`
    select (select max(seq) from test_runs where project_id = ${projectId}), (
      select min(r.seq) from run_batches b join test_runs r on r.batch = b.batch
      where b.project_id = ${projectId}
    )`);
  const [newest, open] = row ?? [null, null];
  return newest === null || open === null ? (newest ?? undefined) : open - 1;
}

async function* seqsOfAll(db: Db, projectId: string) {
  const query = (after: number) => sql`
    select test_seq, test_seq from latest_results
    where project_id = ${projectId} and story_ids is not null and test_seq > ${after}
    order by test_seq`;
  yield* readSeqs(db, 0, query);
}

async function* seqsSince(db: Db, projectId: string, upTo: number) {
  const runs = await db.values<[number]>(sql`
    select batch from test_runs
    where project_id = ${projectId} and seq > ${upTo} and counts = 1`);
  for (const [batch] of runs) {
    const query = (after: number) => sql`
      select seq, test_seq from test_results
      where seq > ${after} and seq < ${(batch + 1) * BATCH_SPAN} order by seq`;
    yield* readSeqs(db, batch * BATCH_SPAN - 1, query);
  }
}

/** @param query - gives rows after a key, in its order, with the numbers of tests beside it */
async function* readSeqs(db: Db, first: number, query: (after: number) => SQL) {
  for (let after = first; ; ) {
    const rows = await db.values<[key: number, seq: number]>(
      sql`${query(after)} limit ${BATCH_SIZE}`,
    );
    yield rows.map(([, seq]) => seq);
    if (rows.length < BATCH_SIZE) return;
    after = rows.at(-1)?.[0] ?? after;
  }
}

async function seqsOfKeys(db: Db, projectId: string, keys: readonly string[]): Promise<number[]> {
  const rows = await db.values<[number]>(sql`
    select t.seq from json_each(${JSON.stringify(keys)}) k
    join tests t on t.project_id = ${projectId} and t.test_key = k.value`);
  return rows.map(([seq]) => seq);
}

type LatestRow = Awaited<ReturnType<typeof latestOf>>[number];

function latestOf(db: Db, testSeqs: readonly number[]) {
  const { seq, testKey, name, path, file } = tests;
  const { storyIds, resultSeq, status, durationMs, contentSha256 } = latestResults;
  const columns = { seq, testKey, name, path, file, storyIds, resultSeq, status, durationMs };
  return db
    .select({ ...columns, contentSha256 })
    .from(latestResults)
    .innerJoin(tests, eq(seq, latestResults.testSeq))
    .where(
      inArray(
        latestResults.testSeq,
        sql`(select value from json_each(${JSON.stringify(testSeqs)}))`,
      ),
    );
}

function knownTest(facts: ReadonlyMap<number, RunFacts>, row: LatestRow): KnownTest {
  const { seq, testKey: key, resultSeq, durationMs, contentSha256 } = row;
  const run = facts.get(batchOf(resultSeq));
  const status = row.status as TargetResult['status'];
  return {
    key,
    seq,
    name: joinedName(row.path, row.name),
    suite: row.file ?? row.path[0] ?? null,
    storyIds: row.storyIds ?? [],
    resultSeq,
    result: run && { ...run, status, durationMs, ownFingerprint: contentSha256 },
  };
}

/** By story, in the order of the tests: to sort each story's holds nobody up, as to sort all would. */
function* linksOfTests(known: ReadonlyMap<string, KnownTest>): Steps<ResultIndex['linksOf']> {
  const byStory = new Map<string, KnownTest[]>();
  let done = 0;
  for (const test of known.values()) {
    if (done++ % BATCH_SIZE === 0) yield;
    for (const storyId of test.storyIds) {
      const some = byStory.get(storyId);
      if (some) some.push(test);
      else byStory.set(storyId, [test]);
    }
  }
  const linksOf = new Map<string, StoryTrace[]>();
  for (const [storyId, some] of byStory) {
    if (done++ % BATCH_SIZE === 0) yield;
    for (const { key } of some.sort((a, b) => a.seq - b.seq))
      addLink(linksOf, storyId, { target: { kind: 'test', id: key }, origin: 'tag' });
  }
  return linksOf;
}

/** The newest results of commands; those that were known are not read again. */
async function readCommandResults(
  db: Db,
  projectId: string,
  known: ResultIndex['commands'],
): Promise<ReadonlyMap<string, TargetResult>> {
  const { commandId, lastRunId, lastBatch, lastStatus, lastDurationMs, lastFingerprint } =
    commandStats;
  const rows = await db
    .select({ commandId, lastRunId, lastBatch, lastStatus, lastDurationMs, lastFingerprint })
    .from(commandStats)
    .where(eq(commandStats.projectId, projectId));
  const fresh = rows.filter((row) => known.get(row.commandId)?.runId !== row.lastRunId);
  const batches = fresh.map(({ lastBatch }) => lastBatch);
  const facts = await readRunFacts(db, batches);
  const commands = new Map<string, TargetResult>();
  for (const { commandId, lastBatch, lastDurationMs: durationMs, ...row } of rows) {
    const status = row.lastStatus as TargetResult['status'];
    const run = facts.get(lastBatch);
    const before = known.get(commandId);
    const ownFingerprint = row.lastFingerprint;
    if (run) commands.set(commandId, { ...run, commandId, status, durationMs, ownFingerprint });
    else if (before) commands.set(commandId, before);
  }
  return commands;
}

const { batch, seq, id, commandId, branch, startedAt, finishedAt, createdAt, revision } = testRuns;
const RUN = { batch, seq, id, commandId, branch, startedAt, finishedAt, createdAt, revision };

type Pins = Readonly<Record<string, readonly [own: string, deep: string]>>;

export async function readRunFacts(
  db: Db,
  batches: readonly number[],
): Promise<Map<number, RunFacts>> {
  const found = new Map<number, RunFacts>();
  for (const some of chunksOf(batches)) {
    const rows = await db
      .select({ run: RUN, pinned: runPins })
      .from(testRuns)
      .leftJoin(runPins, eq(runPins.batch, batch))
      .where(inArray(batch, some));
    for (const { run, pinned } of rows) {
      found.set(run.batch, {
        at: runTime(run),
        runId: run.id,
        runSeq: run.seq,
        receivedAt: run.createdAt,
        commandId: run.commandId,
        branch: run.branch,
        revision: run.revision,
        overlayClock: pinned?.overlayClock ?? null,
        ...fingerprintsOf(pinned?.pins ?? '{}'),
      });
    }
  }
  return found;
}

/** The fingerprints that a run has pinned: they are many, and parsed when the first is asked for. */
function fingerprintsOf(text: string): Pick<RunFacts, 'fingerprintOf' | 'deepFingerprintOf'> {
  let unread: string | undefined = text;
  let pins: Pins = {};
  function pinsOf(storyId: string) {
    if (unread !== undefined) {
      pins = JSON.parse(unread) as Pins;
      unread = undefined;
    }
    return Object.hasOwn(pins, storyId) ? pins[storyId] : undefined;
  }
  return {
    fingerprintOf: (storyId) => pinsOf(storyId)?.[0],
    deepFingerprintOf: (storyId) => pinsOf(storyId)?.[1],
  };
}
