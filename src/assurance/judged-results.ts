// Newest results on the branches that a project judges by, where its newest of all may be on others.
import { setImmediate } from 'node:timers/promises';
import { and, desc, eq, gt, inArray, lt } from 'drizzle-orm';
import { BATCH_SPAN } from '../quality/result-rows.ts';
import type { Db } from '../store/database.ts';
import { testResults, testRuns } from '../store/tables/quality.ts';
import type { StoryTrace } from './coverage-model.ts';
import { readNamedTests } from './named-tests.ts';
import { batchOf } from './result-index.ts';
import { readRunFacts } from './run-facts.ts';
import type { AssuranceState } from './state.ts';
import { type TargetResult, targetKey } from './target-results.ts';

type Target = StoryTrace['target'];

/** Finds the newest judged result of a target. */
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
  const found = new Map<string, TargetResult>();
  const { projectId } = state.effective;
  const keys = others.flatMap(({ kind, id }) => (kind === 'test' ? [id] : []));
  for await (const rows of readNamedTests(db, projectId, keys, branches)) {
    const facts = await readRunFacts(db, [
      ...new Set(rows.map(({ own }) => batchOf(own.resultSeq))),
    ]);
    for (const { testKey: id, own } of rows) {
      const run = facts.get(batchOf(own.resultSeq));
      if (!run) continue;
      found.set(targetKey({ kind: 'test', id }), {
        ...{ ...run, status: own.status as TargetResult['status'] },
        ...{ durationMs: own.durationMs, ownFingerprint: own.contentSha256 },
      });
    }
  }
  for (const target of others) {
    const commandId = target.kind === 'command' ? state.commands.find(target.id)?.id : undefined;
    const result = commandId && (await readCommandRun(db, commandId, branches));
    if (result) found.set(targetKey(target), result);
  }
  return (target) => {
    const result = newest(target);
    return isJudged(result) ? result : found.get(targetKey(target));
  };
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
        eq(testRuns.counts, 1),
        inArray(testRuns.branch, [...branches]),
      ),
    )
    .orderBy(desc(testRuns.seq))
    .limit(1);
  if (!row) return undefined;
  const run = (await readRunFacts(db, [row.batch])).get(row.batch);
  return (
    run && {
      ...{ ...run, status: row.status as TargetResult['status'] },
      ...{ durationMs: row.durationMs, ownFingerprint: row.commandFingerprint },
    }
  );
}

const PAGE = 5000;

/** The `seq`s of the tests of a batch. */
export async function testsOfBatch(db: Db, batch: number): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  let behind = batch * BATCH_SPAN - 1;
  for (;;) {
    const rows = await db
      .select({ seq: testResults.seq, test: testResults.testSeq })
      .from(testResults)
      .where(and(gt(testResults.seq, behind), lt(testResults.seq, (batch + 1) * BATCH_SPAN)))
      .orderBy(testResults.seq)
      .limit(PAGE);
    for (const { test } of rows) found.add(test);
    if (rows.length < PAGE) return found;
    behind = rows.at(-1)?.seq ?? behind;
    await setImmediate();
  }
}
