// What the planner is given, what callers send, and what is answered.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { CoverageStatus } from '../../assurance/coverage/model.ts';
import { closed, idOf, Name, nullable, oneOf, StoryId } from '../../model/schemas.ts';
import type { CommandState } from '../../quality/commands/model.ts';

export const STRATEGIES = ['risk', 'failures', 'gaps', 'changed', 'full'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export interface History {
  /**
   * A letter for each of its runs, the newest first: `p`assed, `f`ailed, `b`roken, `s`kipped, in
   * capitals where the run was flaky. No more than the newest `REMEMBERED_RUNS` are looked at.
   */
  outcomes: string;
  /** The ordinal of its newest run among all runs of the project; null where it never ran. */
  lastOrdinal: number | null;
}

export interface PlanCommand {
  id: string;
  /** Unique; what decides between equals. */
  key: string;
  storyIds: readonly string[];
  routes: readonly string[];
  tags: readonly string[];
  estimateMs: number | null;
  state: CommandState;
  changedSince: boolean;
  history: History;
}

export interface PlanStory {
  id: string;
  /** 0 to 1, the higher the more urgent (see `priorityLevel`). */
  priority: number;
  openIssues: readonly string[];
  status: CoverageStatus;
  /** It has its status of the stories that refine it: what verifies them verifies it. */
  inherited: boolean;
  changed: boolean;
}

const MAX_ITEMS = 100_000;
const optional = Type.Optional;
const Bounded = (description: string) =>
  optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }));
const AnyOf = <T extends TSchema>(item: T, maxItems: number, description: string) =>
  optional(Type.Array(item, { minItems: 1, maxItems, description }));

const SubmittedItem = closed({
  commandId: Name,
  storyIds: optional(
    Type.Array(StoryId, {
      maxItems: MAX_ITEMS,
      description: 'What it is to cover; else all of it',
    }),
  ),
});
export type SubmittedItem = Static<typeof SubmittedItem>;

const RouteName = Type.String({ minLength: 1, maxLength: 2048 });

export const PlanBody = closed(
  {
    strategy: optional(oneOf(STRATEGIES, '`full` by default')),
    budgetMs: Bounded('The most that its items may take together, by their estimates'),
    maxItems: optional(Type.Integer({ minimum: 1, maximum: MAX_ITEMS })),
    sinceRevision: Bounded('Stories that differ from what they said at this revision are changed'),
    storyIds: AnyOf(StoryId, MAX_ITEMS, 'Only commands that verify one of these'),
    routes: AnyOf(
      RouteName,
      100,
      'Only commands that exercise one of these, of any method without one',
    ),
    tags: AnyOf(Name, 100, 'Only commands that have one of these'),
    evaluate: optional(
      Type.Boolean({ description: "Adds what this order would have found on the project's past" }),
    ),
    dryRun: optional(
      Type.Boolean({
        description: 'Stores nothing, and lists what the budget cuts behind the rest',
      }),
    ),
    curve: optional(
      Type.Boolean({ description: 'Adds how failures of the newest cycle are found by and by' }),
    ),
    plan: optional(
      closed(
        { items: Type.Array(SubmittedItem, { minItems: 1, maxItems: MAX_ITEMS }) },
        { description: 'A plan that the caller has made; goes without the others' },
      ),
    ),
  },
  { title: 'PlanInput' },
);
export type PlanInputBody = Static<typeof PlanBody>;

export type PlanRequest = { strategy: Strategy } & Pick<
  PlanInputBody,
  'budgetMs' | 'maxItems' | 'storyIds' | 'routes' | 'tags' | 'dryRun'
>;

export interface PlanInput {
  commands: readonly PlanCommand[];
  stories: readonly PlanStory[];
  /** The ordinal of the project's newest run; 0 where none ran. Ages count runs, never time. */
  ordinal: number;
  request: PlanRequest;
}

/** Who made a plan: the service, whoever submitted it, or a suite that named its commands. */
export const PLAN_ORIGINS = ['produced', 'submitted', 'suite'] as const;
export type PlanOrigin = (typeof PLAN_ORIGINS)[number];

