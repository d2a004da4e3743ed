// How routes stand, by the newest runs that count of what exercises them. It says no more than is
// known: a result counts for a route where its command, or its scenario, names the route.
import { asc, eq } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { commandStats, testCommands } from '../../store/tables/quality.ts';
import { stateOf } from '../commands/model.ts';
import type { ResultStatus } from '../reports/model.ts';
import type { CatalogRoute, RouteStanding } from './catalog-model.ts';

export interface Exercise {
  status: ResultStatus;
  /** Milliseconds since the epoch. */
  at: number;
  /** False where it says nothing of today: the command runs something else by now, or is not run. */
  passes: boolean;
  /** False where its failure is of no account besides: it is quarantined. */
  fails: boolean;
}

export interface Exercises {
  ofCommand(id: string): Exercise | undefined;
  ofScenario(id: string): Exercise | undefined;
}

/**
 * `failing` where one of them failed or broke, else `covered` where one passed, else `untested`.
 * Skipped runs exercise nothing.
 */
export function standingOf(
  { commandIds, scenarioIds }: Pick<CatalogRoute, 'commandIds' | 'scenarioIds'>,
  { ofCommand, ofScenario }: Exercises,
): RouteStanding {
  let lastExercisedAt: number | null = null;
  let [failed, passed] = [false, false];
  for (const exercise of [...commandIds.map(ofCommand), ...scenarioIds.map(ofScenario)]) {
    if (!exercise || exercise.status === 'skipped' || exercise.status === 'unknown') continue;
    lastExercisedAt = Math.max(lastExercisedAt ?? exercise.at, exercise.at);
    if (exercise.status === 'passed') passed ||= exercise.passes;
    else failed ||= exercise.fails;
  }
  return { status: failed ? 'failing' : passed ? 'covered' : 'untested', lastExercisedAt };
}

/** The commands of a project that declare routes and are not archived, in the order they came. */
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

export async function readExercises(
  db: Db,
  projectId: string,
  rows: readonly DeclaringRow[],
  now: number,
): Promise<ReadonlyMap<string, Exercise>> {
  const exercises = new Map<string, Exercise>();
  if (rows.length === 0) return exercises;
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
    const last = lastOf.get(row.id);
    if (!last) continue;
    const state = stateOf(row, now);
    const passes = state !== 'disabled' && last.fingerprint === row.fingerprint;
    const fails = passes && state !== 'quarantined';
    exercises.set(row.id, { status: last.status as ResultStatus, at: last.at, passes, fails });
  }
  return exercises;
}
