// The numbers behind the order, the same for every project. They are round, and what they are worth
// does not hang on one of them: on the robot tests that `scripts/bench/plan.ts` replays, mean APFD
// and APFDc stay within 0.004 and 0.006 when any of fade (0.6 to 0.9), latest (0.1 to 0.5), prior
// (0.1 to 0.5), priorRuns (0.5 to 3) or a weight (0 to 0.3) is another. Only the power of the cost
// trades one measure for the other. In a grid of 540 settings, those that are best on one half of the
// cycles reach on the other 0.646 and 0.661 (even to odd), 0.654 and 0.675 (odd to even), where these
// reach 0.654 and 0.665, 0.659 and 0.674. Tests on durations alone, or none, are another matter:
// prefer a replay of the project at hand.
import type { Strategy } from './model.ts';

/** Runs of a command that are looked at, the newest: what is older has faded. */
export const REMEMBERED_RUNS = 40;

/** Runs of a command that are recent. */
export const RECENT_RUNS = 10;

/** What a command is taken to last where no command has an estimate. */
export const UNKNOWN_ESTIMATE_MS = 10_000;

export interface PlanSettings {
  /** What a run weighs beside the one after it, 0 to 1. */
  fade: number;
  /** The part of the newest run alone in the chance of a failure; the faded history has the rest. */
  latest: number;
  /** The chance of a failure that a command without history is taken to have. */
  prior: number;
  /** The runs that this is worth beside a real history. */
  priorRuns: number;
  /** The power of a command's cost by which its score is divided: 0 leaves cost out. */
  costPower: number;
  /** The same where there is a budget of time: what does not fit is lost, so cost weighs more. */
  budgetCostPower: number;
  /** One item in so many is given to what has not run for long. */
  sliceEvery: number;
  /** Turns that a command must have missed for that; a turn is as many runs as there are commands. */
  missedTurns: number;
  /** What things weigh by strategy, beside a chance of failure of 0 to 1. */
  weights: Record<Strategy, Weights>;
}

export interface Weights {
  /** A command that is new, or changed since it last ran. */
  fresh: number;
  /** Risk, 0 to 1. */
  risk: number;
  /** A command that closes a gap in coverage. */
  gap: number;
}

export const DEFAULT_SETTINGS: PlanSettings = {
  fade: 0.75,
  latest: 0.25,
  prior: 0.3,
  priorRuns: 1,
  costPower: 0.1,
  budgetCostPower: 0.5,
  sliceEvery: 20,
  missedTurns: 2,
  weights: {
    full: { fresh: 0.15, risk: 0.1, gap: 0 },
    risk: { fresh: 0.15, risk: 0.3, gap: 0 },
    failures: { fresh: 0.15, risk: 0.1, gap: 0 },
    changed: { fresh: 0.5, risk: 0.1, gap: 0 },
    gaps: { fresh: 0.15, risk: 0.1, gap: 0.5 },
  },
};
