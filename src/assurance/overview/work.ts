// What runs now: the runs that agents hold, by their leases.
import { and, desc, eq, inArray } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import type { Db } from '../../store/database.ts';
import { leases, runStates } from '../../store/tables/agents.ts';
import { testCommands } from '../../store/tables/quality.ts';
import type { AgentAtWork, Overview } from './model.ts';

const MAX_RUNS = 1000;
const MAX_AGENTS = 10;
const RUNS_SHOWN = 5;

export async function readWork(
  db: Db,
  projectId: string,
): Promise<{ agents: Overview['agents']; queued: number; running: number }> {
  const { id, state, progress, commandId, item, agent, suiteId, leaseId } = runStates;
  const rows = await db
    .select({
      runId: id,
      state,
      progress,
      commandId,
      item,
      agent,
      suiteId,
      leaseId,
      command: testCommands.name,
      expiresAt: leases.expiresAt,
    })
    .from(runStates)
    .innerJoin(leases, eq(leases.id, leaseId))
    .leftJoin(testCommands, eq(testCommands.id, commandId))
    .where(
      and(
        eq(runStates.projectId, projectId),
        inArray(state, ['queued', 'running']),
        eq(runStates.fromWidget, false),
      ),
    )
    .orderBy(desc(state), runStates.seq)
    .limit(MAX_RUNS);
  const byLease = [...Map.groupBy(rows, (row) => row.leaseId).values()];
  const items = byLease.slice(0, MAX_AGENTS).flatMap((own): AgentAtWork[] => {
    const [first] = own;
    if (!first) return [];
    return [
      {
        name: first.agent?.name ?? null,
        version: first.agent?.version ?? null,
        leaseId: first.leaseId ?? '',
        leaseExpiresAt: timestamp(first.expiresAt),
        suiteId: first.suiteId,
        total: own.length,
        runs: own.slice(0, RUNS_SHOWN).map((run) => ({
          runId: run.runId,
          commandId: run.commandId,
          name: run.command ?? run.item?.name ?? null,
          state: run.state as 'queued' | 'running',
          progress: run.progress,
        })),
      },
    ];
  });
  const running = rows.filter((row) => row.state === 'running').length;
  return {
    agents: { leases: byLease.length, items },
    running,
    queued: rows.length - running,
  };
}
