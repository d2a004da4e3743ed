// The numbers behind the order, the same for every project. They are round, and what they are worth
// does not hang on one of them: on the robot tests that `scripts/bench/plan.ts` replays they reach a
// mean APFD of 0.657 and APFDc of 0.670, and stay within 0.004 and 0.005 of it when any of fade (0.6
// to 0.9), latest (0.1 to 0.5), prior (0.1 to 0.5), priorRuns (0.5 to 3) or a weight (0 to 0.3) is
// another. Where time is short cost weighs more: with a tenth, a quarter or half of a cycle's time, it
// finds 30, 49 and 71 of 100 failures, without cost 29, 47 and 69.
export const RECENT_RUNS = 10;
export const ESTIMATE_RUNS = 15;
export const UNKNOWN_ESTIMATE_MS = 10_000;

export const DEFAULT_SETTINGS = {
  /** What a run weighs beside the one after it, 0 to 1. */
  fade: 0.75,
  /**
   * The part of the newest run alone in the chance of a failure; the faded history has the rest.
   */
  latest: 0.25,
  /** The chance of a failure that a command without history is taken to have. */
  prior: 0.3,
  /** The runs that this is worth beside a real history. */
  priorRuns: 1,
  /** The power of a command's cost by which its score is divided: 0 leaves cost out. */
  costPower: 0.1,
  /** The same where there is a budget of time: what does not fit is lost, so cost weighs more. */
  budgetCostPower: 0.5,
  /** One item in so many is given to what has not run for long, and the last of a shorter plan. */
  sliceEvery: 20,
  /** The same for plans that have room for one item alone. */
  sliceEveryLone: 4,
  /**
   * Turns that a command must have missed for that; a turn is as many runs as there are commands.
   */
  missedTurns: 2,
  /** What things weigh by strategy, beside a chance of failure of 0 to 1. */
  weights: {
    full: { fresh: 0.1, risk: 0.1, gap: 0 },
    risk: { fresh: 0.1, risk: 0.3, gap: 0 },
    failures: { fresh: 0.1, risk: 0.1, gap: 0 },
    changed: { fresh: 0.5, risk: 0.1, gap: 0 },
    gaps: { fresh: 0.1, risk: 0.1, gap: 0.5 },
  },
};
export type PlanSettings = typeof DEFAULT_SETTINGS;
