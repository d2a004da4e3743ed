// Test runs: finding and listing them, and how they are shown.
import type { Static, TObject } from '@sinclair/typebox';
import { and, desc, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import { attachmentView } from '../../evidence/issues/rows.ts';
import { nextSlice, type Pause } from '../../runtime/scheduler.ts';
import { isListed, prepared } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import {
  between,
  COUNTED,
  inRange,
  newestSeqs,
  placesOf,
  totalOf,
  walkDown,
} from '../../store/list-filters.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';
import { type TestRunRow, testRuns } from '../../store/tables/quality.ts';
import { shownBy } from '../lists.ts';
import { RunAttachment, type RunFilters } from './model.ts';

const byId = prepared((db) =>
  db
    .select()
    .from(testRuns)
    .where(eq(testRuns.id, sql.placeholder('id')))
    .prepare(),
);

export async function getTestRun(db: Db, projectId: string, id: string): Promise<TestRunRow> {
  const [row] = await byId(db).all({ id });
  if (!row || row.projectId !== projectId) throw notFound('test run');
  return row;
}

/** The filters with their indexes, those that leave the fewest runs first. */
const FILTERS = [
  ['externalId', 'external', testRuns.externalId],
  ['suiteId', 'suite', testRuns.suiteId],
  ['planId', 'plan', testRuns.planId],
  ['commit', 'commit', testRuns.commitId],
  ['commandId', 'command', testRuns.commandId],
  ['branch', 'branch', testRuns.branch],
  ['agent', 'agent', sql`json_extract(${testRuns.agent}, '$.name')`],
  ['environment', 'environment', testRuns.environment],
  ['status', 'status', testRuns.status],
] as const;

interface RunBounds {
  behind?: number | undefined;
  limit: number;
  counting?: boolean;
  pause?: Pause;
}

/** The `seq` of the newest runs of a project that the filters name, the newest first. */
export async function newestRuns(
  db: Db,
  projectId: string,
  filters: RunFilters,
  { behind = Number.MAX_SAFE_INTEGER, limit, counting = false, pause = nextSlice }: RunBounds,
): Promise<number[]> {
  const conditions = [eq(testRuns.projectId, projectId)];
  // As the condition of an index says it: a bound value would not be known to be 1.
  if (counting) conditions.push(sql`counts = 1`);
  if (filters.late !== undefined) conditions.push(sql`late = ${sql.raw(filters.late ? '1' : '0')}`);
  if (filters.agent) conditions.push(sql`agent is not null`);
  const walked = counting ? 'counting' : filters.late ? 'late' : 'project';
  const given = FILTERS.flatMap(([name, index, column]) => {
    const values = filters[name];
    return values ? { column: sql`${column}`, values, index: `test_runs_${index}` } : [];
  });
  const [first, ...others] = given;
  const rest = [
    ...others.map(({ column, values }) => inArray(column, [...values])),
    ...inRange(testRuns.startedAt, filters),
  ];
  const seqsOf = async (query: SQL) => (await db.values<[number]>(query)).map(([seq]) => seq);
  const places = between(await placesOf(db, 'test_runs', filters), 1, behind - 1);
  return walkDown(places, limit, pause, {
    async candidates(from, to, most) {
      const all = [...conditions, sql`${testRuns.seq} between ${from} and ${to}`];
      const walk = newestSeqs(testRuns, first ? [first] : [], all, `test_runs_${walked}`, most);
      return (await seqsOf(walk)).sort((a, b) => b - a).slice(0, most);
    },
    async passing(seqs, limit) {
      if (rest.length === 0) return seqs.slice(0, limit);
      const isListed = sql`test_runs.seq = found.value`;
      return seqsOf(sql`
        select seq from json_each(${JSON.stringify(seqs)}) found cross join test_runs
        where ${and(isListed, ...rest)} order by seq desc limit ${limit}`);
    },
  });
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
    .where(isListed(testRuns.seq, JSON.stringify(await newestRuns(db, projectId, filters, bounds))))
    .orderBy(desc(testRuns.seq));
}

/** How many there are, and of each status. */
export async function countRuns(db: Db, projectId: string, filters: RunFilters, pause: Pause) {
  const seqs = await newestRuns(db, projectId, filters, { limit: COUNTED, pause });
  const total = totalOf(seqs.length);
  const counted = isListed(testRuns.seq, JSON.stringify(seqs.slice(0, total.total)));
  const counts = await db.values<[string, number]>(
    sql`select status, count(*) from test_runs where ${counted} group by status`,
  );
  const statuses = { passed: 0, failed: 0, broken: 0, ...Object.fromEntries(counts) };
  return { ...total, statuses };
}

export function runAttachmentView(row: AttachmentRow, url: string): RunAttachment {
  return shownBy(RunAttachment, { ...attachmentView(row, url), runId: row.runId });
}

/** When a run was, in milliseconds since the epoch: its end, else its start, else its arrival. */
export function runTime(run: Pick<TestRunRow, 'finishedAt' | 'startedAt' | 'createdAt'>): number {
  return run.finishedAt ?? run.startedAt ?? run.createdAt;
}

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
