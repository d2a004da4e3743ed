// System log entries: written in batches, listed, grouped by fingerprint, settled.
import { and, count, desc, eq, getTableColumns, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { timestamp } from '../clock.ts';
import { requireMatch } from '../http/etag.ts';
import { notFound } from '../http/problem.ts';
import { parseTime } from '../http/time.ts';
import type { Db } from '../store/database.ts';
import { newId } from '../store/ids.ts';
import { prepared } from '../store/prepared.ts';
import { matchExpression } from '../store/search-index.ts';
import {
  type LogEntryRow,
  type LogGroupRow,
  logEntries,
  logGroups,
} from '../store/tables/evidence.ts';
import { projects } from '../store/tables/projects.ts';
import { logFingerprint } from './fingerprints.ts';
import { projectToken } from './indexes.ts';
import {
  type LogEntryInput,
  type LogFilters,
  type LogPatchInput,
  OWN_SOURCE,
} from './log-model.ts';

/** After how many rows a long batch lets others run. */
const ROWS_AT_A_TIME = 250;

const p = sql.placeholder;

const insertEntry = prepared((db) =>
  db
    .insert(logEntries)
    .values({
      id: p('id'),
      projectId: p('projectId'),
      at: p('at'),
      level: p('level'),
      source: p('source'),
      message: p('message'),
      fields: p('fields'),
      route: p('route'),
      runId: p('runId'),
      issueId: p('issueId'),
      fingerprint: p('fingerprint'),
      authorToken: p('authorToken'),
      createdAt: p('createdAt'),
    })
    .prepare(),
);

interface Batch {
  projectId: string;
  entries: (LogEntryInput | (Omit<LogEntryInput, 'source'> & { source: typeof OWN_SOURCE }))[];
  /** The token that sends them; null for the service itself. */
  tokenId: string | null;
  now: number;
}

/**
 * Writes entries, all or none, inside the caller's write.
 *
 * @returns their ids, in their order
 * @throws Problem `invalid` for a day that does not exist
 */
export async function writeLogEntries(
  db: Db,
  { projectId, entries, tokenId, now }: Batch,
): Promise<string[]> {
  const insert = insertEntry(db);
  const groups = new Map<string, typeof logGroups.$inferInsert>();
  const ids: string[] = [];
  let lastSeq = 0;
  for (const [index, entry] of entries.entries()) {
    const at = entry.at ? parseTime(entries.length > 1 ? `/${index}/at` : '/at', entry.at) : now;
    const level = entry.level ?? 'info';
    const source = entry.source ?? null;
    const { message } = entry;
    const fingerprint = logFingerprint({ level, source, message });
    const id = newId('log');
    const result = await insert.run({
      id,
      projectId,
      at,
      level,
      source,
      message,
      fields: entry.fields ? JSON.stringify(entry.fields) : null,
      route: entry.route ?? null,
      runId: entry.runId ?? null,
      issueId: entry.issueId ?? null,
      fingerprint,
      authorToken: tokenId,
      createdAt: now,
    });
    lastSeq = Number(result.lastInsertRowid ?? lastSeq);
    ids.push(id);
    const group = groups.get(fingerprint);
    groups.set(fingerprint, {
      ...{ projectId, fingerprint, level, source, message, lastSeq },
      occurrences: (group?.occurrences ?? 0) + 1,
      firstAt: Math.min(group?.firstAt ?? at, at),
      lastAt: Math.max(group?.lastAt ?? at, at),
    });
    if (index % ROWS_AT_A_TIME === ROWS_AT_A_TIME - 1)
      await new Promise((next) => setImmediate(next));
  }
  for (const group of groups.values()) await countGroup(db, group);
  return ids;
}

async function countGroup(db: Db, group: typeof logGroups.$inferInsert): Promise<void> {
  await db
    .insert(logGroups)
    .values(group)
    .onConflictDoUpdate({
      target: [logGroups.projectId, logGroups.fingerprint],
      set: {
        message: group.message,
        occurrences: sql`${logGroups.occurrences} + ${group.occurrences}`,
        firstAt: sql`min(${logGroups.firstAt}, ${group.firstAt})`,
        lastAt: sql`max(${logGroups.lastAt}, ${group.lastAt})`,
        lastSeq: group.lastSeq,
      },
    });
}

type Selection = Partial<
  Pick<LogFilters, 'level' | 'source' | 'route' | 'runId' | 'issueId' | 'fingerprint' | 'state'>
>;

function conditionsOf(projectId: string, filters: Selection): SQL[] {
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
 * @param withOwn - whether the service's own entries are shown
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
  if (filters.q === undefined) {
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

/** One page of groups, the one with the newest entry first. */
export async function listLogGroups(
  db: Db,
  projectId: string,
  behind: number | undefined,
  limit: number,
  withOwn: boolean,
): Promise<LogGroupRow[]> {
  const conditions = [eq(logGroups.projectId, projectId)];
  if (behind !== undefined) conditions.push(lt(logGroups.lastSeq, behind));
  if (!withOwn) conditions.push(sql`${logGroups.source} is not ${OWN_SOURCE}`);
  return db
    .select()
    .from(logGroups)
    .where(and(...conditions))
    .orderBy(desc(logGroups.lastSeq))
    .limit(limit + 1);
}

/** How often the fingerprints of some entries occurred. */
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

/** An entry as it is shown. */
export function logView(row: LogEntryRow, occurrences: number) {
  return {
    id: row.id,
    at: timestamp(row.at),
    level: row.level,
    source: row.source,
    message: row.message,
    fields: row.fields === null ? null : (JSON.parse(row.fields) as unknown),
    route: row.route,
    runId: row.runId,
    issueId: row.issueId,
    fingerprint: row.fingerprint,
    occurrences,
    state: row.state,
    note: row.note,
    version: row.version,
  };
}

/** A group as it is shown. */
export function logGroupView(row: LogGroupRow) {
  const { fingerprint, level, source, message, occurrences } = row;
  return {
    ...{ fingerprint, level, source, message, occurrences },
    firstAt: timestamp(row.firstAt),
    lastAt: timestamp(row.lastAt),
  };
}

interface Settling {
  projectId: string;
  patch: LogPatchInput;
  /** The request's `If-Match`; it speaks of the one entry that is named. */
  ifMatch: string | null;
}

/**
 * Sets state or note of entries, inside the caller's write: of those named, or of all that a
 * filter finds.
 *
 * @returns how many there are
 * @throws Problem `not_found` when a named one does not exist, `precondition_failed`
 */
export async function settleLogEntries(
  db: Db,
  { projectId, patch, ifMatch }: Settling,
): Promise<number> {
  const named = patch.id === undefined ? patch.ids : [patch.id];
  const set = {
    ...(patch.state === undefined ? {} : { state: patch.state }),
    ...(patch.note === undefined ? {} : { note: patch.note }),
    version: sql`${logEntries.version} + 1`,
  };
  if (named) {
    const wanted = JSON.stringify([...new Set(named)]);
    const where = and(
      eq(logEntries.projectId, projectId),
      sql`${logEntries.id} in (select value from json_each(${wanted}))`,
    );
    const rows = await db.select({ version: logEntries.version }).from(logEntries).where(where);
    if (rows.length < new Set(named).size) throw notFound('log entry');
    for (const row of rows) requireMatch(ifMatch, row.version);
    await db.update(logEntries).set(set).where(where);
    return rows.length;
  }
  const where = and(...conditionsOf(projectId, listsOf(patch.filter ?? {})));
  const [found] = await db.select({ n: count() }).from(logEntries).where(where);
  await db.update(logEntries).set(set).where(where);
  return found?.n ?? 0;
}

/** A filter's values as lists. */
function listsOf(filter: NonNullable<LogPatchInput['filter']>): Selection {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]),
  );
}

/**
 * Takes away entries that came before a time, a few at a time.
 *
 * @param before - milliseconds since the epoch
 * @returns the rows' `seq`, fewer than `most` when it was the last batch
 */
export async function removeOldLogEntries(
  db: Db,
  projectId: string,
  before: number,
  most: number,
): Promise<number[]> {
  const old = await db
    .select({ seq: logEntries.seq, fingerprint: logEntries.fingerprint })
    .from(logEntries)
    .where(and(eq(logEntries.projectId, projectId), lt(logEntries.createdAt, before)))
    .limit(most);
  if (old.length === 0) return [];
  const seqs = old.map((row) => row.seq);
  await db.delete(logEntries).where(inArray(logEntries.seq, seqs));
  for (const [fingerprint, gone] of Map.groupBy(old, (row) => row.fingerprint)) {
    const group = and(eq(logGroups.projectId, projectId), eq(logGroups.fingerprint, fingerprint));
    await db
      .update(logGroups)
      .set({ occurrences: sql`${logGroups.occurrences} - ${gone.length}` })
      .where(group);
    await db.delete(logGroups).where(and(group, lt(logGroups.occurrences, 1)));
  }
  return seqs;
}
