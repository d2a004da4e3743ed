// Test runs: finding and listing them, and how they are shown.
import type { Static, TObject } from '@sinclair/typebox';
import { asc, desc, eq, getTableColumns, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import { attachmentView } from '../../evidence/issues/rows.ts';
import type { Db } from '../../store/database.ts';
import { type AttachmentRow, attachments } from '../../store/tables/evidence.ts';
import { type TestRunRow, testRuns } from '../../store/tables/quality.ts';
import { shownBy } from '../lists.ts';
import { RunAttachment, type RunFilters } from './model.ts';

/** @throws Problem `not_found`, for another project's run too */
export async function getTestRun(db: Db, projectId: string, id: string): Promise<TestRunRow> {
  const [row] = await db.select().from(testRuns).where(eq(testRuns.id, id));
  if (!row || row.projectId !== projectId) throw notFound('test run');
  return row;
}

/**
 * The filters with their indexes, those that leave the fewest runs first. Each list walks down one
 * index from its newest entry on; the database is told which, for it knows nothing of how often each
 * value comes.
 */
const FILTERS = [
  ['externalId', 'external', sql`${testRuns.externalId}`],
  ['suiteId', 'suite', sql`${testRuns.suiteId}`],
  ['planId', 'plan', sql`${testRuns.planId}`],
  ['commit', 'commit', sql`${testRuns.commitId}`],
  ['commandId', 'command', sql`${testRuns.commandId}`],
  ['branch', 'branch', sql`${testRuns.branch}`],
  ['agent', 'agent', sql`json_extract(${testRuns.agent}, '$.name')`],
  ['environment', 'environment', sql`${testRuns.environment}`],
  ['status', 'status', sql`${testRuns.status}`],
] as const satisfies [keyof RunFilters, index: string, column: SQL][];

interface RunBounds {
  /** The `seq` of the last run seen. */
  behind?: number | undefined;
  limit: number;
  counting?: boolean;
}

/** A subquery of the `seq` of the newest runs of a project that the filters name, or of more than the limit. */
export function newestRuns(
  projectId: string,
  filters: RunFilters,
  { behind, limit, counting }: RunBounds,
): SQL {
  const conditions = [eq(testRuns.projectId, projectId)];
  if (behind !== undefined) conditions.push(lt(testRuns.seq, behind));
  // As the condition of an index says it: a bound value would not be known to be 1.
  if (counting) conditions.push(sql`counts = 1`);
  if (filters.late !== undefined) conditions.push(sql`late = ${sql.raw(filters.late ? '1' : '0')}`);
  if (filters.agent) conditions.push(sql`agent is not null`);
  const [first, ...others] = FILTERS.filter(([name]) => filters[name] !== undefined);
  for (const [name, , column] of others) conditions.push(inArray(column, filters[name] ?? []));
  const walk = (index: string, more: SQL[]) =>
    sql`select seq from test_runs indexed by ${sql.raw(`test_runs_${index}`)} where ${sql.join([...more, ...conditions], sql` and `)} order by seq desc limit ${limit}`;
  if (!first) return walk(counting ? 'counting' : filters.late ? 'late' : 'project', []);
  const [name, index, column] = first;
  // One walk a value: several in one would have to be sorted whole.
  const walks = [...new Set<string>(filters[name])].map(
    (value) => sql`select seq from (${walk(index, [eq(column, value)])})`,
  );
  return sql.join(walks, sql` union all `);
}

export async function listRunRows(
  db: Db,
  projectId: string,
  filters: RunFilters,
  bounds: RunBounds,
): Promise<TestRunRow[]> {
  return db
    .select()
    .from(testRuns)
    .where(sql`${testRuns.seq} in (${newestRuns(projectId, filters, bounds)})`)
    .orderBy(desc(testRuns.seq))
    .limit(bounds.limit);
}

export async function attachmentsOfRuns(
  db: Db,
  runIds: readonly string[],
): Promise<AttachmentRow[]> {
  if (runIds.length === 0) return [];
  return db
    .select()
    .from(attachments)
    .where(inArray(attachments.runId, [...runIds]))
    .orderBy(asc(attachments.seq));
}

export function runAttachmentView(row: AttachmentRow, url: string): RunAttachment {
  return shownBy(RunAttachment, { ...attachmentView(row, url), runId: row.runId });
}

/** When a run was, in milliseconds since the epoch: its end, else its start, else its arrival. */
export function runTime(run: Pick<TestRunRow, 'finishedAt' | 'startedAt' | 'createdAt'>): number {
  return run.finishedAt ?? run.startedAt ?? run.createdAt;
}

/** Of a run, what is read where many are shown in short. */
const { execution, properties, totals, harnessErrors, ...columns } = getTableColumns(testRuns);
export const RUN_COLUMNS = columns;
type ShortRun = Omit<TestRunRow, 'execution' | 'properties' | 'totals' | 'harnessErrors'>;

/** A run as a schema of `model.ts` names its fields. */
export function runView<S extends TObject>(
  schema: S,
  row: ShortRun,
  attachments: readonly RunAttachment[] = [],
): Static<S> {
  return shownBy(schema, {
    ...row,
    startedAt: optionalTimestamp(row.startedAt),
    finishedAt: optionalTimestamp(row.finishedAt),
    at: timestamp(runTime(row)),
    commit: row.commitId,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    attachments,
  });
}
