// How the planner's order would have done on the runs of the past: cycle by cycle, each ordered by
// the planner's own functions from what was known when it began, and measured by what came out.

import { type Outcome, percentile, remember } from '../../quality/commands/stats.ts';
import { runAtOnce, type Steps } from '../../quality/scheduler.ts';
import { apfd, apfdc, type Executed, type Figures, figuresOf } from './apfd.ts';
import type { PlanCommand, PlanStory, Strategy } from './model.ts';
import { openBudget, orderOf } from './order.ts';
import { candidateOf, typicalDuration } from './score.ts';
import { DEFAULT_SETTINGS, ESTIMATE_RUNS, type PlanSettings } from './settings.ts';

export interface PastRun {
  commandId: string;
  /** The runs of one cycle belong to each other. */
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

export interface Evaluation {
  raw: Figures;
  /** Without the runs that passed and failed, and those of commands that did so within the cycle. */
  withoutFlaky: Figures;
}

export interface ReplayOptions {
  strategy?: Strategy;
  settings?: PlanSettings;
  /** Called with the figures of every cycle that says something, as they come. */
  onCycle?: (cycle: string, figures: { apfd: number; apfdc: number }) => void;
}

/**
 * Replays the past. Each cycle is ordered from the outcomes and durations of the runs that came before
 * its first one, and from keys, stories and priorities; what is open or changed today was not known
 * then, and is left out. Which commands were in a cycle is given: that is what there was to order.
 */
export function replay(past: PastRuns, options?: ReplayOptions): Evaluation {
  return runAtOnce(replaySteps(past, options));
}

export function* replaySteps(past: PastRuns, options: ReplayOptions = {}): Steps<Evaluation> {
  const memory = openMemory(past, options);
  const cycles = Map.groupBy(
    past.runs.filter(({ outcome }) => outcome !== 'skipped'),
    ({ cycle }) => cycle,
  );
  const raw: OrderedRun[][] = [];
  const withoutFlaky: OrderedRun[][] = [];
  for (const [at, run] of past.runs.entries()) {
    if (at % STEP === 0) yield;
    const cycle = cycles.get(run.cycle);
    if (cycle && isInformative(cycle)) {
      const order = memory.order(cycle);
      raw.push(order);
      options.onCycle?.(run.cycle, { apfd: apfd(order) ?? 0, apfdc: apfdc(order) ?? 0 });
      const steady = order.filter(({ unsteady }) => !unsteady);
      if (isInformative(steady)) withoutFlaky.push(steady);
      yield;
    }
    cycles.delete(run.cycle);
    memory.learn(run);
  }
  return { raw: figuresOf(raw), withoutFlaky: figuresOf(withoutFlaky) };
}

const STEP = 200;

interface OrderedRun extends PastRun, Executed {
  unsteady: boolean;
}

function isFailure({ outcome }: PastRun): boolean {
  return outcome === 'failed' || outcome === 'broken';
}

function isInformative(runs: readonly PastRun[]): boolean {
  return runs.some(isFailure) && !runs.every(isFailure);
}

function openMemory(past: PastRuns, { strategy = 'full', settings }: ReplayOptions) {
  const context = { settings: settings ?? DEFAULT_SETTINGS, strategy, budgeted: false };
  const stories = new Map(
    past.stories.map(({ id, priority }): [string, PlanStory] => [
      id,
      { id, priority, openIssues: [], status: 'passing', inherited: false, changed: false },
    ]),
  );
  const commands = new Map<string, PlanCommand>();
  for (const command of past.commands) commands.set(command.id, unknownYet(command));
  const durations = new Map<string, number[]>();
  let ordinal = 0;
  return { order, learn };

  function order(runs: readonly PastRun[]): OrderedRun[] {
    const runsOf = Map.groupBy(runs, ({ commandId }) => commandId);
    const here = [...runsOf.keys()].map(commandOf);
    const typicalMs = typicalDuration(here);
    const candidates = here.map((command) =>
      candidateOf(command, { ...context, stories, typicalMs }),
    );
    const rules = { settings: context.settings, budget: openBudget({}), ordinal };
    const placed = orderOf(candidates, [], { ...rules, turn: durations.size });
    return placed.flatMap(({ candidate }) => {
      const own = runsOf.get(candidate.command.id) ?? [];
      const both = isInformative(own);
      return own.map((run) => ({ ...run, failed: isFailure(run), unsteady: both || run.flaky }));
    });
  }

  function learn(run: PastRun): void {
    const command = commandOf(run.commandId);
    ordinal += 1;
    const outcomes = remember(command.history.outcomes, run);
    const known = durations.get(command.id) ?? [];
    known.push(run.durationMs);
    if (known.length > ESTIMATE_RUNS) known.shift();
    durations.set(command.id, known);
    const history = { outcomes, lastOrdinal: ordinal };
    commands.set(command.id, { ...command, history, estimateMs: percentile(known, 0.5) });
  }

  function commandOf(id: string): PlanCommand {
    return commands.get(id) ?? unknownYet({ id, key: id, storyIds: [] });
  }
}

function unknownYet(command: PastRuns['commands'][number]): PlanCommand {
  const { id, key, storyIds } = command;
  return {
    id,
    key,
    storyIds,
    routes: [],
    tags: [],
    estimateMs: null,
    state: 'active',
    changedSince: false,
    history: { outcomes: '', lastOrdinal: null },
  };
}
