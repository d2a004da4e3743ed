// Plans as they are stored: what was answered, and an item for each command, which agents claim one
// by one.
import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { timestamp } from '../../clock.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { planItems, plans } from '../../store/tables/agents.ts';
import { countItems } from '../runs/lists.ts';
import type { StoredPlan } from '../runs/model.ts';
import type { Outcome } from '../runs/states.ts';
import type { PlanAnswer, PlanOrigin } from './model.ts';

export interface NewPlan {
  projectId: string;
  revision: number;
  origin: PlanOrigin;
  request: object;
  /** What is answered of it beside its id and revision, as JSON. */
  answer: string;
  /** Those of its items, in their order; they must exist. */
  commandIds: readonly string[];
  actor: Actor;
  now: number;
}

const BATCH_SIZE = 1000;

/** Stores a plan with its items, all of them open, inside the caller's write, and gives its id. */
export async function storePlan(
  db: Db,
  { commandIds, actor, now, ...plan }: NewPlan,
): Promise<string> {
  const id = newId('pln');
  await db.insert(plans).values({
    ...plan,
    id,
    createdAt: now,
    authorToken: actor.tokenId,
    authorLabel: actor.label,
  });
  for (let from = 0; from < commandIds.length; from += BATCH_SIZE) {
    if (from > 0) await setImmediate();
    const ids = JSON.stringify(commandIds.slice(from, from + BATCH_SIZE));
    await db.run(sql`
      insert into plan_items (plan_id, position, project_id, command_id, state, updated_at)
      select ${id}, key + ${from + 1}, ${plan.projectId}, value, 'open', ${now}
      from json_each(${ids})`);
  }
  return id;
}

/**
 * A plan with how far each of its items is; undefined where the project has no such plan. Of one that a
 * suite made for the commands that it named, no answer is stored but its items.
 */
export async function readPlan(
  db: Db,
  projectId: string,
  id: string,
): Promise<StoredPlan | undefined> {
  const [row] = await db
    .select()
    .from(plans)
    .where(and(eq(plans.id, id), eq(plans.projectId, projectId)));
  if (!row) return undefined;
  const rows = await db
    .select()
    .from(planItems)
    .where(eq(planItems.planId, id))
    .orderBy(asc(planItems.position));
  const { items = [], ...answer } = JSON.parse(row.answer) as Partial<PlanAnswer>;
  const plannedAt = new Map(items.map((item) => [item.position, item]));
  const progress = countItems(rows.map((item) => ({ ...item, count: 1 })));
  return {
    id,
    revision: row.revision,
    origin: row.origin as PlanOrigin,
    done: progress.open + progress.claimed === 0,
    progress,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    strategy: null,
    covered: [],
    uncovered: [],
    estimateMs: null,
    ...answer,
    items: rows.map(({ position, commandId, state, attempts, runId, outcome }) => ({
      position,
      commandId,
      storyIds: [],
      score: null,
      reasons: [],
      estimateMs: null,
      ...plannedAt.get(position),
      state: state as 'open' | 'claimed' | 'ended',
      attempts,
      runId,
      outcome: outcome as Outcome | null,
    })),
  };
}
