// Reading issues and what belongs to them from their tables.
import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNull,
  lt,
  type SQL,
  sql,
} from 'drizzle-orm';
import { notFound } from '../../errors.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { listHolds } from '../../store/list-holds.ts';
import { matchExpression } from '../../store/search/query.ts';
import {
  type AttachmentRow,
  attachments,
  type IssueChangeRow,
  type IssueRow,
  issueChanges,
  issues,
} from '../../store/tables/evidence.ts';
import { originalsToken, projectToken, statusToken } from '../indexes.ts';
import { COLUMN_FILTERS, type IssueFilters } from './model.ts';

const MAX_DUPLICATES = 100;

const byId = prepared((db) =>
  db
    .select()
    .from(issues)
    .where(eq(issues.id, sql.placeholder('id')))
    .prepare(),
);

/** @throws Problem `not_found`, for another project's issue too */
export async function getIssueRow(db: Db, projectId: string, id: string): Promise<IssueRow> {
  const [row] = await byId(db).all({ id });
  if (!row || row.projectId !== projectId) throw notFound('issue');
  return row;
}

/** @throws Problem `not_found` */
export async function issueIdOf(db: Db, projectId: string, number: number): Promise<string> {
  const [row] = await db
    .select({ id: issues.id })
    .from(issues)
    .where(and(eq(issues.projectId, projectId), eq(issues.number, number)));
  if (!row) throw notFound('issue');
  return row.id;
}

export async function changesOf(db: Db, issueId: string): Promise<IssueChangeRow[]> {
  return db
    .select()
    .from(issueChanges)
    .where(eq(issueChanges.issueId, issueId))
    .orderBy(asc(issueChanges.seq));
}

export async function duplicatesOf(db: Db, issueId: string): Promise<IssueRow[]> {
  return db
    .select()
    .from(issues)
    .where(eq(issues.duplicateOf, issueId))
    .orderBy(desc(issues.seq))
    .limit(MAX_DUPLICATES);
}

/** Attachments of some issues, in the order in which they came. */
export async function attachmentsOf(db: Db, issueIds: string[]): Promise<AttachmentRow[]> {
  if (issueIds.length === 0) return [];
  return db
    .select()
    .from(attachments)
    .where(inArray(attachments.issueId, issueIds))
    .orderBy(asc(attachments.seq));
}

/**
 * One page of a project's issues, the newest first, with one row more than the limit.
 * @param project - its `seq` names it in the full-text index
 * @param behind - the number of the last issue seen
 */
export async function listIssueRows(
  db: Db,
  { id: projectId, seq }: { id: string; seq: number | undefined },
  filters: IssueFilters,
  behind: number | undefined,
  limit: number,
): Promise<IssueRow[]> {
  const showsDuplicates =
    filters.duplicates ??
    (filters.duplicateOf !== undefined || filters.resolution?.includes('duplicate') === true);
  const conditions: (SQL | undefined)[] = [
    eq(issues.projectId, projectId),
    showsDuplicates ? undefined : isNull(issues.duplicateOf),
    filters.storyIds && listHolds(issues.storyIds, filters.storyIds),
    filters.labels && listHolds(issues.labels, filters.labels),
    behind === undefined ? undefined : lt(issues.number, behind),
  ];
  if (filters.possibleRegression !== undefined)
    conditions.push(eq(issues.possibleRegression, filters.possibleRegression));
  for (const name of COLUMN_FILTERS) {
    const wanted = filters[name];
    if (wanted) conditions.push(inArray(issues[name], wanted as never[]));
  }
  if (!filters.q?.trim()) {
    return db
      .select()
      .from(issues)
      .where(and(...conditions))
      .orderBy(desc(issues.number))
      .limit(limit + 1);
  }
  const scope = [showsDuplicates ? projectToken(seq) : originalsToken(seq)];
  if (filters.status?.length === 1) scope.push(statusToken(filters.status[0] ?? ''));
  const match = matchExpression(filters.q, 'title description', scope);
  if (match === undefined) return [];
  // The index's own order by rowid is the order of arrival, and so of the numbers of a project.
  const from =
    behind === undefined
      ? sql``
      : sql` and issues_text.rowid < (select seq from issues where project_id = ${projectId} and number = ${behind})`;
  return db
    .select(getTableColumns(issues))
    .from(sql`issues_text`)
    .innerJoin(issues, sql`${issues.seq} = issues_text.rowid`)
    .where(and(sql`issues_text match ${match}${from}`, ...conditions))
    .orderBy(sql`issues_text.rowid desc`)
    .limit(limit + 1);
}
