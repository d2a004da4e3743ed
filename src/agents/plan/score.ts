// The score of a command: how likely it is to find something, and what that matters, for its cost.
import { type Past, pastOf } from './history.ts';
import type { PlanCommand, PlanStory, Strategy } from './model.ts';
import { MIDDLE_PRIORITY } from './priority.ts';
import { type PlanSettings, UNKNOWN_ESTIMATE_MS } from './settings.ts';

/** What the scores of one plan have in common. */
export interface ScoreContext {
  stories: ReadonlyMap<string, PlanStory>;
  settings: PlanSettings;
  strategy: Strategy;
  /** What a command lasts that has no estimate, and the cost that others are measured in. */
  typicalMs: number;
  /** Whether time is short. */
  budgeted: boolean;
}

/** A command with all that its place depends on. */
export interface Candidate {
  command: PlanCommand;
  past: Past;
  /** Those of its stories that there are, each once. */
  stories: readonly PlanStory[];
  priority: number;
  openIssues: number;
  /** It never ran. */
  isNew: boolean;
  /** It, or a story of it, changed. */
  isChanged: boolean;
  /** Its stories whose coverage has a gap. */
  gaps: readonly PlanStory[];
  estimateMs: number;
  score: number;
}

const GAPS: ReadonlySet<string> = new Set(['uncovered', 'suspect', 'stale', 'unexecuted']);

/** Whether a story's coverage lacks something that a run may give. */
export function hasGap(story: PlanStory): boolean {
  return GAPS.has(story.status);
}

/** The median of the estimates that there are. */
export function typicalDuration(commands: readonly PlanCommand[]): number {
  const known = commands.flatMap(({ estimateMs }) => estimateMs ?? []).sort((a, b) => a - b);
  return known[known.length >> 1] ?? UNKNOWN_ESTIMATE_MS;
}

/**
 * Weighs a command: the chance that it fails, what is new or changed, and risk (priority, open
 * issues, flakiness), over its cost. Failures weigh most: a sure one outweighs all the others.
 */
export function candidateOf(command: PlanCommand, context: ScoreContext): Candidate {
  const { settings, strategy, typicalMs, budgeted } = context;
  const stories = storiesOf(command, context.stories);
  const past = pastOf(command.history, settings);
  const estimateMs = command.estimateMs ?? typicalMs;
  const isNew = past.runs === 0;
  const gaps = stories.some(hasGap) ? stories.filter(hasGap) : NO_STORIES;
  const priority = priorityOf(stories);
  const openIssues = openIssuesOf(stories);
  const isChanged = command.changedSince || stories.some((story) => story.changed);
  const risk = 0.4 * priority + 0.3 * (openIssues / (openIssues + 1)) + 0.3 * past.flakiness;
  const weights = settings.weights[strategy];
  const value =
    past.failureChance +
    (isNew || isChanged ? weights.fresh : 0) +
    weights.risk * risk +
    (gaps.length > 0 ? weights.gap : 0);
  const power = budgeted ? settings.budgetCostPower : settings.costPower;
  const score = value / (Math.max(estimateMs, 1) / Math.max(typicalMs, 1)) ** power;
  return {
    command,
    past,
    stories,
    priority,
    openIssues,
    isNew,
    isChanged,
    gaps,
    estimateMs,
    score,
  };
}

const NO_STORIES: readonly PlanStory[] = [];

/** So many are looked through faster than a set of them is made. */
const FEW = 8;

function storiesOf(
  { storyIds }: PlanCommand,
  stories: ReadonlyMap<string, PlanStory>,
): readonly PlanStory[] {
  const ids = storyIds.length > FEW ? new Set(storyIds) : storyIds;
  const found: PlanStory[] = [];
  for (const id of ids) {
    const story = stories.get(id);
    if (story !== undefined && (ids !== storyIds || !found.includes(story))) found.push(story);
  }
  return found;
}

/** How many there are: one that names several stories is one. */
function openIssuesOf([first, ...others]: readonly PlanStory[]): number {
  if (first === undefined) return 0;
  if (others.every((story) => story.openIssues.length === 0)) return first.openIssues.length;
  return new Set([first, ...others].flatMap((story) => story.openIssues)).size;
}

function priorityOf(stories: readonly PlanStory[]): number {
  if (stories.length === 0) return MIDDLE_PRIORITY;
  let most = 0;
  for (const { priority } of stories) if (priority > most) most = priority;
  return most;
}
