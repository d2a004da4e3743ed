// What the planner is given and what it gives: plain data, with no word on where it comes from.
import type { CoverageStatus } from '../../assurance/coverage/model.ts';
import type { CommandState } from '../../quality/commands/model.ts';

export const STRATEGIES = ['risk', 'failures', 'gaps', 'changed', 'full'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** A command's past, as compact as it can be: many of these are read for one plan. */
export interface History {
  /**
   * A letter for each of its runs, the newest first: `p`assed, `f`ailed, `b`roken, `s`kipped, in
   * capitals where the run was flaky. No more than the newest `REMEMBERED_RUNS` are looked at.
   */
  outcomes: string;
  /** The ordinal of its newest run among all runs of the project; null where it never ran. */
  lastOrdinal: number | null;
}

/** A test command that may be planned. */
export interface PlanCommand {
  id: string;
  /** Unique; what decides between equals. */
  key: string;
  storyIds: readonly string[];
  routes: readonly string[];
  tags: readonly string[];
  /** Its median duration; null where it is not known. */
  estimateMs: number | null;
  state: CommandState;
  /** It, or one of its stories, changed since it last ran. */
  changedSince: boolean;
  history: History;
}

/** A story that the commands may cover. */
export interface PlanStory {
  id: string;
  /** 0 to 1, the higher the more urgent (see `priorityLevel`). */
  priority: number;
  /** Ids of the open issues that name it. */
  openIssues: readonly string[];
  status: CoverageStatus;
  /** It has its status of the stories that refine it: what verifies them verifies it. */
  inherited: boolean;
  /** It changed since the revision that the request names. */
  changed: boolean;
}

export interface PlanRequest {
  strategy: Strategy;
  /** The most that the items may take together. */
  budgetMs?: number | undefined;
  maxItems?: number | undefined;
  /** Only commands that cover one of these. */
  storyIds?: readonly string[] | undefined;
  /** Only commands that name one of these. */
  routes?: readonly string[] | undefined;
  /** Only commands that have one of these. */
  tags?: readonly string[] | undefined;
}

export interface PlanInput {
  commands: readonly PlanCommand[];
  stories: readonly PlanStory[];
  /** The ordinal of the project's newest run; 0 where none ran. Ages count runs, never time. */
  ordinal: number;
  request: PlanRequest;
}

export const REASON_CODES = [
  'failed_last',
  'failed_recently',
  'never_ran',
  'changed',
  'story_changed',
  'gap',
  'priority',
  'open_issues',
  'flaky',
  'first_cover',
  'not_run_for_long',
  'quarantined',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** Why an item is where it is. */
export interface Reason {
  code: ReasonCode;
  /** The same as a sentence. */
  detail: string;
}

export interface PlanItem {
  /** From 1. */
  position: number;
  commandId: string;
  /** Those of its stories that there are. */
  storyIds: string[];
  /** Null, and without reasons, where somebody else has put it there. */
  score: number | null;
  reasons: Reason[];
  /** Its median duration, or the typical one where that is not known. */
  estimateMs: number;
}

/**
 * Why a plan leaves a story out. `unknown_story`: the request names it, and there is none. Of its
 * commands, the nearest to being planned: `over_budget`; `not_selected` by the strategy, or by who
 * submitted the plan; `filtered` by the request; `quarantined`; `disabled` or archived. Where it has
 * no command: `inherited`, of the stories that refine it; `justified`, it needs none; `no_command`.
 */
export const UNCOVERED_WHYS = [
  'unknown_story',
  'over_budget',
  'not_selected',
  'filtered',
  'quarantined',
  'disabled',
  'inherited',
  'justified',
  'no_command',
] as const;
export type UncoveredWhy = (typeof UNCOVERED_WHYS)[number];

export interface UncoveredStory {
  storyId: string;
  why: UncoveredWhy;
}

export interface Plan {
  items: PlanItem[];
  /** The stories in question that the items cover, sorted. */
  covered: string[];
  /** The stories in question that they do not, sorted by id. */
  uncovered: UncoveredStory[];
  /** Of all items together. */
  estimateMs: number;
}
