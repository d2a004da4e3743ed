// The latest results of some runs alone: of the judged branches, of a commit, until some time.
import { type SQL, sql } from 'drizzle-orm';
import { BATCH_SPAN } from '../../quality/runs/model.ts';
import type { Db } from '../../store/database.ts';
import type { StoryTrace } from '../coverage/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { readRunFacts } from './load-results.ts';
import { batchOf, findTest, type TargetResult } from './model.ts';
import { targetKey } from './target-results.ts';

type Target = StoryTrace['target'];

export type FindJudged = (target: Target) => TargetResult | undefined;

/** @param branches - those that are judged; null for all */
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
  const others = [...targets].filter((target) => newest(target) && !isJudged(newest(target)));
  const isBranch = sql`u.branch in (select value from json_each(${JSON.stringify(branches)}))`;
  const find = await readNewestResults(db, state, others, isBranch);
  return (target) => {
    const result = newest(target);
    return isJudged(result) ? result : find(target);
  };
}

/** @param isTaken - whether a run `u` of those that count is one to look at */
export async function readNewestResults(
  db: Db,
  state: AssuranceState,
  targets: readonly Target[],
  isTaken: SQL,
): Promise<FindJudged> {
  const namesOf = ({ kind, id }: Target): readonly string[] => {
    if (kind === 'test') return [findTest(state.tests, id)?.key ?? id];
    if (kind === 'command') return [state.commands.find(id)?.id ?? id];
    return state.runsOf(id);
  };
  const isRun = sql`u.counts = 1 and ${isTaken}`;
  const named = (kinds: readonly string[]) =>
    JSON.stringify(targets.flatMap((one) => (kinds.includes(one.kind) ? namesOf(one) : [])));
  const results = new Map([
    ...(await readResults(
      db,
      sql`select distinct t.test_key, r.seq, r.status, r.duration_ms, r.content_sha256
        from json_each(${named(['test', 'scenario'])}) k
        join tests t on t.project_id = ${state.effective.projectId} and t.test_key = k.value
        join test_results r on r.seq = (
          select own.seq from test_results own join test_runs u on u.batch = own.seq / ${SPAN}
          where own.test_seq = t.seq and ${isRun} order by own.seq desc limit 1)`,
    )),
    ...(await readResults(
      db,
      sql`select distinct r.command_id, r.batch * ${SPAN}, r.status, r.duration_ms, r.command_fingerprint
        from json_each(${named(['command'])}) k
        join test_runs r on r.seq = (
          select u.seq from test_runs u where u.command_id = k.value and ${isRun}
          order by u.seq desc limit 1)`,
    )),
  ]);
  const found = new Map(
    targets.map((target) => {
      const own = namesOf(target).flatMap((name) => results.get(name) ?? []);
      return [targetKey(target), own.sort((a, b) => b.resultSeq - a.resultSeq)[0]?.result];
    }),
  );
  return (target) => found.get(targetKey(target));
}

const SPAN = sql.raw(String(BATCH_SPAN));

type ResultRow = [
  name: string,
  resultSeq: number,
  status: TargetResult['status'],
  durationMs: number | null,
  ownFingerprint: string | null,
];

async function readResults(db: Db, query: SQL) {
  const rows = await db.values<ResultRow>(query);
  const facts = await readRunFacts(db, [...new Set(rows.map((row) => batchOf(row[1])))]);
  return rows.flatMap(([name, resultSeq, status, durationMs, ownFingerprint]) => {
    const run = facts.get(batchOf(resultSeq));
    if (!run) return [];
    return [[name, { resultSeq, result: { ...run, status, durationMs, ownFingerprint } }] as const];
  });
}
