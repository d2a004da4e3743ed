// System log entries as they are read: listed, grouped by fingerprint, shown.
import type { Static } from '@sinclair/typebox';
import { and, desc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import type { Pause } from '../../runtime/scheduler.ts';
import { isListed, prepared } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import {
  between,
  type Found,
  inRange,
  listMatched,
  newestSeqs,
  type Places,
  totalOf,
  valuesFound,
} from '../../store/list-filters.ts';
import type { Searched } from '../../store/search.ts';
import { matchExpression, tokenOf } from '../../store/search-terms.ts';
import {
  type LogEntryRow,
  type LogGroupRow,
  logEntries,
  logGroups,
} from '../../store/tables/evidence.ts';
import {
  COLUMNS,
  LEVELS,
  type LevelCounts,
  type LogEntry,
  type LogFilters,
  type LogGroup,
  OWN_SOURCE,
} from './model.ts';

/** @param filters - by column, one value or any of several */
export function conditionsOf(
  projectId: string,
  filters: { [Column in (typeof COLUMNS)[number]]?: unknown },
): SQL[] {
  const conditions = [eq(logEntries.projectId, projectId)];
  for (const name of COLUMNS) {
    const wanted = filters[name];
    if (wanted !== undefined)
      conditions.push(inArray(logEntries[name], [wanted].flat() as never[]));
  }
  return conditions;
}

const notOwn = sql`${logEntries.source} is not ${OWN_SOURCE}`;

/** The project whose entries are listed, and whether those of the service itself are shown. */
interface ListedProject {
  id: string;
  seq: number | undefined;
  withOwn: boolean;
  searched: Searched | undefined;
  places: readonly Places[];
}

/** Filters whose values are tokens of the search index, through which lists go then. */
export const LOG_TOKENS = ['level', 'source', 'route', 'runId', 'issueId', 'fingerprint'] as const;

export function levelsOf(level: LogFilters['level'], minLevel: LogFilters['minLevel']) {
  if (minLevel === undefined) return level;
  const least = LEVELS.indexOf(minLevel);
  return (level ?? LEVELS).filter((one) => LEVELS.indexOf(one) >= least);
}

/** What finds the entries that are asked for; undefined for a text in which there is no word. */
export function findEntries(
  { id, seq, withOwn, searched, places }: ListedProject,
  { minLevel, q, ...filters }: LogFilters,
): Found | undefined {
  const levels = levelsOf(filters.level, minLevel);
  const wanted = { ...filters, level: levels };
  const conditions = [...conditionsOf(id, wanted), ...inRange(logEntries.at, filters)];
  if (!withOwn) conditions.push(notOwn);
  const narrow = LOG_TOKENS.flatMap((name) => {
    const wanted = name === 'level' ? levels : filters[name];
    return wanted ? [wanted.map((value) => tokenOf(name, value))] : [];
  });
  const words = q?.trim() || undefined;
  const isRange = filters.since !== undefined || filters.until !== undefined;
  if (!words && !isRange && narrow.length === 0) return { conditions };
  const scope = [[`p${seq ?? 0}`], ...(withOwn ? [] : [['theirs']]), ...narrow];
  const expression = matchExpression(words, 'message details', scope);
  if (expression === undefined || searched === undefined) return undefined;
  return { conditions, match: { expression, places, ...searched } };
}

/** A page, the newest first, with one row more than the limit; `behind`: the `seq` seen last. */
export async function listLogRows(
  db: Db,
  project: ListedProject,
  filters: LogFilters,
  behind: number | undefined,
  limit: number,
  pause: Pause,
): Promise<LogEntryRow[]> {
  const found = findEntries(project, filters);
  if (found === undefined) return [];
  const { conditions, match } = found;
  if (behind !== undefined) conditions.push(lt(logEntries.seq, behind));
  if (match === undefined) {
    const { state } = filters;
    const column = sql`${logEntries.state}`;
    const given = state ? [{ column, values: state, index: 'log_entries_state' }] : [];
    const seqs = newestSeqs(logEntries, given, conditions, 'log_entries_project', limit + 1);
    return db
      .select()
      .from(logEntries)
      .where(sql`${logEntries.seq} in (${seqs})`)
      .orderBy(desc(logEntries.seq))
      .limit(limit + 1);
  }
  const places = behind === undefined ? match.places : between(match.places, 1, behind - 1);
  return listMatched(db, logEntries, { conditions, match: { ...match, places } }, limit + 1, pause);
}

/** How many there are, and of each level. */
export async function countEntries(db: Db, found: Found | undefined, pause: Pause) {
  const counted = await valuesFound(db, logEntries, 'level', found, pause);
  const total = totalOf(counted.length);
  const levels = Object.fromEntries(LEVELS.map((level) => [level, 0]));
  for (const level of counted.slice(0, total.total)) levels[level] = (levels[level] ?? 0) + 1;
  return { ...total, levels: levels as Static<typeof LevelCounts> };
}

const p = sql.placeholder;

const byId = prepared((db) =>
  db
    .select()
    .from(logEntries)
    .where(eq(logEntries.id, p('id')))
    .prepare(),
);

export async function getLogRow(
  db: Db,
  projectId: string,
  entryId: string,
  withOwn: boolean,
): Promise<LogEntryRow> {
  const [row] = await byId(db).all({ id: entryId });
  if (!row || row.projectId !== projectId || (!withOwn && row.source === OWN_SOURCE))
    throw notFound('log entry');
  return row;
}

/** The one with the newest entry first; a group that gets an entry during a walk moves there. */
export async function listLogGroups(
  db: Db,
  projectId: string,
  behind: number | undefined,
  limit: number,
  withOwn: boolean,
): Promise<LogGroupRow[]> {
  return db
    .select()
    .from(logGroups)
    .where(
      and(
        eq(logGroups.projectId, projectId),
        withOwn ? undefined : sql`${logGroups.source} is not ${OWN_SOURCE}`,
        behind === undefined ? undefined : lt(logGroups.lastSeq, behind),
      ),
    )
    .orderBy(desc(logGroups.lastSeq))
    .limit(limit + 1);
}

const groupsOf = prepared((db) =>
  db
    .select({ fingerprint: logGroups.fingerprint, occurrences: logGroups.occurrences })
    .from(logGroups)
    .where(
      and(
        eq(logGroups.projectId, p('projectId')),
        isListed(logGroups.fingerprint, p('fingerprints')),
      ),
    )
    .prepare(),
);

export async function occurrencesOf(
  db: Db,
  projectId: string,
  rows: LogEntryRow[],
): Promise<Map<string, number>> {
  const fingerprints = JSON.stringify(rows.map((row) => row.fingerprint));
  const groups = await groupsOf(db).all({ projectId, fingerprints });
  return new Map(groups.map((group) => [group.fingerprint, group.occurrences]));
}

export function logView(row: LogEntryRow, occurrences: number): Static<typeof LogEntry> {
  const { seq: _, projectId: _project, authorToken: _author, createdAt: _created, ...shown } = row;
  return { ...shown, at: timestamp(row.at), occurrences };
}

export function logGroupView(row: LogGroupRow): Static<typeof LogGroup> {
  const { level, source, message, fingerprint, occurrences } = row;
  const [firstAt, lastAt] = [timestamp(row.firstAt), timestamp(row.lastAt)];
  return { level, source, message, fingerprint, occurrences, firstAt, lastAt };
}
