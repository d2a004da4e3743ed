// Commands as the routes see them: what they declare, and how their newest run went.
import { asc, eq } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { commandStats, testCommands } from '../../store/tables/quality.ts';
import { stateOf } from '../commands/model.ts';
import type { DeclaringCommand } from './catalog-build.ts';
import type { Exercise } from './standing.ts';

/** The commands of a project that are not archived, in the order in which they came. */
export async function readDeclaring(db: Db, projectId: string) {
  const rows = await db
    .select({
      id: testCommands.id,
      routes: testCommands.routes,
      storyIds: testCommands.storyIds,
      state: testCommands.state,
      quarantine: testCommands.quarantine,
      fingerprint: testCommands.fingerprint,
    })
    .from(testCommands)
    .where(eq(testCommands.projectId, projectId))
    .orderBy(asc(testCommands.seq));
  return rows.filter(({ state, routes }) => state !== 'archived' && routes.length > 0);
}

export type DeclaringRow = Awaited<ReturnType<typeof readDeclaring>>[number];

/** What a command declares. */
export function declaring({ id, routes, storyIds }: DeclaringRow): DeclaringCommand {
  return { id, routes, storyIds };
}

/**
 * The newest runs of commands, by their ids.
 *
 * @returns with `until` when the first quarantine ends, infinite where there is none
 */
export async function readExercises(
  db: Db,
  projectId: string,
  rows: readonly DeclaringRow[],
  now: number,
): Promise<{ exercises: Map<string, Exercise>; until: number }> {
  const exercises = new Map<string, Exercise>();
  let until = Number.POSITIVE_INFINITY;
  if (rows.length === 0) return { exercises, until };
  const stats = await db
    .select({
      commandId: commandStats.commandId,
      status: commandStats.lastStatus,
      at: commandStats.lastAt,
      fingerprint: commandStats.lastFingerprint,
    })
    .from(commandStats)
    .where(eq(commandStats.projectId, projectId));
  const lastOf = new Map(stats.map((last) => [last.commandId, last]));
  for (const row of rows) {
    const state = stateOf(row, now);
    if (state === 'quarantined') until = Math.min(until, row.quarantine?.until ?? until);
    const last = lastOf.get(row.id);
    if (!last) continue;
    const isOfToday = state !== 'disabled' && last.fingerprint === row.fingerprint;
    exercises.set(row.id, {
      ...{ status: last.status as Exercise['status'], at: last.at },
      ...{ passes: isOfToday, fails: isOfToday && state !== 'quarantined' },
    });
  }
  return { exercises, until };
}
