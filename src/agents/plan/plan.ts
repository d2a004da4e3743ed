// Makes a plan: which commands to run in which order, why, and what is left out.

import { readRoute, shapeOf, templateOf } from '../../quality/routes/route-text.ts';
import { runAtOnce, type Steps } from '../../runtime/scheduler.ts';
import type {
  Plan,
  PlanCommand,
  PlanInput,
  PlanItem,
  PlanRequest,
  PlanStory,
  SubmittedItem,
  UncoveredWhy,
} from './model.ts';
import { byScore, orderOf, type Placed, reasonsOf } from './order.ts';
import { type Candidate, candidateOf, DEFAULT_SETTINGS, typicalDuration } from './score.ts';

const STEP = 500;

/**
 * Makes the plan for a request. The same state and request give the same plan, in whatever order
 * commands and stories come.
 */
export function makePlan(input: PlanInput): Plan {
  return runAtOnce(planSteps(input));
}

export function* planSteps({ commands, request, ordinal, ...input }: PlanInput): Steps<Plan> {
  const stories = new Map(input.stories.map((story) => [story.id, story]));
  const plannable = commands.filter(isPlannable);
  const passing = plannable.filter(filterOf(request));
  const { strategy, budgetMs } = request;
  const typicalMs = typicalDuration(plannable);
  const settings = DEFAULT_SETTINGS;
  const context = { stories, settings, strategy, typicalMs, budgeted: budgetMs !== undefined };
  const [selected, others]: [Candidate[], Candidate[]] = [[], []];
  for (const [at, command] of passing.entries()) {
    if (at % STEP === 0) yield;
    const candidate = candidateOf(command, context);
    (isSelected(candidate, request) ? selected : others).push(candidate);
  }
  yield;
  const turn = plannable.length;
  const placed = orderOf(selected, others, { settings, limits: request, ordinal, turn });
  const kept = new Set(placed.map(({ candidate }) => candidate));
  const left = request.dryRun ? selected.filter((candidate) => !kept.has(candidate)) : [];
  const cut = left
    .sort(byScore)
    .map((candidate): Placed => ({ candidate, first: [], sliced: false }));
  const all = yield* itemsOf([...placed, ...cut], ordinal);
  const plan = planOf(all.slice(0, placed.length), request, {
    commands,
    stories,
    byPlan: new Set(placed.flatMap(({ first }) => first)),
    passing: new Set(passing.map(({ id }) => id)),
    selected: new Set(selected.map(({ command }) => command.id)),
  });
  if (!request.dryRun) return plan;
  return { ...plan, items: all.map((item, at) => ({ ...item, cut: at >= placed.length })) };
}

function* itemsOf(placed: readonly Placed[], ordinal: number): Steps<PlanItem[]> {
  const items: PlanItem[] = [];
  for (const [at, one] of placed.entries()) {
    if (at % STEP === 0) yield;
    const { command, stories: own, score, estimateMs } = one.candidate;
    items.push({
      position: at + 1,
      commandId: command.id,
      key: command.key,
      storyIds: own.map(({ id }) => id),
      score: Math.round(score * 1e4) / 1e4,
      reasons: reasonsOf(one, ordinal),
      estimateMs,
    });
  }
  yield;
  return items;
}

export function submittedPlan(submitted: readonly SubmittedItem[], input: PlanInput): Plan {
  const { commands } = input;
  const byId = new Map(commands.map((command) => [command.id, command]));
  const stories = new Map(input.stories.map((story) => [story.id, story]));
  const plannable = commands.filter(isPlannable);
  const typicalMs = typicalDuration(plannable);
  const byPlan = new Set<string>();
  const items = submitted.map(({ commandId, storyIds }, at): PlanItem => {
    const command = byId.get(commandId);
    const own = new Set(storyIds ?? command?.storyIds.filter((id) => stories.has(id)));
    if (command?.state === 'active') for (const id of own) byPlan.add(id);
    return {
      position: at + 1,
      commandId,
      key: command?.key ?? '',
      storyIds: [...own],
      score: null,
      reasons: [],
      estimateMs: command?.estimateMs ?? typicalMs,
    };
  });
  const passing = new Set(plannable.map(({ id }) => id));
  return planOf(items, {}, { commands, stories, byPlan, passing, selected: new Set() });
}

type Narrowing = Pick<PlanRequest, 'storyIds' | 'routes' | 'tags'>;

export function isPlannable({ state }: Pick<PlanCommand, 'state'>): boolean {
  return state === 'active' || state === 'quarantined';
}

