// Lists of the state of runs: the runs, and plans and suites with how far they are.
import type { Static } from '@sinclair/typebox';
import { and, asc, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { shownBy } from '../../quality/lists.ts';
import type { Db } from '../../store/database.ts';
import { newestSeqs } from '../../store/list-filters.ts';
import {
  leases,
  type PlanRow,
  planItems,
  plans,
  runStates,
  suites,
} from '../../store/tables/agents.ts';
import type { PlanAnswer, PlanOrigin } from '../plan/model.ts';
import {
  type ItemCounts,
  type PlanProgress,
  type RunStateFilters,
  type StoredPlan,
  type StoredPlanItem,
  SuiteProgress,
} from './model.ts';
import type { LeasedRun } from './rows.ts';
import { RUN_STATES } from './states.ts';

const FILTERED = [
  ['suiteId', 'run_states_suite'],
  ['planId', 'run_states_plan'],
  ['commandId', 'run_states_command'],
  ['state', 'run_states_state'],
] as const;

export async function listRunStates(
  db: Db,
  projectId: string,
  filters: RunStateFilters,
  after: number | undefined,
  limit: number,
): Promise<LeasedRun[]> {
  const conditions = [eq(runStates.projectId, projectId)];
  if (after !== undefined) conditions.push(lt(runStates.seq, after));
  const given = FILTERED.flatMap(([name, index]) => {
    const values = filters[name];
    return values ? { column: sql`${runStates[name]}`, values, index } : [];
  });
  const seqs = newestSeqs(runStates, given, conditions, 'run_states_project', limit + 1);
  return db
    .select({ run: getTableColumns(runStates), lease: getTableColumns(leases) })
    .from(runStates)
    .innerJoin(leases, eq(leases.id, runStates.leaseId))
    .where(sql`${runStates.seq} in (${seqs})`)
    .orderBy(desc(runStates.seq))
    .limit(limit + 1);
}

/** Counts of the items of each plan by state, of those that have ended by outcome. */
const ITEM_COUNTS = sql`(
  select json_group_object(how, n) from (
    select coalesce(outcome, state) how, count(*) n from plan_items where plan_id = plans.id group by how))`.mapWith(
  (text: string): Partial<ItemCounts> => JSON.parse(text),
);

export async function listPlans(
  db: Db,
  projectId: string,
  after: number | undefined,
  limit: number,
): Promise<{ seq: number; view: PlanProgress }[]> {
  const { request: _request, answer: _answer, ...columns } = getTableColumns(plans);
  const rows = await db
    .select({ ...columns, counts: ITEM_COUNTS })
    .from(plans)
    .where(
      and(eq(plans.projectId, projectId), after === undefined ? undefined : lt(plans.seq, after)),
    )
    .orderBy(desc(plans.seq))
    .limit(limit + 1);
  return rows.map((row) => {
    const { progress: items, ...plan } = progressOf(row);
    return { seq: row.seq, view: { ...plan, items } };
  });
}

function progressOf({
  counts,
  ...row
}: Omit<PlanRow, 'request' | 'answer'> & { counts: Partial<ItemCounts> }) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const none = { open: 0, claimed: 0, passed: 0, failed: 0, broken: 0, cancelled: 0 };
  return {
    id: row.id,
    revision: row.revision,
    origin: row.origin as PlanOrigin,
    done: !counts.open && !counts.claimed,
    progress: { total, ...none, ...counts },
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
  };
}

/**
 * A plan with how far each of its items is; undefined where the project has no such plan. Of one
 * that a suite made for the commands that it named, no answer is stored but its items.
 */
export async function readPlan(
  db: Db,
  projectId: string,
  id: string,
): Promise<StoredPlan | undefined> {
  const [row] = await db
    .select({ ...getTableColumns(plans), counts: ITEM_COUNTS })
    .from(plans)
    .where(and(eq(plans.id, id), eq(plans.projectId, projectId)));
  if (!row) return undefined;
  const { position, commandId, state, attempts, runId, outcome } = planItems;
  const rows = await db
    .select({ position, commandId, state, attempts, runId, outcome })
    .from(planItems)
    .where(eq(planItems.planId, id))
    .orderBy(asc(position));
  const { items = [], ...answer } = JSON.parse(row.answer) as Partial<PlanAnswer>;
  const plannedAt = new Map(items.map((item) => [item.position, item]));
  const unplanned = { storyIds: [], score: null, reasons: [], estimateMs: null };
  return {
    ...progressOf(row),
    strategy: null,
    covered: [],
    uncovered: [],
    estimateMs: null,
    ...answer,
    items: rows.map(
      (item) => ({ ...unplanned, ...plannedAt.get(item.position), ...item }) as StoredPlanItem,
    ),
  };
}

const RUN_COUNTS = sql<string>`(
  select json_group_object(state, n) from (
    select state, count(*) n from run_states where suite_id = suites.id group by state))`;

export async function listSuites(
  db: Db,
  projectId: string,
  after: number | undefined,
  limit: number,
  id?: string,
): Promise<{ seq: number; view: Static<typeof SuiteProgress> }[]> {
  const rows = await db
    .select({
      suite: getTableColumns(suites),
      lease: getTableColumns(leases),
      counts: RUN_COUNTS,
    })
    .from(suites)
    .innerJoin(leases, eq(leases.id, suites.leaseId))
    .where(
      and(
        eq(suites.projectId, projectId),
        after === undefined ? undefined : lt(suites.seq, after),
        id === undefined ? undefined : eq(suites.id, id),
      ),
    )
    .orderBy(desc(suites.seq))
    .limit(limit + 1);
  const none = Object.fromEntries(RUN_STATES.map((one) => [one, 0]));
  return rows.map(({ suite, lease, counts }) => {
    const view = shownBy(SuiteProgress, {
      ...suite,
      runs: { ...none, ...(JSON.parse(counts) as object) },
      lease: {
        expiresAt: timestamp(lease.expiresAt),
        endedAt: optionalTimestamp(lease.endedAt),
        endedWhy: lease.endedWhy,
      },
      author: { tokenId: suite.authorToken, label: suite.authorLabel },
      createdAt: timestamp(suite.createdAt),
      endedAt: optionalTimestamp(suite.endedAt),
    });
    return { seq: suite.seq, view };
  });
}
