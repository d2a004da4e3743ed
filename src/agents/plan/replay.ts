// How the planner's order would have done on the runs of the past: cycle by cycle, each ordered by
// the planner's own functions from what was known when it began, and measured by what came out.

import { type Outcome, percentile, remember } from '../../quality/commands/rows.ts';
import { runAtOnce, type Steps } from '../../quality/scheduler.ts';
import { apfd, apfdc, type Executed, figuresOf } from './apfd.ts';
import type { PlanCommand, PlanEvaluation, PlanStory, Strategy } from './model.ts';
import { orderOf } from './order.ts';
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

export interface ReplayOptions {
  strategy?: Strategy;
  settings?: PlanSettings;
  /** Called with the figures of every cycle that says something, as they come. */
  onCycle?: (cycle: string, figures: { apfd: number; apfdc: number }) => void;
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

interface OrderedRun extends PastRun, Executed {
  unsteady: boolean;
}

function isFailure({ outcome }: PastRun): boolean {
  return outcome === 'failed' || outcome === 'broken';
}

function isInformative(runs: readonly PastRun[]): boolean {
  return runs.some(isFailure) && !runs.every(isFailure);
}

function openMemory(
  past: PastRuns,
  { strategy = 'full', settings = DEFAULT_SETTINGS }: ReplayOptions,
) {
  const unchanged = { openIssues: [], inherited: false, changed: false };
  const stories = new Map(
    past.stories.map((one): [string, PlanStory] => [
      one.id,
      { ...one, ...unchanged, status: 'passing' },
    ]),
  );
  const commands = new Map(past.commands.map((command) => [command.id, unknownYet(command)]));
  const commandOf = (id: string) => commands.get(id) ?? unknownYet({ id, key: id, storyIds: [] });
  const durations = new Map<string, number[]>();
  let ordinal = 0;
  return { order, learn };

  function order(runs: readonly PastRun[]): OrderedRun[] {
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

  function learn(run: PastRun): void {
    const command = commandOf(run.commandId);
    ordinal += 1;
    const outcomes = remember(command.history.outcomes, run);
    const known = [...(durations.get(command.id) ?? []), run.durationMs].slice(-ESTIMATE_RUNS);
    durations.set(command.id, known);
    const history = { outcomes, lastOrdinal: ordinal };
    commands.set(command.id, { ...command, history, estimateMs: percentile(known, 0.5) });
  }
}

function unknownYet({ id, key, storyIds }: PastRuns['commands'][number]): PlanCommand {
  const history = { outcomes: '', lastOrdinal: null };
  const state = 'active' as const;
  const none = { routes: [], tags: [], estimateMs: null, changedSince: false };
  return { id, key, storyIds, ...none, state, history };
}
