// One plan as it was answered, with how far each of its items is.
import { and, asc, eq } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import type { Db } from '../../store/database.ts';
import { planItems, plans } from '../../store/tables/agents.ts';
import { countItems } from '../runs/lists.ts';
import type { PlanEvaluation } from './evaluation.ts';
import type { Plan, PlanItem, Strategy } from './model.ts';

/** What is kept of a plan; of one that a suite made for the commands that it named, its items alone. */
type KeptPlan = { strategy: Strategy | null; evaluation?: PlanEvaluation } & Plan;

const NOTHING_KEPT = { strategy: null, covered: [], uncovered: [], estimateMs: null };
const UNPLANNED = { storyIds: [], score: null, reasons: [], estimateMs: null };

/**
 * A plan with the state, the attempts, the newest run and the outcome of each item.
 *
 * @returns undefined where the project has no such plan
 */
export async function readPlan(db: Db, projectId: string, id: string) {
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
  const { items: planned = [], ...kept } = JSON.parse(row.answer) as Partial<KeptPlan>;
  const plannedAt = new Map<number, PlanItem>(planned.map((item) => [item.position, item]));
  const progress = countItems(rows.map((item) => ({ ...item, count: 1 })));
  return {
    ...{ id, revision: row.revision, origin: row.origin },
    ...{ done: progress.open + progress.claimed === 0, progress },
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    ...NOTHING_KEPT,
    ...kept,
    items: rows.map(({ position, commandId, state, attempts, runId, outcome }) => ({
      ...{ position, commandId, ...UNPLANNED, ...plannedAt.get(position) },
      ...{ state, attempts, runId, outcome },
    })),
  };
}
