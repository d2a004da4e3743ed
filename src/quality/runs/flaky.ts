// Flakiness, which is derived and never reported: a test that passed and failed in one run, or at one
// commit in one environment.
import type { Attempt, ResultStatus } from '../reports/model.ts';
import type { Flakiness } from './model.ts';
import { shareOf } from './share.ts';

/** Whether a status says that a test did not hold. */
export function isFailing(status: string): boolean {
  return status === 'failed' || status === 'broken';
}

/** Whether the tries of one result both passed and failed. */
export function isFlaky(result: { status: ResultStatus; attempts: readonly Attempt[] }): boolean {
  if (result.attempts.length === 0) return false;
  const tries = [result, ...result.attempts];
  return tries.some(({ status }) => isFailing(status)) && tries.some(passed);
}

function passed({ status }: { status: string }): boolean {
  return status === 'passed';
}

export interface Sample {
  status: string;
  /** Passed and failed in its run. */
  flaky: boolean;
  /** Where runs are compared: the commit with its environment; null where it is not known. */
  place: string | null;
}

export function placeOf(commit: string | null, environment: string | null): string | null {
  return commit === null ? null : JSON.stringify([commit, environment]);
}

/** @param samples - the results of one test in runs that count, the oldest first */
export function flakinessOf(samples: readonly Sample[]): Flakiness {
  const ran = samples.filter(({ status }) => status === 'passed' || isFailing(status));
  const passes = ran.filter(passed);
  const green = new Set(passes.map(({ place }) => place));
  const red = new Set(ran.flatMap(({ status, place }) => (isFailing(status) ? [place] : [])));
  const acrossRuns = [...green].filter((place) => place !== null && red.has(place)).length;
  const withinRun = ran.filter(({ flaky }) => flaky).length;
  const flips = ran.filter((one, at) => at > 0 && passed(one) !== passed(ran[at - 1] as Sample));
  return {
    flaky: withinRun > 0 || acrossRuns > 0,
    runs: ran.length,
    passed: passes.length,
    failed: ran.length - passes.length,
    withinRun,
    acrossRuns,
    flipRate: shareOf(flips.length, Math.max(0, ran.length - 1)),
  };
}
