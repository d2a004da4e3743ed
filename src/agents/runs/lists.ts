// Lists of the state of runs: the runs, and plans and suites with how far they are.
import { and, desc, eq, getTableColumns, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import type { Db } from '../../store/database.ts';
import { leases, planItems, plans, runStates, suites } from '../../store/tables/agents.ts';
import type { PlanOrigin } from '../plan/model.ts';
import type { LeaseEnd } from '../suites/leases.ts';
import type { PlanProgress, RunStateFilters, SuiteProgress } from './model.ts';
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
  const seqs = newestRuns(projectId, filters, after, limit + 1);
  return db
    .select({ run: getTableColumns(runStates), lease: getTableColumns(leases) })
    .from(runStates)
    .innerJoin(leases, eq(leases.id, runStates.leaseId))
    .where(sql`${runStates.seq} in (${seqs})`)
    .orderBy(desc(runStates.seq))
    .limit(limit + 1);
}

/** A subquery of the `seq` of the newest runs that fit: the database does not know how many do. */
function newestRuns(
  projectId: string,
  filters: RunStateFilters,
  after: number | undefined,
  count: number,
): SQL {
  const conditions: SQL[] = [eq(runStates.projectId, projectId)];
  if (after !== undefined) conditions.push(lt(runStates.seq, after));
  const [walked, ...others] = FILTERED.filter(([name]) => filters[name] !== undefined);
  for (const [name] of others) conditions.push(inArray(runStates[name], filters[name] ?? []));
  const walk = (index: string, more: SQL[]) =>
    sql`select seq from run_states indexed by ${sql.raw(index)} where ${and(...more, ...conditions)} order by seq desc limit ${count}`;
  if (!walked) return walk('run_states_project', []);
  const [name, index] = walked;
  // One walk a value: several in one would have to be sorted whole.
  const walks = [...new Set<string>(filters[name])].map(
    (value) => sql`select seq from (${walk(index, [eq(runStates[name], value)])})`,
  );
  return sql.join(walks, sql` union all `);
}

export async function listPlans(
  db: Db,
  projectId: string,
  after: number | undefined,
  limit: number,
): Promise<{ seq: number; plan: PlanProgress }[]> {
  const { request: _request, answer: _answer, ...columns } = getTableColumns(plans);
  const rows = await db
    .select(columns)
    .from(plans)
    .where(
      and(eq(plans.projectId, projectId), after === undefined ? undefined : lt(plans.seq, after)),
    )
    .orderBy(desc(plans.seq))
    .limit(limit + 1);
  const ids = rows.map(({ id }) => id);
  const { planId, state, outcome } = planItems;
  const counts = await db
    .select({ planId, state, outcome, count: sql<number>`count(*)` })
    .from(planItems)
    .where(inArray(planId, ids))
    .groupBy(planId, state, outcome);
  const countsOf = Map.groupBy(counts, (one) => one.planId);
  return rows.map((row) => {
    const items = countItems(countsOf.get(row.id) ?? []);
    const plan = {
      id: row.id,
      revision: row.revision,
      origin: row.origin as PlanOrigin,
      items,
      done: items.open + items.claimed === 0,
      author: { tokenId: row.authorToken, label: row.authorLabel },
      createdAt: timestamp(row.createdAt),
    };
    return { seq: row.seq, plan };
  });
}

/** Counts of a plan's items by state, of those that have ended by outcome. */
export function countItems(
  counts: readonly { state: string; outcome: string | null; count: number }[],
): PlanProgress['items'] {
  const items = { total: 0, open: 0, claimed: 0, passed: 0, failed: 0, broken: 0, cancelled: 0 };
  for (const { state, outcome, count } of counts) {
    items[(outcome ?? state) as keyof typeof items] += count;
    items.total += count;
  }
  return items;
}

export async function listSuites(
  db: Db,
  projectId: string,
  after: number | undefined,
  limit: number,
): Promise<{ seq: number; suite: SuiteProgress }[]> {
  const rows = await db
    .select({ suite: getTableColumns(suites), lease: getTableColumns(leases) })
    .from(suites)
    .innerJoin(leases, eq(leases.id, suites.leaseId))
    .where(
      and(eq(suites.projectId, projectId), after === undefined ? undefined : lt(suites.seq, after)),
    )
    .orderBy(desc(suites.seq))
    .limit(limit + 1);
  const ids = rows.map(({ suite }) => suite.id);
  const { suiteId, state } = runStates;
  const counts = await db
    .select({ suiteId, state, count: sql<number>`count(*)` })
    .from(runStates)
    .where(inArray(suiteId, ids))
    .groupBy(suiteId, state);
  const countsOf = Map.groupBy(counts, (one) => one.suiteId);
  return rows.map(({ suite: row, lease }) => {
    const runs = Object.fromEntries(RUN_STATES.map((one) => [one, 0]));
    for (const one of countsOf.get(row.id) ?? []) runs[one.state] = one.count;
    const suite = {
      id: row.id,
      planId: row.planId,
      agent: row.agent,
      runs,
      lease: {
        expiresAt: timestamp(lease.expiresAt),
        endedAt: optionalTimestamp(lease.endedAt),
        endedWhy: lease.endedWhy as LeaseEnd | null,
      },
      author: { tokenId: row.authorToken, label: row.authorLabel },
      createdAt: timestamp(row.createdAt),
      endedAt: optionalTimestamp(row.endedAt),
    };
    return { seq: row.seq, suite };
  });
}
