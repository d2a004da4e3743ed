// Agents as their runs show them, and what is known beside a run: its stories, and how long it should take.
import type { Static } from '@sinclair/typebox';
import { and, desc, eq, getTableColumns, inArray, isNull, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { percentile, statsOfAll } from '../../quality/commands/rows.ts';
import type { Db } from '../../store/database.ts';
import { leases, type RunStateRow, runStates } from '../../store/tables/agents.ts';
import type { AgentName } from '../../store/tables/json.ts';
import type { Agents } from '../agents.ts';
import { ESTIMATE_RUNS } from '../plan/score.ts';
import { type RunAbout, runStateView, type SeenAgent } from './model.ts';
import type { LeasedRun } from './rows.ts';

const DAY_MS = 24 * 3600 * 1000;
const RUNS_LOOKED_AT = 10_000;
const MAX_AGENTS = 200;
/** Of an agent, the runs that are shown. */
const MAX_HELD = 20;
const MAX_STORIES = 20;

type Item = Static<typeof SeenAgent>;
type Newest = [agent: string, tokenId: string, label: string | null, seenAt: number, runs: number];

/** Those seen in the last day, whoever wrote last first. */
export async function listAgents(agents: Agents, projectId: string, now: number): Promise<Item[]> {
  const { read: db } = agents.database;
  // Of a query with max() SQLite takes the other columns from the row that has it.
  const seen = await db.values<Newest>(sql`
    select agent, author_token, author_label, max(coalesce(heartbeat_at, created_at)) seen, count(*)
    from (
      select * from run_states indexed by run_states_project where project_id = ${projectId}
      order by seq desc limit ${RUNS_LOOKED_AT})
    where agent is not null and from_widget = 0
    group by agent ->> 'name', author_token having seen > ${now - DAY_MS}
    order by seen desc limit ${MAX_AGENTS}`);
  const held = Map.groupBy(await heldRuns(db, projectId), ({ run }) =>
    keyOf(run.agent as AgentName, run.authorToken),
  );
  const holdsOf = ([agent, tokenId]: Newest) => held.get(keyOf(JSON.parse(agent), tokenId)) ?? [];
  const shown = seen.flatMap((one) => holdsOf(one).slice(0, MAX_HELD));
  const aboutOf = await aboutRuns(agents, projectId, shown);
  return seen.map((one): Item => {
    const [agent, tokenId, label, seenAt, runs] = one;
    const holds = holdsOf(one);
    return {
      agent: JSON.parse(agent) as AgentName,
      author: { tokenId, label },
      state: holds.length > 0 ? 'working' : 'idle',
      seenAt: timestamp(seenAt),
      runs,
      holding: holds.length,
      holds: holds.slice(0, MAX_HELD).map(({ run, lease }) => {
        return { ...runStateView(run, lease), ...aboutOf(run) };
      }),
    };
  });
}

function keyOf({ name }: AgentName, tokenId: string): string {
  return `${tokenId} ${name}`;
}

async function heldRuns(db: Db, projectId: string): Promise<LeasedRun[]> {
  return db
    .select({ run: getTableColumns(runStates), lease: getTableColumns(leases) })
    .from(runStates)
    .innerJoin(leases, eq(leases.id, runStates.leaseId))
    .where(
      and(
        eq(runStates.projectId, projectId),
        inArray(runStates.state, ['queued', 'running']),
        isNull(leases.endedAt),
        sql`${runStates.agent} is not null and ${runStates.fromWidget} = 0`,
      ),
    )
    .orderBy(desc(runStates.state), runStates.seq);
}

export async function aboutRuns(
  { database, effective }: Pick<Agents, 'database' | 'effective'>,
  projectId: string,
  runs: readonly LeasedRun[],
): Promise<(run: RunStateRow) => RunAbout> {
  const commandIds = new Set(runs.flatMap(({ run }) => run.commandId ?? []));
  const stats = await statsOfAll(database.read, [...commandIds]);
  const graph = await effective.of(projectId);
  return ({ commandId, pins }) => {
    const durations = stats.get(commandId ?? '')?.durations.slice(0, ESTIMATE_RUNS) ?? [];
    const ids = Object.keys(pins).slice(0, MAX_STORIES);
    return {
      stories: ids.map((id) => ({ id, title: graph.node(id)?.title ?? null })),
      estimateMs: percentile(durations, 0.5),
    };
  };
}
