import { and, desc, eq, inArray } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { testRuns } from '../../store/tables/quality.ts';
import type { StoryTrace } from '../coverage/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { readNamedTests } from './named-tests.ts';
import { batchOf, findTest } from './result-index.ts';
import { readRunFacts } from './run-facts.ts';
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

/** The newest results of tests on some branches, by the keys of the tests. */
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
      ...{ ...run, status: row.status as TargetResult['status'] },
      ...{ durationMs: row.durationMs, ownFingerprint: row.commandFingerprint },
    }
  );
}
