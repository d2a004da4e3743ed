// How the planner's order would have done on the runs of the past: cycle by cycle, each ordered by
// the planner's own functions from what was known when it began, and measured by what came out.
import { type Outcome, percentile, remember } from '../../quality/commands/rows.ts';
import { runAtOnce, type Steps } from '../../runtime/scheduler.ts';
import type {
  Figures,
  PlanCommand,
  PlanCurve,
  PlanEvaluation,
  PlanStory,
  Strategy,
} from './model.ts';
import { orderOf } from './order.ts';
import {
  candidateOf,
  DEFAULT_SETTINGS,
  ESTIMATE_RUNS,
  type PlanSettings,
  typicalDuration,
} from './score.ts';

export interface PastRun {
  commandId: string;
  cycle: string;
  outcome: Outcome;
  durationMs: number;
  flaky: boolean;
}

export interface PastRuns {
  /** What is known of commands beside their runs; any may be missing. */
  commands: readonly Pick<PlanCommand, 'id' | 'key' | 'storyIds'>[];
  stories: readonly Pick<PlanStory, 'id' | 'priority'>[];
  /** The oldest first; the runs of a cycle need not stand together. */
  runs: readonly PastRun[];
}

export interface ReplayOptions {
  strategy?: Strategy;
  settings?: PlanSettings;
  /** Called with the figures of every cycle that says something, as they come. */
  onCycle?: (
    cycle: string,
    figures: { apfd: number; apfdc: number },
    order: readonly Executed[],
  ) => void;
}

type Evaluation = Omit<PlanEvaluation, 'runs'>;

/**
 * Replays the past. Each cycle is ordered from the outcomes and durations of the runs that came
 * before its first one, and from keys, stories and priorities; what is open or changed today was
 * not known then, and is left out. Which commands were in a cycle is given: that is what there was
 * to order.
 * @returns figures of all, and without the flaky: the runs that passed and failed, and those of
 * commands that did so within the cycle
 */
export function replay(past: PastRuns, options?: ReplayOptions): Evaluation {
  return runAtOnce(replaySteps(past, options));
}

const STEP = 200;

export function* replaySteps(
  past: PastRuns,
  { strategy = 'full', settings = DEFAULT_SETTINGS, onCycle }: ReplayOptions = {},
): Steps<Evaluation> {
  const unchanged = {
    openIssues: [],
    inherited: false,
    changed: false,
    status: 'passing',
  } as const;
  const stories = new Map(past.stories.map((story) => [story.id, { ...story, ...unchanged }]));
  const commands = new Map(past.commands.map((command) => [command.id, unknownYet(command)]));
  const commandOf = (id: string) => commands.get(id) ?? unknownYet({ id, key: id, storyIds: [] });
  const durations = new Map<string, number[]>();
  const cycles = Map.groupBy(
    past.runs.filter(({ outcome }) => outcome !== 'skipped'),
    ({ cycle }) => cycle,
  );
  const raw: OrderedRun[][] = [];
  const withoutFlaky: OrderedRun[][] = [];
  for (const [ordinal, run] of past.runs.entries()) {
    if (ordinal % STEP === 0) yield;
    const cycle = cycles.get(run.cycle);
    if (cycle && isInformative(cycle)) {
      const order = ordered(cycle, ordinal);
      raw.push(order);
      onCycle?.(run.cycle, { apfd: apfd(order) ?? 0, apfdc: apfdc(order) ?? 0 }, order);
      const steady = order.filter(({ unsteady }) => !unsteady);
      if (isInformative(steady)) withoutFlaky.push(steady);
      yield;
    }
    cycles.delete(run.cycle);
    learn(run, ordinal + 1);
  }
  return { raw: figuresOf(raw), withoutFlaky: figuresOf(withoutFlaky) };

  function ordered(runs: readonly PastRun[], ordinal: number): OrderedRun[] {
    const runsOf = Map.groupBy(runs, ({ commandId }) => commandId);
    const here = [...runsOf.keys()].map(commandOf);
    const typicalMs = typicalDuration(here);
    const context = { settings, strategy, budgeted: false, stories, typicalMs };
    const candidates = here.map((command) => candidateOf(command, context));
    const turn = durations.size;
    return orderOf(candidates, [], { settings, limits: {}, ordinal, turn }).flatMap((placed) => {
      const own = runsOf.get(placed.candidate.command.id) ?? [];
      const both = isInformative(own);
      return own.map((run) => ({ ...run, failed: isFailure(run), unsteady: both || run.flaky }));
    });
  }

  function learn(run: PastRun, lastOrdinal: number): void {
    const command = commandOf(run.commandId);
    const outcomes = remember(command.history.outcomes, run);
    const known = [...(durations.get(command.id) ?? []), run.durationMs].slice(-ESTIMATE_RUNS);
    durations.set(command.id, known);
    const history = { outcomes, lastOrdinal };
    commands.set(command.id, { ...command, history, estimateMs: percentile(known, 0.5) });
  }
}

