// The commands that agents have claimed and have not reported yet.
import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { runStates } from '../../store/tables/agents.ts';

/** The newest runs that are under way, by the ids of their commands. */
export async function readRunningCommands(
  db: Db,
  projectId: string,
): Promise<ReadonlyMap<string, string>> {
  const { id, commandId, state, seq } = runStates;
  const rows = await db
    .select({ id, commandId })
    .from(runStates)
    .where(
      and(
        eq(runStates.projectId, projectId),
        inArray(state, ['queued', 'running']),
        isNotNull(commandId),
      ),
    )
    .orderBy(seq);
  return new Map(rows.map((row) => [row.commandId ?? '', row.id]));
}
