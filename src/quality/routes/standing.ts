// How routes stand, by the newest runs that count of what exercises them. It says no more than is
// known: a result counts for a route where its command, or its scenario, names the route.

import type { ResultStatus } from '../reports/model.ts';
import type { CatalogRoute, RouteStanding } from './catalog-model.ts';

/** The newest run of something that exercises routes. */
export interface Exercise {
  status: ResultStatus;
  /** Milliseconds since the epoch. */
  at: number;
  /** False where it tells nothing of today: the command runs something else by now, or is not run. */
  passes: boolean;
  /** False where its failure is of no account besides: it is quarantined. */
  fails: boolean;
}

/** What is known of runs; undefined where there was none. */
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
  const look = (exercise: Exercise | undefined) => {
    if (!exercise || exercise.status === 'skipped' || exercise.status === 'unknown') return;
    lastExercisedAt = Math.max(lastExercisedAt ?? exercise.at, exercise.at);
    if (exercise.status === 'passed') passed ||= exercise.passes;
    else failed ||= exercise.fails;
  };
  for (const id of commandIds) look(ofCommand(id));
  for (const id of scenarioIds) look(ofScenario(id));
  return { status: failed ? 'failing' : passed ? 'covered' : 'untested', lastExercisedAt };
}
