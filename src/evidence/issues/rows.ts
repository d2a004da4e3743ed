// Reading issues and what belongs to them from their tables.

import type { Static } from '@sinclair/typebox';
import { and, asc, desc, eq, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Actor } from '../../access/caller.ts';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import type { Pause } from '../../runtime/scheduler.ts';
import { isListed, listHolds, prepared } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import {
  between,
  type Found,
  inRange,
  listMatched,
  type Places,
} from '../../store/list-filters.ts';
import type { Searched } from '../../store/search.ts';
import { matchExpression, tokenOf } from '../../store/search-terms.ts';
import {
  type AttachmentRow,
  attachments,
  type IssueChangeRow,
  type IssueRow,
  issueChanges,
  issues,
} from '../../store/tables/evidence.ts';
import type { FieldChange } from '../../store/tables/json.ts';
import type { Attachment } from '../attachments/model.ts';
import { COLUMN_FILTERS, type IssueChange, type IssueFilters, IssueSummary } from './model.ts';

/** Filters whose values are tokens of the search index, through which lists go then. */
export const ISSUE_TOKENS = [...COLUMN_FILTERS, 'possibleRegression'] as const;
export const ISSUE_LIST_TOKENS = ['storyIds', 'labels'] as const;

const p = sql.placeholder;

const byId = prepared((db) =>
  db
    .select()
    .from(issues)
    .where(eq(issues.id, p('id')))
    .prepare(),
);

/** @throws Problem `not_found`, for another project's issue too */
export async function getIssueRow(db: Db, projectId: string, id: string): Promise<IssueRow> {
  const [row] = await byId(db).all({ id });
  if (!row || row.projectId !== projectId) throw notFound('issue');
  return row;
}

const byNumber = prepared((db) =>
  db
    .select({ id: issues.id })
    .from(issues)
    .where(and(eq(issues.projectId, p('projectId')), eq(issues.number, p('number'))))
    .prepare(),
);

export async function issueIdOf(db: Db, projectId: string, number: number): Promise<string> {
  const [row] = await byNumber(db).all({ projectId, number });
  if (!row) throw notFound('issue');
  return row.id;
}

type Duplicate = Pick<IssueRow, 'id' | 'number' | 'build' | 'occurredAt' | 'fromWidget'>;

function attachmentsBy(column: SQLiteColumn) {
  const queryOf = (where: SQL) =>
    prepared((db) =>
      db.select().from(attachments).where(where).orderBy(asc(attachments.seq)).prepare(),
    );
  const ofOne = queryOf(eq(column, p('id')));
  const ofAny = queryOf(isListed(column, p('ids')));
  return (db: Db, ids: readonly (string | number)[]): Promise<AttachmentRow[]> =>
    ids.length === 1 ? ofOne(db).all({ id: ids[0] }) : ofAny(db).all({ ids: JSON.stringify(ids) });
}

/** @param ids - the `seq` of issues */
export const attachmentsOf = attachmentsBy(attachments.issueSeq);
export const attachmentsOfRuns = attachmentsBy(attachments.runId);

interface ListedProject {
  id: string;
  seq: number | undefined;
  searched: Searched | undefined;
  places: readonly Places[];
}

/** What finds the issues that are asked for; undefined for a text in which there is no word. */
export function findIssues(
  { id: projectId, seq, searched, places }: ListedProject,
  filters: IssueFilters,
): Found | undefined {
  const showsDuplicates =
    filters.duplicates ??
    (filters.duplicateOf !== undefined || filters.resolution?.includes('duplicate') === true);
  const conditions: (SQL | undefined)[] = [
    eq(issues.projectId, projectId),
    showsDuplicates ? undefined : isNull(issues.duplicateOf),
    filters.storyIds && listHolds(issues.storyIds, filters.storyIds),
    filters.labels && listHolds(issues.labels, filters.labels),
    ...inRange(issues.createdAt, filters),
  ];
  const { possibleRegression } = filters;
  if (possibleRegression !== undefined)
    conditions.push(eq(issues.possibleRegression, possibleRegression));
  const regression =
    possibleRegression === undefined ? undefined : [possibleRegression ? '1' : '0'];
  for (const name of COLUMN_FILTERS) {
    const wanted = filters[name];
    if (wanted) conditions.push(inArray(issues[name], wanted as never[]));
  }
  const scope = [
    [`p${seq ?? 0}${showsDuplicates ? '' : 'o'}`],
    ...[...ISSUE_TOKENS, ...ISSUE_LIST_TOKENS].flatMap((name) => {
      const wanted = name === 'possibleRegression' ? regression : filters[name];
      return wanted ? [wanted.map((value) => tokenOf(name, value))] : [];
    }),
  ];
  const words = filters.q?.trim() || undefined;
  const isRange = filters.since !== undefined || filters.until !== undefined;
  if (!words && !isRange && showsDuplicates && scope.length === 1) return { conditions };
  const expression = matchExpression(words, 'title description', scope);
  if (expression === undefined || searched === undefined) return undefined;
  return { conditions, match: { expression, places, ...searched } };
}

