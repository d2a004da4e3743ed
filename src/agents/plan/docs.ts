// What the API document says of the operation that makes plans.
import type { OperationDocs } from '../../model/docs.ts';

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
      example: {
        ...PLAN_EXAMPLE,
        evaluation: { runs: 4180, raw: FIGURES, withoutFlaky: FIGURES },
      },
    },
  },
};
