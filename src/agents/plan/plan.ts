// Makes a plan: which commands to run in which order, why, and what is left out.
import { openBudget } from './budget.ts';
import { coverageOf } from './left-out.ts';
import type { Plan, PlanInput, PlanItem } from './model.ts';
import { orderOf, type Placed } from './order.ts';
import { reasonsOf } from './reasons.ts';
import { filterOf, isPlannable, isSelected, storiesInQuestion } from './scope.ts';
import { candidateOf, typicalDuration } from './score.ts';
import { DEFAULT_SETTINGS, type PlanSettings } from './settings.ts';

/**
 * Makes the plan for a request. The same state and request give the same plan, in whatever order
 * commands and stories come.
 *
 * @param settings - the planner's own unless told
 */
export function makePlan(input: PlanInput, settings: PlanSettings = DEFAULT_SETTINGS): Plan {
  const { commands, request, ordinal } = input;
  const stories = new Map(input.stories.map((story) => [story.id, story]));
  const plannable = commands.filter(isPlannable);
  const passing = plannable.filter(filterOf(request));
  const context = {
    ...{ stories, settings, strategy: request.strategy },
    typicalMs: typicalDuration(plannable),
    budgeted: request.budgetMs !== undefined,
  };
  const selected = passing
    .map((command) => candidateOf(command, context))
    .filter((candidate) => isSelected(candidate, request));
  const budget = openBudget(request);
  const placed = orderOf(selected, { settings, budget, ordinal, turn: plannable.length });
  const items = placed.map((one, at) => itemOf(one, at, ordinal));
  const choice = {
    ...{ commands, stories, placed },
    passing: new Set(passing.map(({ id }) => id)),
    selected: new Set(selected.map(({ command }) => command.id)),
  };
  return {
    items,
    ...coverageOf(storiesInQuestion(request, commands, stories), choice),
    estimateMs: items.reduce((sum, { estimateMs }) => sum + estimateMs, 0),
  };
}

function itemOf(placed: Placed, at: number, ordinal: number): PlanItem {
  return {
    position: at + 1,
    commandId: placed.command.id,
    storyIds: placed.stories.map(({ id }) => id),
    score: Math.round(placed.score * 1e4) / 1e4,
    reasons: reasonsOf(placed, ordinal),
    estimateMs: placed.estimateMs,
  };
}