const REASON_CODES = [
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

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Ids = (description: string) => Type.Array(Type.String(), { description });

const NumberOrNull = (description: string) => nullable(Type.Number({ description }));

const Measure = Type.Object(
  {
    planned: NumberOrNull('Of this order; null without cycles'),
    random: NumberOrNull('Expected of a random order'),
    optimal: NumberOrNull('Of the best order there is'),
  },
  { title: 'PlanMeasure', description: 'Means over the cycles, 0 to 1, the higher the earlier' },
);

const Figures = Type.Object(
  {
    cycles: Count('Those that say something: some of their runs failed and some did not'),
    apfd: Measure,
    apfdc: Measure,
  },
  {
    title: 'PlanFigures',
    description:
      'The average percentage of faults detected (Rothermel et al. 2001), and the same by what runs ' +
      'cost (Elbaum et al. 2001); a run that failed counts as one fault',
  },
);
export type Figures = Static<typeof Figures>;

const PlanEvaluation = Type.Object(
  { runs: Count('Runs of commands that were replayed'), raw: Figures, withoutFlaky: Figures },
  { title: 'PlanEvaluation' },
);
export type PlanEvaluation = Static<typeof PlanEvaluation>;

const Curve = Type.Array(
  Type.Object({
    costMs: Count('Of the runs up to here'),
    found: Count('How many of them failed'),
  }),
);

const PlanCurve = Type.Object(
  { planned: Curve, optimal: Curve },
  {
    title: 'PlanCurve',
    description:
      'Of the newest cycle that says something: a point for each run, in the order that was planned from what was known ' +
      'when it began, and in the best one. By places it is the curve of APFD, by cost that of APFDc; both start at nothing',
  },
);
export type PlanCurve = Static<typeof PlanCurve>;

const Reason = Type.Object(
  {
    code: oneOf(REASON_CODES),
    detail: Type.String(),
    storyIds: optional(Ids('The first 20 of the stories that it is about')),
  },
  { title: 'PlanReason' },
);
export type Reason = Static<typeof Reason>;

export const PlanItem = Type.Object(
  {
    position: Type.Integer({ minimum: 1 }),
    commandId: idOf('test command'),
    key: Type.String({ description: 'Of its command' }),
    storyIds: Ids('What it covers'),
    score: NumberOrNull('Null in a plan that was submitted'),
    reasons: Type.Array(Reason, { description: 'Why it is where it is' }),
    estimateMs: Count('Median of its newest 15 durations; that of all commands where it has none'),
    cut: optional(Type.Boolean({ description: 'With `dryRun`: the budget has no room for it' })),
  },
  { title: 'PlanItem' },
);
export type PlanItem = Static<typeof PlanItem>;

const UncoveredStory = Type.Object(
  {
    storyId: idOf('story'),
    why: oneOf(
      UNCOVERED_WHYS,
      'Of its commands, the nearest to being planned: `over_budget`, `not_selected` by the strategy or the ' +
        'one who submitted, `filtered`, `quarantined`, `disabled` or archived; without any: `inherited` from ' +
        'those that refine it, `justified`, `no_command`; or `unknown_story`',
    ),
  },
  { title: 'UncoveredStory' },
);

export const PlanAnswer = Type.Object(
  {
    id: idOf('plan'),
    revision: Type.Integer({ description: 'The latest when it was made; 0 before the first' }),
    strategy: nullable(oneOf(STRATEGIES, 'Null in a plan that was submitted')),
    items: Type.Array(PlanItem, { description: 'In the order in which they are to run' }),
    covered: Ids('The stories in question that the items cover'),
    uncovered: Type.Array(UncoveredStory, { description: 'Those that they do not' }),
    estimateMs: Count('Of all items that are not cut, one after the other'),
    evaluation: optional(PlanEvaluation),
    curve: optional(nullable(PlanCurve, 'Null without such a cycle')),
  },
  { title: 'Plan' },
);
export const PlanDraft = Type.Object(
  { ...PlanAnswer.properties, id: Type.Null() },
  { title: 'PlanDraft', description: 'With `dryRun`: a plan that is not stored' },
);
export type PlanDraft = Static<typeof PlanDraft>;
export type PlanAnswer = Static<typeof PlanAnswer>;
export type Plan = Pick<PlanAnswer, 'items' | 'covered' | 'uncovered' | 'estimateMs'>;
