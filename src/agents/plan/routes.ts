// The route that produces plans, and takes those that others have made.

import { Elysia } from 'elysia';
import { actorOf } from '../../access/caller.ts';
import { api } from '../../http/api/api.ts';
import { jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, created, ok } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { ERRORS_SHOWN, invalidFields } from '../../model/validate.ts';
import { type Pause, runInSlices } from '../../runtime/scheduler.ts';
import type { Agents } from '../agents.ts';
import { namedCommands } from '../commands/commands.ts';
import { PlanAnswer, PlanBody, PlanDraft, type PlanInputBody, type PlanOrigin } from './model.ts';
import type { ReplayOptions } from './replay.ts';
import { storePlan } from './store.ts';

const DOCS: OperationDocs = {
  description:
    'Produces a plan of test commands: recent failures first, then what is new or changed since it last ran, then by risk, ' +
    'each weighed against its time, with one place in twenty for what has not run for long. `failures` takes commands ' +
    'that failed in their last 10 runs, `gaps` those of stories that are uncovered, suspect, stale or unexecuted, `changed` ' +
    'those that are new or changed, or whose stories changed since `sinceRevision`; `risk` and `full` take all. With ' +
    '`evaluate`, the newest 20,000 runs are replayed, each cycle ordered by what was known when it began; ' +
    '`curve` adds the points of the newest. With `dryRun` nothing is stored, `id` is null, and `items` end with those that ' +
    'the budget cuts, best first, which count for nothing.',
  bodyExample: { strategy: 'full', budgetMs: 600_000 },
  replies: {
    200: { description: 'What would be planned' },
    201: { description: 'The plan' },
  },
  problems: ['too_costly'],
};

export const planRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'plans', prefix: '/agent/plan' }).use(api(agents)).post(
    '',
    async ({ body, caller, now, write, pause }) => {
      const { projectId } = caller;
      const plan = body.plan
        ? await submit(agents, projectId, body)
        : await produce(agents, projectId, body, pause);
      const { revision, origin } = plan;
      if (body.dryRun) return ok<PlanDraft>({ id: null, revision, ...plan.answer });
      return write(async (tx) => {
        const commandIds = plan.answer.items.map(({ commandId }) => commandId);
        const actor = actorOf(caller);
        const id = await storePlan(tx, { projectId, revision, origin, commandIds, actor, now });
        const answer: PlanAnswer = { id, revision, ...plan.answer };
        return created(answer, `/api/run-state?view=plans&id=${id}`);
      });
    },
    {
      operation: { id: 'createAgentPlan', docs: DOCS },
      query: noQuery,
      body: jsonBody(PlanBody),
      response: answers({ 200: PlanDraft, 201: PlanAnswer }),
    },
  );

interface MadePlan {
  revision: number;
  origin: PlanOrigin;
  answer: Omit<PlanAnswer, 'id' | 'revision'>;
}

async function produce(
  agents: Agents,
  projectId: string,
  body: PlanInputBody,
  pause: Pause,
): Promise<MadePlan> {
  const { evaluate = false, curve = false, plan: _none, strategy = 'full', ...limits } = body;
  const { loadPlanInput, readPastRuns } = await import('./input.ts');
  const { planSteps } = await import('./plan.ts');
  const input = await loadPlanInput(agents, projectId, { strategy, ...limits });
  const answer: MadePlan['answer'] = { strategy, ...(await runInSlices(planSteps(input), pause)) };
  if (evaluate || curve) {
    const { curveOf, replaySteps } = await import('./replay.ts');
    const runs = await readPastRuns(agents.database.read, projectId);
    let newest: Parameters<typeof curveOf>[0] | undefined;
    const onCycle: ReplayOptions['onCycle'] = (_cycle, _figures, order) => {
      newest = order;
    };
    const figures = await runInSlices(
      replaySteps({ ...input, runs }, { strategy, onCycle }),
      pause,
    );
    if (evaluate) answer.evaluation = { runs: runs.length, ...figures };
    if (curve) answer.curve = newest ? curveOf(newest) : null;
  }
  return { revision: input.revision, origin: 'produced', answer };
}

async function submit(
  agents: Agents,
  projectId: string,
  { plan, ...others }: PlanInputBody,
): Promise<MadePlan> {
  const extra = Object.keys(others);
  if (extra.length > 0)
    throw invalidFields(
      extra.map((name) => ({ pointer: `/${name}`, detail: 'does not go with plan' })),
    );
  const { read } = agents.database;
  const sent = plan?.items ?? [];
  const names = sent.map(({ commandId }) => commandId);
  const pointerOf = (at: number) => `/plan/items/${at}/commandId`;
  const named = await namedCommands(read, projectId, names, pointerOf);
  const { loadPlanInput } = await import('./input.ts');
  const { submittedPlan } = await import('./plan.ts');
  const input = await loadPlanInput(agents, projectId, { strategy: 'full' });
  const known = new Set(input.stories.map(({ id }) => id));
  const unknown = sent.flatMap(({ storyIds = [] }, at) =>
    storyIds.flatMap((id, place) => (known.has(id) ? [] : `/plan/items/${at}/storyIds/${place}`)),
  );
  if (unknown.length > 0)
    throw invalidFields(
      unknown
        .slice(0, ERRORS_SHOWN)
        .map((pointer) => ({ pointer, detail: 'there is no such story in this project' })),
    );
  const items = sent.map((item, at) => ({ ...item, commandId: named[at]?.id ?? '' }));
  const answer = { strategy: null, ...submittedPlan(items, input) };
  return { revision: input.revision, origin: 'submitted', answer };
}