const seqOf = prepared((db) =>
  db
    .select({ seq: issues.seq })
    .from(issues)
    .where(and(eq(issues.projectId, p('projectId')), eq(issues.number, p('number'))))
    .prepare(),
);

/** A page, the newest first, with one row more than the limit; `behind`: the number seen last. */
export async function listIssueRows(
  db: Db,
  project: ListedProject,
  filters: IssueFilters,
  behind: number | undefined,
  limit: number,
  pause: Pause,
): Promise<IssueRow[]> {
  const found = findIssues(project, filters);
  if (found === undefined) return [];
  const { conditions, match } = found;
  if (behind !== undefined) conditions.push(lt(issues.number, behind));
  if (match === undefined) {
    return db
      .select()
      .from(issues)
      .where(and(...conditions))
      .orderBy(desc(issues.number))
      .limit(limit + 1);
  }
  // The order of arrival is that of the numbers of a project.
  const [seen] = behind ? await seqOf(db).all({ projectId: project.id, number: behind }) : [];
  const places = seen ? between(match.places, 1, seen.seq - 1) : match.places;
  return listMatched(db, issues, { conditions, match: { ...match, places } }, limit + 1, pause);
}

const SHOWN = Object.keys(IssueSummary.properties);

export function issueSummary(row: IssueRow): Static<typeof IssueSummary> {
  const known: Record<string, unknown> = {
    ...row,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    untrusted: row.fromWidget,
    occurredAt: timestamp(row.occurredAt),
    resolvedAt: optionalTimestamp(row.resolvedAt),
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
  // In one order wherever the row is from: an entity tag is made of it.
  return Object.fromEntries(SHOWN.map((name) => [name, known[name]])) as Static<
    typeof IssueSummary
  >;
}

export function issueView(row: IssueRow, changes: IssueChangeRow[], duplicates: Duplicate[]) {
  const { createdAt: at, authorToken: byToken, authorLabel: byLabel, context } = row;
  const born = { at, byToken, byLabel, event: 'created', changes: [] };
  return {
    ...issueSummary(row),
    context,
    history: [born, ...changes].map(
      (change): Static<typeof IssueChange> => ({
        at: timestamp(change.at),
        by: { tokenId: change.byToken, label: change.byLabel },
        event: change.event,
        changes: change.changes,
      }),
    ),
    duplicates: duplicates.map(({ id, number, build, occurredAt, fromWidget: untrusted }) => {
      return { id, number, build, occurredAt: timestamp(occurredAt), untrusted };
    }),
  };
}

const NOT_HISTORY = new Set(['version', 'updatedAt', 'occurrences']);

export function changesBetween(before: IssueRow, after: IssueRow): FieldChange[] {
  const from: Record<string, unknown> = issueSummary(before);
  const to: Record<string, unknown> = issueSummary(after);
  return Object.keys(to)
    .filter((field) => !NOT_HISTORY.has(field))
    .filter((field) => JSON.stringify(from[field]) !== JSON.stringify(to[field]))
    .map((field) => ({ field, from: from[field], to: to[field] }));
}

export async function recordChange(
  db: Db,
  issueId: string,
  event: string,
  changes: FieldChange[],
  { tokenId: byToken, label: byLabel }: Actor,
  at: number,
): Promise<void> {
  await db.insert(issueChanges).values({ issueId, at, byToken, byLabel, event, changes });
}

export function attachmentView(row: AttachmentRow, url: string): Static<typeof Attachment> {
  const { seq: _seq, projectId: _project, issueSeq: _issue, runId: _run, ...columns } = row;
  const { authorToken: tokenId, authorLabel: label, issueId, ...file } = columns;
  const createdAt = timestamp(row.createdAt);
  return { ...file, issueId: issueId as string, author: { tokenId, label }, createdAt, url };
}
