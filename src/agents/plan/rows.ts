// Plans as they are stored: the plan itself, and an item for each command that it holds, which agents
// claim one by one.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { plans } from '../../store/tables/agents.ts';

/** Who made a plan: the service, whoever submitted it, or a suite that named its commands. */
export const PLAN_ORIGINS = ['produced', 'submitted', 'suite'] as const;
export type PlanOrigin = (typeof PLAN_ORIGINS)[number];

export interface NewPlan {
  projectId: string;
  /** The number of the latest revision; 0 before the first. */
  revision: number;
  origin: PlanOrigin;
  /** What was asked for; kept as JSON. */
  request: unknown;
  /** What is answered of it beside its id and revision; kept as JSON, or such a text already. */
  answer: object | string;
  /** In their order: their positions count from 1. */
  items: readonly { commandId: string }[];
  actor: Actor;
  /** Milliseconds since the epoch. */
  now: number;
}

const ITEMS_A_TURN = 1000;

/**
 * Stores a plan with its items, all of them open, inside the caller's write.
 *
 * @param plan - its commands must be there
 */
export async function storePlan(db: Db, plan: NewPlan): Promise<{ id: string }> {
  const { projectId, revision, origin, request, answer, items, actor, now } = plan;
  const id = newId('pln');
  await db.insert(plans).values({
    ...{ id, projectId, revision, origin, createdAt: now },
    ...{
      request: JSON.stringify(request),
      answer: typeof answer === 'string' ? answer : JSON.stringify(answer),
    },
    ...{ authorToken: actor.tokenId, authorLabel: actor.label },
  });
  for (let from = 0; from < items.length; from += ITEMS_A_TURN) {
    if (from > 0) await setImmediate();
    const ids = items.slice(from, from + ITEMS_A_TURN).map(({ commandId }) => commandId);
    await db.run(sql`
      insert into plan_items (plan_id, position, project_id, command_id, state, updated_at)
      select ${id}, key + ${from + 1}, ${projectId}, value, 'open', ${now}
      from json_each(${JSON.stringify(ids)})`);
  }
  return { id };
}
