// The latest results of the judged branches, and of tests that no story knows of: read when they are asked for.

import { setImmediate } from 'node:timers/promises';
import { and, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import { BATCH_SPAN } from '../../quality/runs/model.ts';
import type { Db } from '../../store/database.ts';
import { testResults, testRuns, tests } from '../../store/tables/quality.ts';
import type { StoryTrace } from '../coverage/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { chunksOf } from '../state/state.ts';
import type { TargetResult } from './model.ts';
import { batchOf, findTest } from './model.ts';
import { readRunFacts } from './run-facts.ts';
import { targetKey } from './target-results.ts';

type Target = StoryTrace['target'];

export type FindJudged = (target: Target) => TargetResult | undefined;

/**
 * Reads the newest judged results of some targets.
 *
 * @param branches - those that are judged; null for all
 */
export async function readJudgedResults(
  db: Db,
  state: AssuranceState,
  targets: Iterable<Target>,
  branches: readonly string[] | null,
): Promise<FindJudged> {
  const newest: FindJudged = (target) => state.results.of(target);
  if (branches === null) return newest;
  const isJudged = (result: TargetResult | undefined) =>
    result?.branch != null && branches.includes(result.branch);
  const others = [...targets].filter((target) => {
    const result = newest(target);
    return result !== undefined && !isJudged(result);
  });
  const { tests } = state.tests;
  const testsOf = ({ kind, id }: Target) =>
    kind === 'test'
      ? [findTest(state.tests, id)?.key ?? id]
      : kind === 'scenario'
        ? state.runsOf(id)
        : [];
  const keys = new Set(
    others.flatMap(testsOf).filter((key) => tests.has(key) && !isJudged(tests.get(key)?.result)),
  );
  const older = await readTests(db, state.effective.projectId, [...keys], branches);
  const found = new Map<string, TargetResult>();
  for (const target of others) {
    const commandId = target.kind === 'command' ? state.commands.find(target.id)?.id : undefined;
    const runs = testsOf(target).flatMap((key) => (keys.has(key) ? older : tests).get(key) ?? []);
    const last = runs.sort((a, b) => b.resultSeq - a.resultSeq)[0]?.result;
    const result = commandId ? await readCommandRun(db, commandId, branches) : last;
    if (result) found.set(targetKey(target), result);
  }
  return (target) => {
    const result = newest(target);
    return isJudged(result) ? result : found.get(targetKey(target));
  };
}

interface JudgedTestResult {
  /** Where it stands among all results. */
  resultSeq: number;
  result: TargetResult;
}

async function readTests(
  db: Db,
  projectId: string,
  keys: readonly string[],
  branches: readonly string[],
): Promise<ReadonlyMap<string, JudgedTestResult>> {
  const found = new Map<string, JudgedTestResult>();
  for await (const rows of readNamedTests(db, projectId, keys, branches)) {
    const batches = new Set(rows.map(({ own }) => batchOf(own.resultSeq)));
    const facts = await readRunFacts(db, [...batches]);
    for (const { testKey, own } of rows) {
      const { resultSeq, durationMs, contentSha256: ownFingerprint } = own;
      const status = own.status as TargetResult['status'];
      const run = facts.get(batchOf(resultSeq));
      if (run)
        found.set(testKey, { resultSeq, result: { ...run, status, durationMs, ownFingerprint } });
    }
  }
  return found;
}

async function readCommandRun(
  db: Db,
  commandId: string,
  branches: readonly string[],
): Promise<TargetResult | undefined> {
  const [row] = await db
    .select()
    .from(testRuns)
    .where(
      and(
        eq(testRuns.commandId, commandId),
        eq(testRuns.counts, true),
        inArray(testRuns.branch, [...branches]),
      ),
    )
    .orderBy(desc(testRuns.seq))
    .limit(1);
  if (!row) return undefined;
  const run = (await readRunFacts(db, [row.batch])).get(row.batch);
  return (
    run && {
      ...run,
      status: row.status as TargetResult['status'],
      durationMs: row.durationMs,
      ownFingerprint: row.commandFingerprint,
    }
  );
}

export interface NamedTest {
  seq: number;
  testKey: string;
  name: string;
  path: string[];
  own: {
    resultSeq: number;
    status: string;
    durationMs: number | null;
    contentSha256: string | null;
  };
}

function newestOf(branches: readonly string[] | null) {
  const ofBranch = branches === null ? sql`` : sql`and ${inArray(sql`u.branch`, [...branches])}`;
  return sql<number | null>`(
    select r.seq from test_results r where r.test_seq = tests.seq and exists (
      select 1 from test_runs u where u.batch = r.seq / 131072 and u.counts = 1 ${ofBranch}
    ) order by r.seq desc limit 1
  )`;
}

/**
 * Finds tests by their keys, with their newest results that count; those without are left out.
 *
 * @param branches - of which the results are to be; null for any
 */
export async function* readNamedTests(
  db: Db,
  projectId: string,
  keys: readonly string[],
  branches: readonly string[] | null = null,
): AsyncGenerator<NamedTest[]> {
  for (const some of chunksOf(keys)) {
    const found = await db
      .select({ newest: newestOf(branches) })
      .from(tests)
      .where(and(eq(tests.projectId, projectId), inArray(tests.testKey, some)));
    const newest = found.flatMap((row) => row.newest ?? []);
    if (newest.length > 0) {
      yield await db
        .select({
          seq: tests.seq,
          testKey: tests.testKey,
          name: tests.name,
          path: tests.path,
          own: {
            resultSeq: testResults.seq,
            status: testResults.status,
            durationMs: testResults.durationMs,
            contentSha256: testResults.contentSha256,
          },
        })
        .from(testResults)
        .innerJoin(tests, eq(tests.seq, testResults.testSeq))
        .where(inArray(testResults.seq, newest));
    }
    await setImmediate();
  }
}

const KEYS_AT_ONCE = 2000;

export async function* readTestKeys(db: Db, batch: number): AsyncGenerator<string[]> {
  let behind = batch * BATCH_SPAN - 1;
  for (;;) {
    const rows = await db
      .select({ seq: testResults.seq, key: tests.testKey })
      .from(testResults)
      .innerJoin(tests, eq(tests.seq, testResults.testSeq))
      .where(and(gt(testResults.seq, behind), lt(testResults.seq, (batch + 1) * BATCH_SPAN)))
      .orderBy(testResults.seq)
      .limit(KEYS_AT_ONCE);
    yield rows.map(({ key }) => key);
    if (rows.length < KEYS_AT_ONCE) return;
    behind = rows.at(-1)?.seq ?? behind;
    await setImmediate();
  }
}
