// Makes a plan: which commands to run in which order, why, and what is left out.

import { readRoute, shapeOf, templateOf } from '../../quality/routes/route-text.ts';
import { runAtOnce, type Steps } from '../../quality/scheduler.ts';
import type {
  Plan,
  PlanCommand,
  PlanInput,
  PlanItem,
  PlanRequest,
  PlanStory,
  UncoveredStory,
  UncoveredWhy,
} from './model.ts';
import { openBudget, orderOf, type Placed, reasonsOf } from './order.ts';
import { type Candidate, candidateOf, typicalDuration } from './score.ts';
import { DEFAULT_SETTINGS, type PlanSettings } from './settings.ts';

const STEP = 500;

/**
 * Makes the plan for a request. The same state and request give the same plan, in whatever order
 * commands and stories come.
 *
 * @param settings - the planner's own by default
 */
export function makePlan(input: PlanInput, settings?: PlanSettings): Plan {
  return runAtOnce(planSteps(input, settings));
}

export function* planSteps(
  input: PlanInput,
  settings: PlanSettings = DEFAULT_SETTINGS,
): Steps<Plan> {
  const { commands, request, ordinal } = input;
  const stories = new Map(input.stories.map((story) => [story.id, story]));
  const plannable = commands.filter(isPlannable);
  const passing = plannable.filter(filterOf(request));
  const context = {
    stories,
    settings,
    strategy: request.strategy,
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
    commands,
    stories,
    byPlan,
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

type Narrowing = Pick<PlanRequest, 'storyIds' | 'routes' | 'tags'>;

export function isPlannable({ state }: Pick<PlanCommand, 'state'>): boolean {
  return state === 'active' || state === 'quarantined';
}

/** A test of whether a command passes what the request is narrowed to; each part must hold. */
export function filterOf(request: Narrowing): (command: PlanCommand) => boolean {
  const [storyIds, tags] = [request.storyIds, request.tags].map((wanted) =>
    wanted === undefined ? undefined : new Set(wanted),
  );
  const isWanted = request.routes === undefined ? undefined : routeFilter(request.routes);
  return (command) =>
    hasAny(command.storyIds, storyIds) &&
    hasAny(command.tags, tags) &&
    (isWanted === undefined || command.routes.some(isWanted));
}

/**
 * A test of whether a route is one of those wanted: by method and path, whatever its parameters are
 * called, and by the path alone where one of the two has no method.
 */
function routeFilter(wanted: readonly string[]): (route: string) => boolean {
  const methods = new Map<string, Set<string | null>>();
  for (const text of wanted) {
    const { method, shape } = shapeOfRoute(text);
    methods.set(shape, (methods.get(shape) ?? new Set()).add(method));
  }
  return (route) => {
    const { method, shape } = shapeOfRoute(route);
    const named = methods.get(shape);
    return named !== undefined && (method === null || named.has(null) || named.has(method));
  };
}

function shapeOfRoute(text: string): { method: string | null; shape: string } {
  const route = readRoute(text);
  if (route === null) return { method: null, shape: text };
  return { method: route.method, shape: shapeOf(templateOf(route.path)) };
}

/**
 * The stories that a plan answers for, sorted by id: those that the request names, else those of the
 * commands that pass its filter, else all but those without a command that others refine, which are
 * verified through these. A named one that does not exist is among them.
 */
export function storiesInQuestion(
  request: Narrowing,
  commands: readonly PlanCommand[],
  stories: ReadonlyMap<string, PlanStory>,
): string[] {
  if (request.storyIds !== undefined) return [...new Set(request.storyIds)].sort();
  const passes = filterOf(request);
  const named = new Set<string>();
  for (const command of commands) {
    if (passes(command)) for (const id of command.storyIds) named.add(id);
  }
  if (request.routes === undefined && request.tags === undefined) {
    for (const { id, inherited } of stories.values()) if (!inherited) named.add(id);
  }
  return [...named].filter((id) => stories.has(id)).sort();
}

/**
 * Whether a strategy wants a candidate: `failures` what failed of late, `gaps` what closes a gap in
 * coverage, `changed` what is new or changed, itself or a story of it, `risk` and `full` everything.
 */
export function isSelected(candidate: Candidate, { strategy }: PlanRequest): boolean {
  if (strategy === 'failures') return candidate.past.failures > 0;
  if (strategy === 'gaps') return candidate.gaps.length > 0;
  if (strategy === 'changed') return candidate.isNew || candidate.isChanged;
  return true;
}

function hasAny(values: readonly string[], wanted: ReadonlySet<string> | undefined): boolean {
  return wanted === undefined || values.some((value) => wanted.has(value));
}

export interface Choice {
  commands: readonly PlanCommand[];
  stories: ReadonlyMap<string, PlanStory>;
  passing: ReadonlySet<string>;
  selected: ReadonlySet<string>;
  byPlan: ReadonlySet<string>;
}

const NEAREST: readonly UncoveredWhy[] = [
  'over_budget',
  'not_selected',
  'filtered',
  'quarantined',
  'disabled',
];

/**
 * Parts the stories in question into those that the plan covers and those that it does not. What
 * only a quarantined command covers is not covered: its result does not count.
 */
export function coverageOf(
  inQuestion: readonly string[],
  choice: Choice,
): { covered: string[]; uncovered: UncoveredStory[] } {
  // Where all are covered nobody asks.
  let whys: ReadonlyMap<string, number> | undefined;
  const [covered, uncovered]: [string[], UncoveredStory[]] = [[], []];
  for (const storyId of inQuestion) {
    if (choice.byPlan.has(storyId)) covered.push(storyId);
    else uncovered.push({ storyId, why: whyOf(storyId) });
  }
  return { covered, uncovered };

  function whyOf(storyId: string): UncoveredWhy {
    const story = choice.stories.get(storyId);
    if (story === undefined) return 'unknown_story';
    whys ??= whysOf(choice);
    const nearest = whys.get(storyId);
    if (nearest !== undefined) return NEAREST[nearest] as UncoveredWhy;
    if (story.inherited) return 'inherited';
    return story.status === 'justified' ? 'justified' : 'no_command';
  }
}

/** By story, the place in `NEAREST` of why its nearest command does not cover it. */
function whysOf({ commands, passing, selected }: Choice): Map<string, number> {
  const whys = new Map<string, number>();
  for (const command of commands) {
    const own = NEAREST.indexOf(whyNot(command, { passing, selected }));
    for (const id of command.storyIds) {
      const known = whys.get(id);
      if (known === undefined || own < known) whys.set(id, own);
    }
  }
  return whys;
}

function whyNot(
  command: PlanCommand,
  { passing, selected }: Pick<Choice, 'passing' | 'selected'>,
): UncoveredWhy {
  if (!isPlannable(command)) return 'disabled';
  if (command.state === 'quarantined') return 'quarantined';
  if (!passing.has(command.id)) return 'filtered';
  return selected.has(command.id) ? 'over_budget' : 'not_selected';
}
