// Lists of the state of runs: the runs, and plans and suites with how far they are.
import type { Static } from '@sinclair/typebox';
import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { shownBy } from '../../quality/lists.ts';
import type { Db } from '../../store/database.ts';
import { newestSeqs } from '../../store/list-filters.ts';
import { leases, plans, runStates, suites } from '../../store/tables/agents.ts';
import { PlanProgress, type RunStateFilters, SuiteProgress } from './model.ts';
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
  (text: string): Partial<PlanProgress['items']> => JSON.parse(text),
);

export async function listPlans(
  db: Db,
  projectId: string,
  after: number | undefined,
  limit: number,
  id?: string,
): Promise<{ seq: number; view: PlanProgress }[]> {
  const rows = await db
    .select({ plan: getTableColumns(plans), counts: ITEM_COUNTS })
    .from(plans)
    .where(
      and(
        eq(plans.projectId, projectId),
        after === undefined ? undefined : lt(plans.seq, after),
        id === undefined ? undefined : eq(plans.id, id),
      ),
    )
    .orderBy(desc(plans.seq))
    .limit(limit + 1);
  const none = { open: 0, claimed: 0, passed: 0, failed: 0, broken: 0, cancelled: 0 };
  return rows.map(({ plan, counts }) => {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const view = shownBy(PlanProgress, {
      ...plan,
      done: !counts.open && !counts.claimed,
      items: { total, ...none, ...counts },
      author: { tokenId: plan.authorToken, label: plan.authorLabel },
      createdAt: timestamp(plan.createdAt),
    });
    return { seq: plan.seq, view };
  });
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
