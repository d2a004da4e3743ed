// Plans as they are stored: an item for each command, which agents claim one by one.
import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { plans } from '../../store/tables/agents.ts';
import type { PlanOrigin } from './model.ts';

const BATCH_SIZE = 1000;

export async function storePlan(
  db: Db,
  {
    commandIds,
    actor,
    now,
    ...plan
  }: {
    projectId: string;
    revision: number;
    origin: PlanOrigin;
    commandIds: readonly string[];
    actor: Actor;
    now: number;
  },
): Promise<string> {
  const id = newId('pln');
  const author = { authorToken: actor.tokenId, authorLabel: actor.label };
  await db.insert(plans).values({ ...plan, ...author, id, createdAt: now });
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