/** A test of whether a command passes what the request is narrowed to; each part must hold. */
export function filterOf(request: Narrowing): (command: PlanCommand) => boolean {
  const [storyIds, tags] = [request.storyIds, request.tags].map(
    (wanted) => wanted && new Set(wanted),
  );
  const isWanted = request.routes && routeFilter(request.routes);
  return (command) =>
    (!storyIds || command.storyIds.some((id) => storyIds.has(id))) &&
    (!tags || command.tags.some((tag) => tags.has(tag))) &&
    (!isWanted || command.routes.some(isWanted));
}

/**
 * A test of whether a route is one of those wanted: by method and path, whatever its parameters are
 * called, and by the path alone where one of the two has no method.
 */
function routeFilter(wanted: readonly string[]): (route: string) => boolean {
  const shapes = wanted.map(shapeOfRoute);
  return (text) => {
    const route = shapeOfRoute(text);
    return shapes.some(
      ({ method, shape }) =>
        shape === route.shape && (!method || !route.method || method === route.method),
    );
  };
}

function shapeOfRoute(text: string): { method: string | null; shape: string } {
  const route = readRoute(text);
  if (route === null) return { method: null, shape: text };
  return { method: route.method, shape: shapeOf(templateOf(route.path)) };
}

/**
 * The stories that a plan answers for, sorted by id: those that the request names, else those of
 * the commands that pass its filter, else all but those without a command that others refine, which
 * are verified through these. A named one that does not exist is among them.
 */
function storiesInQuestion(
  request: Narrowing,
  commands: readonly PlanCommand[],
  stories: ReadonlyMap<string, PlanStory>,
): string[] {
  if (request.storyIds !== undefined) return [...new Set(request.storyIds)].sort();
  const named = new Set(commands.filter(filterOf(request)).flatMap(({ storyIds }) => storyIds));
  if (request.routes === undefined && request.tags === undefined)
    for (const { id, inherited } of stories.values()) if (!inherited) named.add(id);
  return [...named].filter((id) => stories.has(id)).sort();
}

function isSelected(candidate: Candidate, { strategy }: PlanRequest): boolean {
  if (strategy === 'failures') return candidate.past.failures > 0;
  if (strategy === 'gaps') return candidate.gaps.length > 0;
  if (strategy === 'changed') return candidate.isNew || candidate.isChanged;
  return true;
}

interface Choice {
  commands: readonly PlanCommand[];
  stories: ReadonlyMap<string, PlanStory>;
  passing: ReadonlySet<string>;
  selected: ReadonlySet<string>;
  byPlan: ReadonlySet<string>;
}

/** Why a command does not cover a story, from the nearest to being planned. */
const NEAREST = ['over_budget', 'not_selected', 'filtered', 'quarantined', 'disabled'] as const;

/**
 * Parts the stories in question into those that the plan covers and those that it does not. What
 * only a quarantined command covers is not covered: its result does not count.
 */
function planOf(items: PlanItem[], request: Narrowing, choice: Choice): Plan {
  const { commands, stories, byPlan } = choice;
  const inQuestion = storiesInQuestion(request, commands, stories);
  const left = new Set(inQuestion.filter((id) => !byPlan.has(id)));
  const nearest = new Map<string, number>();
  for (const command of left.size > 0 ? commands : []) {
    const own = NEAREST.indexOf(whyNot(command, choice));
    for (const id of command.storyIds)
      if (left.has(id)) nearest.set(id, Math.min(own, nearest.get(id) ?? own));
  }
  const whyOf = (storyId: string): UncoveredWhy => {
    const story = stories.get(storyId);
    if (story === undefined) return 'unknown_story';
    const place = nearest.get(storyId);
    if (place !== undefined) return NEAREST[place] as UncoveredWhy;
    if (story.inherited) return 'inherited';
    return story.status === 'justified' ? 'justified' : 'no_command';
  };
  return {
    items,
    covered: inQuestion.filter((id) => byPlan.has(id)),
    uncovered: [...left].map((storyId) => ({ storyId, why: whyOf(storyId) })),
    estimateMs: items.reduce((sum, { estimateMs }) => sum + estimateMs, 0),
  };
}

function whyNot(command: PlanCommand, { passing, selected }: Choice): (typeof NEAREST)[number] {
  if (!isPlannable(command)) return 'disabled';
  if (command.state === 'quarantined') return 'quarantined';
  if (!passing.has(command.id)) return 'filtered';
  return selected.has(command.id) ? 'over_budget' : 'not_selected';
}
