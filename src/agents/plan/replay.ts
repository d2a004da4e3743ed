// How the planner's order would have done on the runs of the past: cycle by cycle, each ordered by
// the planner's own functions from what was known before it, and measured by what came out.
import { apfd, apfdc, optimalOrder, randomExpectation } from './apfd.ts';
import { openBudget } from './budget.ts';
import { remember } from './history.ts';
import type { Outcome, PlanCommand, PlanStory, Strategy } from './model.ts';
import { orderOf } from './order.ts';
import { candidateOf, typicalDuration } from './score.ts';
import { DEFAULT_SETTINGS, type PlanSettings } from './settings.ts';

/** A run of a command in a cycle. */
export interface CycleRun {
  commandId: string;
  outcome: Outcome;
  durationMs: number;
  /** It passed and failed. */
  flaky: boolean;
}

export interface Past {
  /** Of a command: its key, stories and priority; what a command is not known by, it is without. */
  commands: readonly Pick<PlanCommand, 'id' | 'key' | 'storyIds' | 'priority'>[];
  stories: readonly Pick<PlanStory, 'id' | 'priority'>[];
  /** What ran together, oldest first; the runs of one command in the order they were made. */
  cycles: readonly (readonly CycleRun[])[];
}

/** A measure beside what it is measured against, each a mean over cycles; null where there is none. */
export interface Measure {
  planned: number | null;
  random: number | null;
  optimal: number | null;
}

export interface Figures {
  /** The cycles that say something: some of their runs failed and some did not. */
  cycles: number;
  apfd: Measure;
  apfdc: Measure;
}

export interface Evaluation {
  raw: Figures;
  /** With the results left out that passed and failed. */
  withoutFlaky: Figures;
}

/**
 * Replays the past. Each cycle is ordered from the outcomes and durations of the cycles before it,
 * and from keys, stories and priorities; what is open or changed today was not known then, and is
 * left out. Which commands were in a cycle is given: that is what there was to order.
 *
 * @param options.settings - those of the planner unless told
 * @param options.seen - told the figures of every cycle that counts, by its place in the past
 */
export function replay(
  past: Past,
  options: { strategy?: Strategy; settings?: PlanSettings; seen?: CycleSeen } = {},
): Evaluation {
  const memory = openMemory(past, options);
  const [raw, withoutFlaky] = [openTally(), openTally()];
  for (const [at, runs] of past.cycles.entries()) {
    const counted = runs.filter(({ outcome }) => outcome !== 'skipped');
    if (isTelling(counted)) {
      const order = memory.order(counted);
      const found = raw.add(order);
      options.seen?.(at, found);
      const steady = order.filter(({ flaky }) => !flaky);
      if (isTelling(steady)) withoutFlaky.add(steady);
    }
    memory.learn(runs);
  }
  return { raw: raw.figures(), withoutFlaky: withoutFlaky.figures() };
}

export type CycleSeen = (cycle: number, figures: { apfd: number; apfdc: number }) => void;

function isFailure({ outcome }: CycleRun): boolean {
  return outcome === 'failed' || outcome === 'broken';
}

function isTelling(runs: readonly CycleRun[]): boolean {
  return runs.some(isFailure) && !runs.every(isFailure);
}

/** What is known before a cycle. */
function openMemory(past: Past, options: { strategy?: Strategy; settings?: PlanSettings }) {
  const { strategy = 'full', settings = DEFAULT_SETTINGS } = options;
  const stories = new Map(
    past.stories.map(({ id, priority }): [string, PlanStory] => [
      id,
      { id, priority, openIssues: 0, status: 'passing', changed: false },
    ]),
  );
  const commands = new Map<string, PlanCommand>();
  for (const command of past.commands) commands.set(command.id, unknownYet(command));
  const durations = new Map<string, number[]>();
  let ran = 0;
  let ordinal = 0;
  return { order, learn };

  function order(runs: readonly CycleRun[]): (CycleRun & { failed: boolean })[] {
    const runsOf = Map.groupBy(runs, ({ commandId }) => commandId);
    const here = [...runsOf.keys()].map(commandOf);
    const typicalMs = typicalDuration(here);
    const context = { stories, settings, strategy, typicalMs, budgeted: false };
    const candidates = here.map((command) => candidateOf(command, context));
    const budget = openBudget({ strategy });
    const placed = orderOf(candidates, { settings, budget, ordinal, turn: ran });
    return placed.flatMap(({ command }) =>
      (runsOf.get(command.id) ?? []).map((run) => ({ ...run, failed: isFailure(run) })),
    );
  }

  function learn(runs: readonly CycleRun[]): void {
    for (const run of runs) {
      const command = commandOf(run.commandId);
      if (command.history.lastOrdinal === null) ran += 1;
      ordinal += 1;
      const outcomes = remember(command.history.outcomes, run);
      const known = durations.get(command.id) ?? [];
      known.push(run.durationMs);
      if (known.length > REMEMBERED_DURATIONS) known.shift();
      durations.set(command.id, known);
      const history = { outcomes, lastOrdinal: ordinal };
      commands.set(command.id, { ...command, history, estimateMs: middle(known) });
    }
  }

  function commandOf(id: string): PlanCommand {
    return commands.get(id) ?? unknownYet({ id, key: id, storyIds: [] });
  }
}

const REMEMBERED_DURATIONS = 15;

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}

function unknownYet(command: Past['commands'][number]): PlanCommand {
  return {
    ...{ ...command, routes: [], tags: [], estimateMs: null, state: 'active' },
    ...{ changedSince: false, history: { outcomes: '', lastOrdinal: null } },
  };
}

function openTally() {
  const sums = { apfd: openMeasure(), apfdc: openMeasure() };
  let cycles = 0;
  return {
    add(order: readonly (CycleRun & { failed: boolean })[]) {
      cycles += 1;
      const best = optimalOrder(order);
      const random = randomExpectation(order) as number;
      const found = { apfd: apfd(order) as number, apfdc: apfdc(order) as number };
      sums.apfd.add(found.apfd, random, apfd(best) as number);
      sums.apfdc.add(found.apfdc, random, apfdc(best) as number);
      return found;
    },
    figures: (): Figures => ({
      cycles,
      apfd: sums.apfd.mean(cycles),
      apfdc: sums.apfdc.mean(cycles),
    }),
  };
}

function openMeasure() {
  let [planned, random, optimal] = [0, 0, 0];
  return {
    add(own: number, chance: number, best: number) {
      planned += own;
      random += chance;
      optimal += best;
    },
    mean(cycles: number): Measure {
      if (cycles === 0) return { planned: null, random: null, optimal: null };
      return { planned: planned / cycles, random: random / cycles, optimal: optimal / cycles };
    },
  };
}
