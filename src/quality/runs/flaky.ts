// Flakiness, which is derived and never reported: a test that passed and failed in one run, or at one
// commit in one environment.

import type { Static } from '@sinclair/typebox';
import type { Share as ShareSchema } from '../../model/schemas.ts';
import type { Attempt, ResultStatus } from '../reports/model.ts';
import type { Flakiness } from './model.ts';

export function isFailing(status: string): boolean {
  return status === 'failed' || status === 'broken';
}

export function isFlaky(result: { status: ResultStatus; attempts: readonly Attempt[] }): boolean {
  if (result.attempts.length === 0) return false;
  const tries = [result, ...result.attempts];
  const passed = tries.some(({ status }) => status === 'passed');
  return passed && tries.some(({ status }) => isFailing(status));
}

export interface Sample {
  status: string;
  flaky: boolean;
  /** Where runs are compared: the commit with its environment; null where it is not known. */
  place: string | null;
}

export function placeOf(commit: string | null, environment: string | null): string | null {
  return commit === null ? null : JSON.stringify([commit, environment]);
}

export const [PASSED, FAILED] = [1, 2];

/** @param samples - the results of one test in runs that count, the oldest first */
export function flakinessOf(samples: readonly Sample[]): Flakiness {
  const places = new Map<string, number>();
  let [runs, failed, withinRun, flips] = [0, 0, 0, 0];
  let last: boolean | undefined;
  for (const { status, flaky, place } of samples) {
    const failing = isFailing(status);
    if (!failing && status !== 'passed') continue;
    runs += 1;
    if (failing) failed += 1;
    if (flaky) withinRun += 1;
    if (last === !failing) flips += 1;
    last = failing;
    if (place !== null) places.set(place, (places.get(place) ?? 0) | (failing ? FAILED : PASSED));
  }
  const acrossRuns = [...places.values()].filter((seen) => seen === (PASSED | FAILED)).length;
  return {
    flaky: withinRun > 0 || acrossRuns > 0,
    runs,
    passed: runs - failed,
    failed,
    withinRun,
    acrossRuns,
    flipRate: shareOf(flips, Math.max(0, runs - 1)),
  };
}

export type Share = Static<typeof ShareSchema>;

/** A part of a whole, rounded down: 9,999 of 10,000 is never all. */
export function shareOf(count: number, total: number): Share {
  const share = total === 0 ? null : Math.floor((count * 10_000) / total) / 10_000;
  return { count, total, share };
}
