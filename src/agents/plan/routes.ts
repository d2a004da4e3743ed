// The route that produces plans, and takes those that others have made.

import { Elysia } from 'elysia';
import { actorOf } from '../../access/caller.ts';
import { api } from '../../http/api/api.ts';
import { jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, made } from '../../http/api/reply.ts';
import { invalidFields } from '../../model/validate.ts';
import { runInSlices } from '../../quality/scheduler.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { Agents } from '../agents.ts';
import { PLAN_DOCS } from './docs.ts';
import { PlanAnswer, PlanBody, type PlanInputBody, type PlanOrigin } from './model.ts';
import { storePlan } from './store.ts';

export const planRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'plans', prefix: '/agent/plan' }).use(api(agents)).post(
    '',
    async ({ body, caller, now, write }) => {
      const { projectId } = caller;
      const plan = body.plan
        ? await submit(agents, projectId, body)
        : await produce(agents, projectId, body);
      const { revision, origin } = plan;
      // Of megabytes where there are many commands: made once.
      const answer = JSON.stringify(plan.answer);
      return write(async (tx) => {
        const id = await storePlan(tx, {
          projectId,
          revision,
          origin,
          request: body,
          answer,
          commandIds: plan.answer.items.map(({ commandId }) => commandId),
          actor: actorOf(caller),
          now,
        });
        return made<PlanAnswer, 201>({
          status: 201,
          headers: { Location: `/api/run-state?view=plans&planId=${id}` },
          text: `${JSON.stringify({ id, revision }).slice(0, -1)},${answer.slice(1)}`,
        });
      });
    },
    {
      operation: { id: 'createAgentPlan', docs: PLAN_DOCS },
      query: noQuery,
      body: jsonBody(PlanBody),
      response: answers({ 201: PlanAnswer }),
    },
  );

interface MadePlan {
  revision: number;
  origin: PlanOrigin;
  answer: Omit<PlanAnswer, 'id' | 'revision'>;
}

async function loadPlanner() {
  const [input, plan, submitted, evaluation] = await Promise.all([
    import('./input.ts'),
    import('./plan.ts'),
    import('./submitted.ts'),
    import('./evaluation.ts'),
  ]);
  return { ...input, ...plan, ...submitted, ...evaluation };
}

async function produce(agents: Agents, projectId: string, body: PlanInputBody): Promise<MadePlan> {
  const { evaluate = false, plan: _none, strategy = 'full', ...limits } = body;
  const { loadPlanInput, planSteps, evaluatePlanner } = await loadPlanner();
  const input = await loadPlanInput(agents, projectId, { strategy, ...limits });
  const answer: MadePlan['answer'] = { strategy, ...(await runInSlices(planSteps(input))) };
  if (evaluate) answer.evaluation = await evaluatePlanner(agents, projectId, input);
  return { revision: input.revision, origin: 'produced', answer };
}

const ERRORS_SHOWN = 50;

async function submit(
  agents: Agents,
  projectId: string,
  { plan, ...others }: PlanInputBody,
): Promise<MadePlan> {
  const extra = Object.keys(others).map((name) => ({
    pointer: `/${name}`,
    detail: 'does not go with plan',
  }));
  if (extra.length > 0) throw invalidFields(extra);
  const items = plan?.items ?? [];
  const { loadPlanInput, checkItems, submittedPlan } = await loadPlanner();
  const input = await loadPlanInput(agents, projectId, { strategy: 'full' });
  const { effective } = await agents.states.of(projectId);
  const errors = checkItems(items, input, (id) => {
    const node = effective.node(id);
    return node !== undefined && isNormative(node);
  });
  if (errors.length > 0) throw invalidFields(errors.slice(0, ERRORS_SHOWN));
  const answer = { strategy: null, ...submittedPlan(items, input) };
  return { revision: input.revision, origin: 'submitted', answer };
}
