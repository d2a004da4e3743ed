// What the API document says of the operation that makes plans.
import { Type } from '@sinclair/typebox';
import type { OperationDocs } from '../../http/document/operation.ts';
import { idOf } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { REASON_CODES, STRATEGIES, UNCOVERED_WHYS } from './model.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Ids = (description: string) => Type.Array(Type.String(), { description });

const Measure = Type.Object(
  {
    planned: nullable(Type.Number({ description: 'Of this order; null without cycles' })),
    random: nullable(Type.Number({ description: 'Expected of a random order' })),
    optimal: nullable(Type.Number({ description: 'Of the best order there is' })),
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

export const PlanItem = Type.Object(
  {
    position: Type.Integer({ minimum: 1 }),
    commandId: idOf('test command'),
    storyIds: Ids('What it covers'),
    score: nullable(Type.Number({ description: 'Null in a plan that was submitted' })),
    reasons: Type.Array(
      Type.Object({ code: oneOf(REASON_CODES), detail: Type.String() }, { title: 'PlanReason' }),
      { description: 'Why it is where it is' },
    ),
    estimateMs: Count('Median of its newest 15 durations; that of all commands where it has none'),
  },
  { title: 'PlanItem' },
);

const Uncovered = Type.Object(
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

export const Plan = Type.Object(
  {
    id: idOf('plan'),
    revision: Type.Integer({ description: 'The latest when it was made; 0 before the first' }),
    strategy: nullable(oneOf(STRATEGIES, 'Null in a plan that was submitted')),
    items: Type.Array(PlanItem, { description: 'In the order in which they are to run' }),
    covered: Ids('The stories in question that the items cover'),
    uncovered: Type.Array(Uncovered, { description: 'Those that they do not' }),
    estimateMs: Count('Of all items, one after the other'),
    evaluation: Type.Optional(
      Type.Object(
        {
          runs: Count('Runs of commands that were replayed'),
          raw: Figures,
          withoutFlaky: Figures,
        },
        { title: 'PlanEvaluation' },
      ),
    ),
  },
  { title: 'Plan' },
);

const MEASURE = { planned: 0.7812, random: 0.5, optimal: 0.9343 };
const FIGURES = { cycles: 64, apfd: MEASURE, apfdc: { ...MEASURE, planned: 0.8021 } };

export const PLAN_EXAMPLE = {
  id: 'pln_01k4mz4c7rg3hvf9tawxy1z2ab',
  revision: 3,
  strategy: 'full',
  items: [
    {
      position: 1,
      commandId: 'cmd_01k4mz2v9cf8ptw0yq3e6r7h5d',
      storyIds: ['US-12'],
      score: 0.6612,
      reasons: [
        { code: 'failed_last', detail: 'Its last run failed.' },
        { code: 'failed_recently', detail: 'It failed in 2 of its last 10 runs.' },
        { code: 'first_cover', detail: 'It is the first to cover US-12.' },
      ],
      estimateMs: 41_200,
    },
  ],
  covered: ['US-12'],
  uncovered: [{ storyId: 'US-14', why: 'no_command' }],
  estimateMs: 41_200,
};

export const PLAN_DOCS: OperationDocs = {
  description:
    'Produces a plan of test commands: what failed of late first, the failures fading run by run; then what is new or ' +
    'changed, itself or its stories, since it last ran; then by risk: the priority and open issues of its stories, ' +
    'flakiness. Each is weighed against its time, more so with `budgetMs`. What covers a story that nothing before it ' +
    'covers goes before what covers again, and quarantined commands, whose results do not count, go last. Every ' +
    'twentieth place, and the last of a shorter plan, goes to the command that has waited longest, once the project had ' +
    'twice as many runs as it has commands, and at least 20, since its last; of plans with room for one item every ' +
    'fourth. So does a plan of a strategy that leaves commands out: `failures` takes those that failed in their last 10 ' +
    'runs, `gaps` those of stories that are uncovered, suspect, stale or unexecuted, `changed` those that are new or ' +
    'changed, or whose stories changed since `sinceRevision`; `risk` and `full` take all, and `risk` weighs it more. The ' +
    'same state and request give the same plan: ages count runs, never time.\n\n' +
    'With `evaluate`, the newest 20,000 runs are replayed, each cycle ordered by what was known when it began: the runs ' +
    'of one plan; else those at one commit in one environment; else of one suite; else of one day in UTC. ' +
    '`withoutFlaky` leaves out runs that were flaky, and commands that passed and failed in a cycle.\n\n' +
    'With `plan`, takes one as it is: its commands must be active or quarantined, each of them once, and the stories ' +
    'must be there. Either is stored, and is claimed from by `POST /agent/suite`.',
  bodyExample: { strategy: 'full', budgetMs: 600_000, evaluate: true },
  replies: {
    201: {
      description: 'The plan',
      schema: Plan,
      example: {
        ...PLAN_EXAMPLE,
        evaluation: { runs: 4180, raw: FIGURES, withoutFlaky: FIGURES },
      },
    },
  },
};
