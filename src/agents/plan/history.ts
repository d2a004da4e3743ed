// What a command's past says of its next run.
import { LETTERS, REMEMBERED_RUNS } from '../../quality/commands/outcomes.ts';
import type { History } from './model.ts';
import { type PlanSettings, RECENT_RUNS } from './settings.ts';

/** What is known of a command's runs. */
export interface Past {
  /** Recent runs that passed, failed or broke. */
  runs: number;
  /** Of these, those that failed or broke. */
  failures: number;
  /** Of these, those that were flaky. */
  flaky: number;
  /** The newest run failed or broke. */
  failedLast: boolean;
  /** The chance that the next one fails, 0 to 1. */
  failureChance: number;
  /** The share of flaky runs, fading like failures, 0 to 1. */
  flakiness: number;
}

/**
 * Reads a history: failures fade geometrically run by run, the newest run counts once more by
 * itself, and a short history is held back by what is expected of one that has none. A skipped run
 * says nothing, not even that time has passed.
 */
export function pastOf({ outcomes }: History, settings: PlanSettings): Past {
  const { fade, latest, prior, priorRuns } = settings;
  let [runs, failures, flaky] = [0, 0, 0];
  let [weight, weights, failed, flaked] = [1, 0, 0, 0];
  let failedLast = false;
  const end = Math.min(outcomes.length, REMEMBERED_RUNS);
  for (let at = 0; at < end; at += 1) {
    const code = outcomes.charCodeAt(at);
    const letter = code | 0x20;
    if (letter === SKIPPED) continue;
    const isRecent = runs < RECENT_RUNS;
    if (letter !== PASSED) {
      if (weights === 0) failedLast = true;
      if (isRecent) failures += 1;
      failed += weight;
    }
    if (code !== letter) {
      if (isRecent) flaky += 1;
      flaked += weight;
    }
    if (isRecent) runs += 1;
    weights += weight;
    weight *= fade;
  }
  const faded = (failed + prior * priorRuns) / (weights + priorRuns);
  const failureChance = runs === 0 ? prior : latest * (failedLast ? 1 : 0) + (1 - latest) * faded;
  const flakiness = runs === 0 ? 0 : flaked / (weights + priorRuns);
  return { runs, failures, flaky, failedLast, failureChance, flakiness };
}

const SKIPPED = LETTERS.skipped.charCodeAt(0);
const PASSED = LETTERS.passed.charCodeAt(0);
