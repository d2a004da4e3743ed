// How the planner's order would have done on the project's own past runs.
import { sql } from 'drizzle-orm';
import { percentile } from '../../quality/commands/stats.ts';
import type { RunStatus } from '../../quality/runs/verdict.ts';
import { runInSlices, yieldToEventLoop } from '../../quality/scheduler.ts';
import type { Agents } from '../agents.ts';
import type { PlanInput } from './model.ts';
import { type Evaluation, type PastRun, replaySteps } from './replay.ts';

export const EVALUATED_RUNS = 20_000;

export interface PlanEvaluation extends Evaluation {
  runs: number;
}

/**
 * Replays the newest runs of a project's commands that count, by the rule of a strategy. Runs of one
 * plan are a cycle; of the others those at one commit in one environment; then those of one suite; and
 * then those of one day, in UTC.
 */
export async function evaluatePlanner(
  { database }: Pick<Agents, 'database'>,
  projectId: string,
  { commands, stories, request }: PlanInput,
): Promise<PlanEvaluation> {
  const runs = await readPastRuns(database.read, projectId);
  const { strategy } = request;
  const evaluation = await runInSlices(replaySteps({ commands, stories, runs }, { strategy }));
  return { runs: runs.length, ...evaluation };
}

type RunRow = [
  seq: number,
  commandId: string,
  status: RunStatus,
  durationMs: number | null,
  flaky: number,
  cycle: string,
];

const PAGE_SIZE = 1000;

async function readPastRuns(db: Agents['database']['read'], projectId: string): Promise<PastRun[]> {
  const rows: RunRow[] = [];
  const [first] = await db.values<[seq: number]>(sql`
    select seq from test_runs where project_id = ${projectId} and counts = 1
    order by seq desc limit 1 offset ${EVALUATED_RUNS}`);
  for (let behind = first?.[0] ?? 0; ; behind = rows.at(-1)?.[0] ?? 0) {
    const some: RunRow[] = await db.values(sql`
      select seq, command_id, status, duration_ms, coalesce(json_extract(totals, '$.flaky'), 0) > 0,
        case
          when plan_id is not null then 'plan ' || plan_id
          when commit_id is not null then 'commit ' || commit_id || ' ' || coalesce(environment, '')
          when suite_id is not null then 'suite ' || suite_id
          else 'day ' || date(created_at / 1000, 'unixepoch')
        end
      from test_runs
      where project_id = ${projectId} and counts = 1 and command_id is not null and seq > ${behind}
      order by seq limit ${PAGE_SIZE}`);
    rows.push(...some);
    if (some.length < PAGE_SIZE) break;
    await yieldToEventLoop();
  }
  // One of which no duration is known is taken to last as long as most.
  const typicalMs =
    percentile(
      rows.flatMap(([, , , durationMs]) => durationMs ?? []),
      0.5,
    ) ?? 0;
  return rows.map(([, commandId, outcome, durationMs, flaky, cycle]) => {
    return { commandId, outcome, durationMs: durationMs ?? typicalMs, flaky: flaky === 1, cycle };
  });
}
