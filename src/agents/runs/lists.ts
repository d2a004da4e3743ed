// Lists of the state of runs: the runs, and plans and suites with how far they are.
import { and, desc, eq, getTableColumns, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import type { Db } from '../../store/database.ts';
import {
  leases,
  type PlanRow,
  planItems,
  plans,
  runStates,
  type SuiteRow,
  suites,
} from '../../store/tables/agents.ts';
import type { RunStateFilters } from './model.ts';
import type { LeasedRun } from './rows.ts';
import { RUN_STATES } from './states.ts';

/** Filters with the index that is walked for them; of several, that of the first one. */
const FILTERED = [
  ['suiteId', 'run_states_suite'],
  ['planId', 'run_states_plan'],
  ['commandId', 'run_states_command'],
  ['state', 'run_states_state'],
] as const;

/** One page of a project's runs, the newest first, with one row more than the limit. */
export async function listRunStates(
  db: Db,
  projectId: string,
  filters: RunStateFilters,
  behind: number | undefined,
  limit: number,
): Promise<LeasedRun[]> {
  const seqs = newestRuns(projectId, filters, behind, limit + 1);
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
  behind: number | undefined,
  count: number,
): SQL {
  const conditions: SQL[] = [eq(runStates.projectId, projectId)];
  if (behind !== undefined) conditions.push(lt(runStates.seq, behind));
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

/** One page of a project's plans, the newest first, with one row more than the limit. */
export async function listPlans(
  db: Db,
  projectId: string,
  behind: number | undefined,
  limit: number,
): Promise<PlanProgress[]> {
  const rows = await db
    .select({
      ...{ seq: plans.seq, id: plans.id, revision: plans.revision, origin: plans.origin },
      ...{ authorToken: plans.authorToken, authorLabel: plans.authorLabel },
      createdAt: plans.createdAt,
    })
    .from(plans)
    .where(
      and(eq(plans.projectId, projectId), behind === undefined ? undefined : lt(plans.seq, behind)),
    )
    .orderBy(desc(plans.seq))
    .limit(limit + 1);
  const counts = await db
    .select({
      planId: planItems.planId,
      state: planItems.state,
      outcome: planItems.outcome,
      count: sql<number>`count(*)`,
    })
    .from(planItems)
    .where(
      inArray(
        planItems.planId,
        rows.map(({ id }) => id),
      ),
    )
    .groupBy(planItems.planId, planItems.state, planItems.outcome);
  const countsOf = Map.groupBy(counts, ({ planId }) => planId);
  return rows.map((row) => ({ ...row, items: countItems(countsOf.get(row.id) ?? []) }));
}

/** Counts of a plan's items by state, of those that have ended by outcome. */
export function countItems(
  counts: readonly { state: string; outcome: string | null; count: number }[],
): typeof NO_ITEMS {
  const items = { ...NO_ITEMS };
  for (const { state, outcome, count } of counts) {
    items[(outcome ?? state) as keyof typeof items] += count;
    items.total += count;
  }
  return items;
}

type PlanHead = Pick<
  PlanRow,
  'seq' | 'id' | 'revision' | 'origin' | 'authorToken' | 'authorLabel' | 'createdAt'
>;
export type PlanProgress = PlanHead & { items: typeof NO_ITEMS };

const NO_ITEMS = { total: 0, open: 0, claimed: 0, passed: 0, failed: 0, broken: 0, cancelled: 0 };

/** A plan with the counts of its items. */
export function planProgressView(row: PlanProgress) {
  const { id, revision, origin, items } = row;
  return {
    ...{ id, revision, origin, items },
    done: items.open + items.claimed === 0,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
  };
}

/** One page of a project's suites, the newest first, with one row more than the limit. */
export async function listSuites(
  db: Db,
  projectId: string,
  behind: number | undefined,
  limit: number,
): Promise<SuiteProgress[]> {
  const rows = await db
    .select({
      suite: getTableColumns(suites),
      lease: {
        expiresAt: leases.expiresAt,
        endedAt: leases.endedAt,
        endedWhy: leases.endedWhy,
      },
    })
    .from(suites)
    .innerJoin(leases, eq(leases.id, suites.leaseId))
    .where(
      and(
        eq(suites.projectId, projectId),
        behind === undefined ? undefined : lt(suites.seq, behind),
      ),
    )
    .orderBy(desc(suites.seq))
    .limit(limit + 1);
  const counts = await db
    .select({
      suiteId: runStates.suiteId,
      state: runStates.state,
      count: sql<number>`count(*)`,
    })
    .from(runStates)
    .where(
      inArray(
        runStates.suiteId,
        rows.map(({ suite }) => suite.id),
      ),
    )
    .groupBy(runStates.suiteId, runStates.state);
  const countsOf = Map.groupBy(counts, ({ suiteId }) => suiteId);
  return rows.map((row) => {
    const runs = Object.fromEntries(RUN_STATES.map((state) => [state, 0]));
    for (const { state, count } of countsOf.get(row.suite.id) ?? []) runs[state] = count;
    return { ...row, runs };
  });
}

export interface SuiteProgress {
  suite: SuiteRow;
  lease: { expiresAt: number; endedAt: number | null; endedWhy: string | null };
  runs: Record<string, number>;
}

/** A suite with the counts of its runs. */
export function suiteProgressView({ suite, lease, runs }: SuiteProgress) {
  return {
    ...{ id: suite.id, planId: suite.planId },
    agent: suite.agent,
    runs,
    lease: {
      expiresAt: timestamp(lease.expiresAt),
      endedAt: optionalTimestamp(lease.endedAt),
      endedWhy: lease.endedWhy,
    },
    author: { tokenId: suite.authorToken, label: suite.authorLabel },
    createdAt: timestamp(suite.createdAt),
    endedAt: optionalTimestamp(suite.endedAt),
  };
}
