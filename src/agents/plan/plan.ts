// Makes a plan: which commands to run in which order, why, and what is left out.

import { atOnce, type Steps } from '../../quality/turns.ts';
import { openBudget } from './budget.ts';
import { coverageOf } from './left-out.ts';
import type { Plan, PlanInput, PlanItem } from './model.ts';
import { orderOf, type Placed } from './order.ts';
import { reasonsOf } from './reasons.ts';
import { filterOf, isPlannable, isSelected, storiesInQuestion } from './scope.ts';
import { type Candidate, candidateOf, typicalDuration } from './score.ts';
import { DEFAULT_SETTINGS, type PlanSettings } from './settings.ts';

/** Commands in a step. */
const STEP = 500;

/**
 * Makes the plan for a request. The same state and request give the same plan, in whatever order
 * commands and stories come.
 *
 * @param settings - the planner's own unless told
 */
export function makePlan(input: PlanInput, settings?: PlanSettings): Plan {
  return atOnce(planSteps(input, settings));
}

/** The same in steps. */
export function* planSteps(
  input: PlanInput,
  settings: PlanSettings = DEFAULT_SETTINGS,
): Steps<Plan> {
  const { commands, request, ordinal } = input;
  const stories = new Map(input.stories.map((story) => [story.id, story]));
  const plannable = commands.filter(isPlannable);
  const passing = plannable.filter(filterOf(request));
  const context = {
    ...{ stories, settings, strategy: request.strategy },
    typicalMs: typicalDuration(plannable),
    budgeted: request.budgetMs !== undefined,
  };
  const [selected, others]: [Candidate[], Candidate[]] = [[], []];
  for (const [at, command] of passing.entries()) {
    if (at % STEP === 0) yield;
    const candidate = candidateOf(command, context);
    (isSelected(candidate, request) ? selected : others).push(candidate);
  }
  yield;
  const turn = plannable.length;
  const order = { settings, budget: openBudget(request), ordinal, turn };
  const placed = orderOf(selected, others, order);
  const items: PlanItem[] = [];
  const byPlan = new Set<string>();
  for (const [at, one] of placed.entries()) {
    if (at % STEP === 0) yield;
    for (const id of one.first) byPlan.add(id);
    items.push(itemOf(one, at, ordinal));
  }
  yield;
  const choice = {
    ...{ commands, stories, byPlan },
    // Asked for only where something is left out.
    get passing() {
      return new Set(passing.map(({ id }) => id));
    },
    get selected() {
      return new Set(selected.map(({ command }) => command.id));
    },
  };
  return {
    items,
    ...coverageOf(storiesInQuestion(request, commands, stories), choice),
    estimateMs: items.reduce((sum, { estimateMs }) => sum + estimateMs, 0),
  };
}

function itemOf(placed: Placed, at: number, ordinal: number): PlanItem {
  const { command, stories, score, estimateMs } = placed.candidate;
  return {
    position: at + 1,
    commandId: command.id,
    storyIds: stories.map(({ id }) => id),
    score: Math.round(score * 1e4) / 1e4,
    reasons: reasonsOf(placed, ordinal),
    estimateMs,
  };
}
