// The commands that next actions could use, of all that a project has: more than a handoff shows.
import { and, eq, ne } from 'drizzle-orm';
import { stateOf } from '../../quality/command-model.ts';
import type { Db } from '../../store/database.ts';
import { commandStats, testCommands } from '../../store/tables/quality.ts';

export interface CommandsAtHand {
  active: number;
  /** Those of them that never ran. */
  unrun: number;
  /** The id of one that may verify other stories too; null where there is none. */
  toLink: string | null;
}

/** Reads which commands are at hand, by their keys. */
export async function readCommandsAtHand(
  db: Db,
  projectId: string,
  now: number,
): Promise<CommandsAtHand> {
  const { id, kind, state, quarantine } = testCommands;
  const rows = await db
    .select({ id, kind, state, quarantine, ran: commandStats.lastRunId })
    .from(testCommands)
    .leftJoin(commandStats, eq(commandStats.commandId, testCommands.id))
    .where(and(eq(testCommands.projectId, projectId), ne(testCommands.state, 'archived')))
    .orderBy(testCommands.key);
  const active = rows.filter((row) => stateOf(row, now) === 'active');
  return {
    active: active.length,
    unrun: active.filter(({ ran }) => ran === null).length,
    // One that somebody carries out by hand was made for its own stories.
    toLink: active.find((row) => row.kind !== 'manual')?.id ?? null,
  };
}
