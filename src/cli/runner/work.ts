// Claims suites from a plan and works them, one after the other, until none is left.
import type { Static } from '@sinclair/typebox';
import type { PlanInputBody } from '../../agents/plan/model.ts';
import type { StoredPlan as StoredPlanSchema } from '../../agents/runs/model.ts';
import { type Api, dataOf, pause } from './api.ts';
import { type Worker, workSuite } from './items.ts';
import { warn } from './output.ts';

export type Selection =
  | { planId: string }
  | { commandIds: string[] }
  | { strategy: NonNullable<PlanInputBody['strategy']> };

export interface Agent extends Worker {
  selection: Selection;
  kinds: NonNullable<Kinds>;
  maxItems: number;
  leaseMs: number;
  once: boolean;
}

type Kinds = NonNullable<Parameters<Api['agent']['suite']['post']>[0]>['agent']['kinds'];

type StoredPlan = Static<typeof StoredPlanSchema>;

const STOPPED = 'not all items were run: the agent was asked to end';
const MIN_WAIT_MS = 200;
const MAX_WAIT_MS = 60_000;

/**
 * Works until nothing is left, one suite is done where that is enough, or the agent is asked to end.
 *
 * @returns why not all of the plan was run and passed, whoever ran it; undefined where it was, or where
 *   nobody asked for more than the items that this agent has counted
 * @throws Refused; Unreachable; Stopped
 */
export async function workUntilDone(agent: Agent): Promise<string | undefined> {
  const { soft, once } = agent;
  let next = await firstSource(agent);
  let isWaiting = false;
  while (next !== undefined && !soft.aborted) {
    const claimedAt = Date.now();
    const claimed = await claim(next, agent);
    if ('lease' in claimed) {
      isWaiting = false;
      const { id, planId, items } = claimed;
      warn(`suite ${id}: ${itemCount(items.length)}`);
      if (!(await workSuite(claimed, claimedAt, agent))) return STOPPED;
      if (once) return undefined;
      next = planId === null ? undefined : { planId };
      continue;
    }
    next = { planId: claimed.planId };
    if (claimed.done) break;
    if (once) return undefined;
    if (!isWaiting) warn('other agents have what is left: waiting for it');
    isWaiting = true;
    const ms = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, claimed.retryAfterMs));
    await pause(ms, soft).catch(() => {});
  }
  if (next === undefined) return undefined;
  return 'planId' in next ? whyNotDone(next.planId, agent) : STOPPED;
}

type Source = Exclude<Selection, { strategy: unknown }>;

async function firstSource(agent: Agent): Promise<Source | undefined> {
  const { selection } = agent;
  if (!('strategy' in selection)) return selection;
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const { id, items } = await dataOf(
    awhile(agent).agent.plan.post({ strategy: selection.strategy }, { headers }),
    'no plan',
  );
  if (items.length > 0) return { planId: id };
  warn('the project has no test commands to plan: POST /api/test-commands');
  return undefined;
}

function claim(source: Source, agent: Agent) {
  const { maxItems, leaseMs, kinds } = agent;
  const body = { ...source, agent: { ...agent.agent, kinds }, maxItems, leaseMs };
  const headers = { 'idempotency-key': crypto.randomUUID() };
  return dataOf(awhile(agent).agent.suite.post(body, { headers }), 'no suite');
}

/** Why the plan is not done and passed, now that no more is claimed of it; undefined where it is. */
async function whyNotDone(planId: string, agent: Agent): Promise<string | undefined> {
  const isAsked = agent.soft.aborted;
  const until = isAsked ? 0 : Date.now() + agent.retryMs;
  const query = { view: 'plans' as const, planId: [planId] };
  const plan: unknown = await dataOf(agent.api(() => until)['run-state'].get({ query }));
  const { progress } = plan as StoredPlan;
  const { total, failed, broken, cancelled } = progress;
  const left = progress.open + progress.claimed;
  if (left > 0 && isAsked) return STOPPED;
  if (left > 0) {
    const text = `left to agents of other kinds: ${itemCount(left)}`;
    // Who names a command wants it run.
    if ('commandIds' in agent.selection) return text;
    warn(text);
  }
  const count = failed + broken + cancelled;
  if (count === 0) return undefined;
  return `${count} of the plan's ${total} items did not pass: ${failed} failed, ${broken} broken, ${cancelled} cancelled`;
}

const itemCount = (items: number) => `${items} ${items === 1 ? 'item' : 'items'}`;

/** A client that is patient with a server that is away, and ends when the agent is asked to. */
function awhile({ api, retryMs, soft }: Agent): Api {
  const until = Date.now() + retryMs;
  return api(() => until, soft);
}
