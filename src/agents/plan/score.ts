// The score of a command: how likely it is to find something, and what that matters, for its cost.
import { LETTERS, REMEMBERED_RUNS } from '../../quality/commands/rows.ts';
import type { History, PlanCommand, PlanStory, Strategy } from './model.ts';

// The numbers behind the order, the same for every project. They are round, and what they are worth
// does not hang on one of them: on the robot tests that `scripts/bench/plan.ts` replays they reach a
// mean APFD of 0.656 and APFDc of 0.668. With another rule for the slice they stayed within 0.004 and
// 0.005 of it when any of fade (0.6 to 0.9), latest (0.1 to 0.5), prior (0.1 to 0.5), priorRuns (0.5 to
// 3) or a weight (0 to 0.3) was another; and with a tenth, a quarter or half of a cycle's time, in which
// cost weighs more, they found 30, 49 and 71 of 100 failures, without cost 29, 47 and 69.
export const RECENT_RUNS = 10;
export const ESTIMATE_RUNS = 15;
export const UNKNOWN_ESTIMATE_MS = 10_000;

export const DEFAULT_SETTINGS = {
  /** What a run weighs beside the one after it, 0 to 1. */
  fade: 0.75,
  /** The part of the newest run alone in the chance of a failure; the rest is of the history. */
  latest: 0.25,
  /** The chance of a failure that a command without history is taken to have. */
  prior: 0.3,
  /** The runs that this is worth beside a real history. */
  priorRuns: 1,
  /** The power of a command's cost by which its score is divided: 0 leaves cost out. */
  costPower: 0.1,
  /** The same where there is a budget of time: what does not fit is lost, so cost weighs more. */
  budgetCostPower: 0.5,
  /** One item in so many is given to what has not run for long. */
  sliceEvery: 20,
  /** Turns that it must have missed for that; a turn is as many runs as there are commands. */
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

/**
 * Reads a history: failures fade geometrically run by run, the newest run counts once more by
 * itself, and a short history is held back by what is expected of one that has none. A skipped run
 * says nothing, not even that time has passed.
 * @returns counts of the recent runs; the chance that the next one fails and the share of flaky
 * runs, 0 to 1
 */
export function pastOf({ outcomes }: History, settings: PlanSettings) {
  const { fade, latest, prior, priorRuns } = settings;
  let [runs, failures, flaky] = [0, 0, 0];
  let [weight, weights, failed, flaked] = [1, 0, 0, 0];
  let failedLast = false;
  for (const code of outcomes.slice(0, REMEMBERED_RUNS)) {
    const letter = code.toLowerCase();
    if (letter === LETTERS.skipped) continue;
    const recent = runs < RECENT_RUNS ? 1 : 0;
    if (letter !== LETTERS.passed) {
      if (weights === 0) failedLast = true;
      failures += recent;
      failed += weight;
    }
    if (code !== letter) {
      flaky += recent;
      flaked += weight;
    }
    runs += recent;
    weights += weight;
    weight *= fade;
  }
  const faded = (failed + prior * priorRuns) / (weights + priorRuns);
  const failureChance = runs === 0 ? prior : latest * (failedLast ? 1 : 0) + (1 - latest) * faded;
  const flakiness = runs === 0 ? 0 : flaked / (weights + priorRuns);
  return { runs, failures, flaky, failedLast, failureChance, flakiness };
}

const LEVELS = new Map<string, number>([
  ...levels(1, 'blocker critical highest urgent must p0'),
  ...levels(0.8, 'high major p1'),
  ...levels(0.5, 'medium normal moderate should p2'),
  ...levels(0.3, 'low minor could p3'),
  ...levels(0.1, 'lowest trivial wont p4 p5'),
]);

function levels(level: number, words: string): [string, number][] {
  return words.split(' ').map((word) => [word, level]);
}

/** The priority of what says none, or says it in words that are not known. */
export const MIDDLE_PRIORITY = 0.5;

/**
 * Reads a priority: MoSCoW, high to low, blocker to trivial, P0 to P5, or a number of which 1 is
 * the highest and 5 the lowest. Case and what follows the first word do not matter.
 */
export function priorityLevel(priority: string | null | undefined): number {
  const text = (priority ?? '').trim().toLowerCase().replace(/[’']/g, '');
  const word = /^[a-z0-9]*/.exec(text)?.[0] ?? '';
  if (/^\d+$/.test(word)) return [1, 1, 0.8, 0.5, 0.3, 0.1][Number(word)] ?? 0.1;
  return LEVELS.get(word) ?? MIDDLE_PRIORITY;
}

const GAPS: ReadonlySet<string> = new Set(['uncovered', 'suspect', 'stale', 'unexecuted']);

export function typicalDuration(commands: readonly PlanCommand[]): number {
  const known = commands.flatMap(({ estimateMs }) => estimateMs ?? []).sort((a, b) => a - b);
  return known[known.length >> 1] ?? UNKNOWN_ESTIMATE_MS;
}

export interface ScoreContext {
  stories: ReadonlyMap<string, PlanStory>;
  settings: PlanSettings;
  strategy: Strategy;
  typicalMs: number;
  budgeted: boolean;
}

export type Candidate = ReturnType<typeof candidateOf>;

/**
 * Weighs a command: the chance that it fails, what is new or changed, and risk (priority, open
 * issues, flakiness), over its cost. Failures weigh most: a sure one outweighs all the others.
 */
export function candidateOf(command: PlanCommand, context: ScoreContext) {
  const { settings, strategy, typicalMs, budgeted } = context;
  const stories = [...new Set(command.storyIds)].flatMap((id) => context.stories.get(id) ?? []);
  const past = pastOf(command.history, settings);
  const estimateMs = command.estimateMs ?? typicalMs;
  const isNew = past.runs === 0;
  const isChanged = command.changedSince || stories.some((story) => story.changed);
  const gaps = stories.filter(({ status }) => GAPS.has(status));
  const priority =
    stories.length === 0
      ? MIDDLE_PRIORITY
      : stories.reduce((highest, story) => Math.max(highest, story.priority), 0);
  const openIssues = new Set(stories.flatMap((story) => story.openIssues)).size;
  const risk = 0.4 * priority + 0.3 * (openIssues / (openIssues + 1)) + 0.3 * past.flakiness;
  const weights = settings.weights[strategy];
  const value =
    past.failureChance +
    (isNew || isChanged ? weights.fresh : 0) +
    weights.risk * risk +
    (gaps.length > 0 ? weights.gap : 0);
  const power = budgeted ? settings.budgetCostPower : settings.costPower;
  const score = value / (Math.max(estimateMs, 1) / Math.max(typicalMs, 1)) ** power;
  const about = { stories, priority, openIssues, isNew, isChanged, gaps };
  return { command, past, ...about, estimateMs, score };
}
