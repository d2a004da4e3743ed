// Route that produces plans, and takes those that others have made.

import { actorOf } from '../../access/caller.ts';
import { jsonBody } from '../../http/api/body.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { created } from '../../http/api/reply.ts';
import { invalidFields } from '../../model/validate.ts';
import { inTurns } from '../../quality/turns.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { Agents } from '../agents.ts';
import { PlanBody, type PlanInputBody, requireOneInput } from './body.ts';
import { type PlanOrigin, storePlan } from './store.ts';

/** The planner, loaded when a plan is first asked for. */
async function loadPlanner() {
  const [input, plan, submitted] = await Promise.all([
    import('./input.ts'),
    import('./plan.ts'),
    import('./submitted.ts'),
  ]);
  return { ...input, ...plan, ...submitted };
}

export function createPlanRoute(agents: Agents) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).PLAN_DOCS,
    body: jsonBody(PlanBody),
    async handler(call) {
      const { body, caller, now } = call;
      requireOneInput(body);
      const { projectId } = caller;
      const made = body.plan ? await submit(agents, call) : await produce(agents, call);
      const { revision, origin } = made;
      const { items } = made.answer;
      // Of megabytes where there are many commands: made once.
      const answer = JSON.stringify(made.answer);
      return call.write(async (db) => {
        const id = await storePlan(db, {
          projectId,
          revision,
          origin,
          request: body,
          answer,
          commandIds: items.map(({ commandId }) => commandId),
          actor: actorOf(caller),
          now,
        });
        const text = `${JSON.stringify({ id, revision }).slice(0, -1)},${answer.slice(1)}`;
        return created(undefined, `/api/run-state?view=plans&planId=${id}`, { text });
      });
    },
  });
}

async function produce(agents: Agents, { body, caller }: Call<unknown, PlanInputBody>) {
  const { evaluate = false, plan: _none, strategy = 'full', ...limits } = body;
  const { loadPlanInput, planSteps } = await loadPlanner();
  const input = await loadPlanInput(agents, caller.projectId, { strategy, ...limits });
  const plan = await inTurns(planSteps(input));
  const evaluation = evaluate
    ? {
        evaluation: await (await import('./evaluation.ts')).evaluatePlanner(
          agents,
          caller.projectId,
          input,
        ),
      }
    : {};
  const origin: PlanOrigin = 'produced';
  return { revision: input.revision, origin, answer: { strategy, ...plan, ...evaluation } };
}

async function submit(agents: Agents, { body, caller }: Call<unknown, PlanInputBody>) {
  const items = body.plan?.items ?? [];
  const { projectId } = caller;
  const { loadPlanInput, checkItems, submittedPlan } = await loadPlanner();
  const input = await loadPlanInput(agents, projectId, { strategy: 'full' });
  const { effective } = await agents.states.of(projectId);
  const errors = checkItems(items, input, (id) => {
    const node = effective.node(id);
    return node !== undefined && isNormative(node);
  });
  if (errors.length > 0) throw invalidFields(errors.slice(0, ERRORS_SHOWN));
  const origin: PlanOrigin = 'submitted';
  return {
    revision: input.revision,
    origin,
    answer: { strategy: null, ...submittedPlan(items, input) },
  };
}

const ERRORS_SHOWN = 50;
