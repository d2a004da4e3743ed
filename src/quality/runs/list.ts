// Runs as they are listed, the newest first. Every list walks down one index from its newest entry
// on; which one is said to the database, for it knows nothing of how often each value comes.
import { desc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { type TestRunRow, testRuns } from '../../store/tables/quality.ts';
import type { RunFilters } from './query.ts';

interface Filtered {
  index: string;
  column: SQL;
}

const FILTERED = {
  externalId: { index: 'test_runs_external', column: sql`${testRuns.externalId}` },
  commandId: { index: 'test_runs_command', column: sql`${testRuns.commandId}` },
  suiteId: { index: 'test_runs_suite', column: sql`${testRuns.suiteId}` },
  planId: { index: 'test_runs_plan', column: sql`${testRuns.planId}` },
  commit: { index: 'test_runs_commit', column: sql`${testRuns.commitId}` },
  branch: { index: 'test_runs_branch', column: sql`${testRuns.branch}` },
  environment: { index: 'test_runs_environment', column: sql`${testRuns.environment}` },
  agent: { index: 'test_runs_agent', column: sql`json_extract(${testRuns.agent}, '$.name')` },
  status: { index: 'test_runs_status', column: sql`${testRuns.status}` },
} as const satisfies Record<string, Filtered>;
type FilteredName = keyof typeof FILTERED;

const COUNTED = 1000;

export interface RunBounds {
  /** The `seq` of the last run seen. */
  behind?: number | undefined;
  limit: number;
  /** Only runs that count. */
  counting?: boolean;
}

/** A subquery of the `seq` of the newest runs of a project that the filters name. */
export async function newestRuns(
  db: Db,
  projectId: string,
  filters: RunFilters,
  { behind, limit, counting }: RunBounds,
): Promise<SQL> {
  const walked = await walkedFilter(db, projectId, filters);
  const conditions = [eq(testRuns.projectId, projectId)];
  if (behind !== undefined) conditions.push(lt(testRuns.seq, behind));
  // As the condition of an index says it: a bound value would not be known to be 1.
  if (counting) conditions.push(sql`counts = 1`);
  if (filters.late !== undefined) conditions.push(sql`late = ${sql.raw(filters.late ? '1' : '0')}`);
  for (const [name, { column }] of entriesOf(FILTERED)) {
    const wanted = filters[name];
    if (wanted && name !== walked) conditions.push(inArray(column, wanted));
  }
  if (walked === undefined) {
    const index = counting ? 'counting' : filters.late ? 'late' : 'project';
    return walk(`test_runs_${index}`, conditions, limit);
  }
  const { index, column } = FILTERED[walked];
  // One walk a value: several in one would have to be sorted whole.
  const walks = [...new Set<string>(filters[walked])].map(
    (value) => sql`select seq from (${walk(index, [eq(column, value), ...conditions], limit)})`,
  );
  return sql.join(walks, sql` union all `);
}

/**
 * One page of a project's runs, the newest first.
 *
 * @returns at most `limit` rows
 */
export async function listRunRows(
  db: Db,
  projectId: string,
  filters: RunFilters,
  bounds: RunBounds,
): Promise<TestRunRow[]> {
  const seqs = await newestRuns(db, projectId, filters, bounds);
  return db
    .select()
    .from(testRuns)
    .where(sql`${testRuns.seq} in (${seqs})`)
    .orderBy(desc(testRuns.seq))
    .limit(bounds.limit);
}

function walk(index: string, conditions: SQL[], limit: number): SQL {
  const where = sql.join(conditions, sql` and `);
  const agent = index === 'test_runs_agent' ? sql` and agent is not null` : sql``;
  return sql`select seq from test_runs indexed by ${sql.raw(index)} where ${where}${agent} order by seq desc limit ${limit}`;
}

async function walkedFilter(
  db: Db,
  projectId: string,
  filters: RunFilters,
): Promise<FilteredName | undefined> {
  const given = entriesOf(FILTERED).filter(([name]) => filters[name] !== undefined);
  if (given.length < 2) return given[0]?.[0];
  const counts = given.map(([name, { index, column }]) => {
    const conditions = [eq(testRuns.projectId, projectId), inArray(column, filters[name] ?? [])];
    const agent = name === 'agent' ? sql` and agent is not null` : sql``;
    return sql`(select count(*) from (select 1 from test_runs indexed by ${sql.raw(index)} where ${sql.join(conditions, sql` and `)}${agent} limit ${COUNTED}))`;
  });
  const [row = []] = await db.values<number[]>(sql`select ${sql.join(counts, sql`, `)}`);
  const least = row.indexOf(Math.min(...row));
  return given[least]?.[0];
}

function entriesOf<K extends string, V>(record: Record<K, V>): [K, V][] {
  return Object.entries(record) as [K, V][];
}