interface OrderedRun extends PastRun, Executed {
  unsteady: boolean;
}

function isFailure({ outcome }: PastRun): boolean {
  return outcome === 'failed' || outcome === 'broken';
}

function isInformative(runs: readonly PastRun[]): boolean {
  return runs.some(isFailure) && !runs.every(isFailure);
}

function unknownYet(command: PastRuns['commands'][number]): PlanCommand {
  return {
    ...command,
    routes: [],
    tags: [],
    estimateMs: null,
    changedSince: false,
    state: 'active',
    history: { outcomes: '', lastOrdinal: null },
  };
}

// How early an order finds what fails, after the fact. APFD, the average percentage of faults
// detected: G. Rothermel, R. Untch, C. Chu, M. J. Harrold, "Prioritizing Test Cases for Regression
// Testing", IEEE TSE 27(10), 2001. APFDc, the same by what tests cost: S. Elbaum, A. Malishevsky,
// G. Rothermel, "Incorporating Varying Test Costs and Fault Severities into Test Case
// Prioritization", ICSE 2001. A test that fails is taken for one fault, and all faults for equal.
export interface Executed {
  failed: boolean;
  durationMs: number;
}

/**
 * APFD = 1 - (TF1 + .. + TFm) / (n m) + 1 / (2 n), for n tests of which those at the places TF1 to
 * TFm (from 1) failed: 0 to 1, the higher the earlier; null where nothing failed.
 */
export function apfd(order: readonly Executed[]): number | null {
  return apfdc(order.map(({ failed }) => ({ failed, durationMs: 1 })));
}

/**
 * APFDc = the mean over the failing tests of (the cost from a test to the end - half its own) / the
 * cost of all. Where nothing costs anything, all cost the same and it is APFD.
 */
export function apfdc(order: readonly Executed[]): number | null {
  let [faults, left, detected] = [0, 0, 0];
  for (const { failed, durationMs } of order.toReversed()) {
    left += durationMs;
    if (!failed) continue;
    faults += 1;
    detected += left - durationMs / 2;
  }
  if (faults === 0) return null;
  return left === 0 ? apfd(order) : detected / (left * faults);
}

/** The order that no other beats in either measure: what fails first, the cheapest before. */
export function optimalOrder<Test extends Executed>(executed: readonly Test[]): Test[] {
  return [...executed].sort(
    (a, b) => Number(b.failed) - Number(a.failed) || a.durationMs - b.durationMs,
  );
}

export function curveOf(order: readonly Executed[]): PlanCurve {
  const points = (executed: readonly Executed[]) => {
    let [costMs, found] = [0, 0];
    return executed.map(({ durationMs, failed }) => {
      costMs += durationMs;
      if (failed) found += 1;
      return { costMs, found };
    });
  };
  return { planned: points(order), optimal: points(optimalOrder(order)) };
}

export function figuresOf(orders: readonly (readonly Executed[])[]): Figures {
  const best = orders.map(optimalOrder);
  const measure = (of: typeof apfd) => ({
    planned: mean(orders.map(of)),
    // An order and its reverse always add up to one.
    random: orders.length === 0 ? null : 0.5,
    optimal: mean(best.map(of)),
  });
  return { cycles: orders.length, apfd: measure(apfd), apfdc: measure(apfdc) };
}

function mean(values: readonly (number | null)[]): number | null {
  const sum = values.reduce<number>((total, value) => total + (value ?? 0), 0);
  return values.length === 0 ? null : sum / values.length;
}
