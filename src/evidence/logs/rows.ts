// System log entries as they are read: listed, grouped by fingerprint, shown.
import type { Static } from '@sinclair/typebox';
import { and, desc, eq, getTableColumns, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { matchExpression } from '../../store/search/query.ts';
import {
  type LogEntryRow,
  type LogGroupRow,
  logEntries,
  logGroups,
} from '../../store/tables/evidence.ts';
import { projects } from '../../store/tables/projects.ts';
import { projectToken } from '../indexes.ts';
import { type LogEntry, type LogFilters, type LogGroup, OWN_SOURCE } from './model.ts';

export type Selection = Partial<
  Pick<LogFilters, 'level' | 'source' | 'route' | 'runId' | 'issueId' | 'fingerprint' | 'state'>
>;

export function conditionsOf(projectId: string, filters: Selection): SQL[] {
  const conditions = [eq(logEntries.projectId, projectId)];
  for (const name of [
    'level',
    'source',
    'route',
    'runId',
    'issueId',
    'fingerprint',
    'state',
  ] as const) {
    const wanted = filters[name];
    if (wanted) conditions.push(inArray(logEntries[name], wanted));
  }
  return conditions;
}

const notOwn = sql`${logEntries.source} is not ${OWN_SOURCE}`;

/**
 * One page of a project's entries, the newest first, with one row more than the limit.
 *
 * @param behind - the `seq` of the last entry seen
 */
export async function listLogRows(
  db: Db,
  projectId: string,
  filters: LogFilters,
  behind: number | undefined,
  limit: number,
  withOwn: boolean,
): Promise<LogEntryRow[]> {
  const conditions = conditionsOf(projectId, filters);
  if (!withOwn) conditions.push(notOwn);
  if (!filters.q?.trim()) {
    if (behind !== undefined) conditions.push(lt(logEntries.seq, behind));
    return db
      .select()
      .from(logEntries)
      .where(and(...conditions))
      .orderBy(desc(logEntries.seq))
      .limit(limit + 1);
  }
  const [project] = await db
    .select({ seq: projects.seq })
    .from(projects)
    .where(eq(projects.id, projectId));
  const scope = [projectToken(project?.seq), ...(withOwn ? [] : ['theirs'])];
  const match = matchExpression(filters.q, 'message details', scope);
  if (match === undefined) return [];
  const from = behind === undefined ? sql`` : sql` and log_entries_text.rowid < ${behind}`;
  return db
    .select(getTableColumns(logEntries))
    .from(sql`log_entries_text`)
    .innerJoin(logEntries, sql`${logEntries.seq} = log_entries_text.rowid`)
    .where(and(sql`log_entries_text match ${match}${from}`, ...conditions))
    .orderBy(sql`log_entries_text.rowid desc`)
    .limit(limit + 1);
}

/** @throws Problem `not_found` */
export async function getLogRow(
  db: Db,
  projectId: string,
  entryId: string,
  withOwn: boolean,
): Promise<LogEntryRow> {
  const [row] = await db.select().from(logEntries).where(eq(logEntries.id, entryId));
  if (!row || row.projectId !== projectId || (!withOwn && row.source === OWN_SOURCE))
    throw notFound('log entry');
  return row;
}

export interface GroupWalk {
  /** The place of the last group seen. */
  behind: number;
  /** The newest entry when the walk began; NaN where that is not known. */
  until: number;
}

export type PlacedGroup = LogGroupRow & { place: number };

/**
 * One page of groups, the one with the newest entry first, with one row more than the limit. Entries
 * that come during a walk move no group in it, and bring no further one.
 *
 * @param walk - undefined where it begins
 */
export async function listLogGroups(
  db: Db,
  projectId: string,
  walk: GroupWalk | undefined,
  limit: number,
  withOwn: boolean,
): Promise<PlacedGroup[]> {
  const behind = walk?.behind ?? Number.MAX_SAFE_INTEGER;
  const until = Number.isSafeInteger(walk?.until) ? walk?.until : Number.MAX_SAFE_INTEGER;
  const shown = sql`project_id = ${projectId}${withOwn ? sql`` : sql` and source is not ${OWN_SOURCE}`}`;
  // Those that have moved since are few, and each has its place in an index.
  const places = sql`(
    select * from (
      select seq as group_seq, last_seq as place from log_groups
      where ${shown} and last_seq <= ${until} and last_seq < ${behind}
      order by last_seq desc limit ${limit + 1}
    )
    union all
    select seq, (
      select max(e.seq) from log_entries e
      where e.project_id = g.project_id and e.fingerprint = g.fingerprint and e.seq <= ${until}
    ) from log_groups g where ${shown} and last_seq > ${until}
  ) places`;
  return db
    .select({ ...getTableColumns(logGroups), place: sql<number>`places.place` })
    .from(places)
    .innerJoin(logGroups, sql`${logGroups.seq} = places.group_seq`)
    .where(sql`places.place < ${behind}`)
    .orderBy(sql`places.place desc`)
    .limit(limit + 1);
}

export async function occurrencesOf(
  db: Db,
  projectId: string,
  rows: LogEntryRow[],
): Promise<Map<string, number>> {
  const fingerprints = [...new Set(rows.map((row) => row.fingerprint))];
  if (fingerprints.length === 0) return new Map();
  const groups = await db
    .select({ fingerprint: logGroups.fingerprint, occurrences: logGroups.occurrences })
    .from(logGroups)
    .where(and(eq(logGroups.projectId, projectId), inArray(logGroups.fingerprint, fingerprints)));
  return new Map(groups.map((group) => [group.fingerprint, group.occurrences]));
}

export function logView(row: LogEntryRow, occurrences: number): Static<typeof LogEntry> {
  return {
    id: row.id,
    at: timestamp(row.at),
    level: row.level as Static<typeof LogEntry>['level'],
    source: row.source,
    message: row.message,
    fields: row.fields,
    route: row.route,
    runId: row.runId,
    issueId: row.issueId,
    fingerprint: row.fingerprint,
    occurrences,
    state: row.state as Static<typeof LogEntry>['state'],
    note: row.note,
    version: row.version,
  };
}

export function logGroupView(row: LogGroupRow): Static<typeof LogGroup> {
  return {
    level: row.level as Static<typeof LogGroup>['level'],
    source: row.source,
    message: row.message,
    fingerprint: row.fingerprint,
    occurrences: row.occurrences,
    firstAt: timestamp(row.firstAt),
    lastAt: timestamp(row.lastAt),
  };
}
