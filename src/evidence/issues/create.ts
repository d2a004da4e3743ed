// Filing issues. An issue whose fingerprint meets an earlier one is born closed as its duplicate;
// where that one was fixed before, it may come back as a regression.

import { hash } from 'node:crypto';
import { and, eq, getTableColumns, lte, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Actor } from '../../access/caller.ts';
import { parseTime } from '../../clock.ts';
import { placeholdersOf, prepared } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { type IssueRow, issueStories, issues } from '../../store/tables/evidence.ts';
import { type IssueInput, textsOf } from './model.ts';
import { changesBetween, recordChange } from './rows.ts';

interface Filing {
  projectId: string;
  input: IssueInput;
  actor: Actor;
  /** What a widget files is not trusted to reopen anything. */
  fromWidget: boolean;
  now: number;
}

const p = sql.placeholder;

// The next number is asked of the transaction each time: a write that is undone uses none up.
const nextNumber = sql`(select coalesce(max(number), 0) + 1 from issues where project_id = ${p('projectId')})`;

// No more is returned: reading a whole row back costs as much as writing it.
const insertIssue = prepared((db) =>
  db
    .insert(issues)
    .values({ ...placeholdersOf(issues), number: nextNumber })
    .returning({ seq: issues.seq, number: issues.number })
    .prepare(),
);

const alike = alias(issues, 'alike');

const originalAlike = prepared((db) =>
  db
    .select(getTableColumns(issues))
    .from(alike)
    .innerJoin(issues, eq(issues.id, sql`coalesce(${alike.duplicateOf}, ${alike.id})`))
    .where(and(eq(alike.projectId, p('projectId')), eq(alike.fingerprint, p('fingerprint'))))
    .orderBy(alike.seq)
    .limit(1)
    .prepare(),
);

const countDuplicate = prepared((db) =>
  db
    .update(issues)
    .set({ occurrences: sql`occurrences + 1`, updatedAt: sql`${p('now')}` })
    .where(eq(issues.id, p('id')))
    .prepare(),
);

/** @throws Problem `invalid` for a day that does not exist */
export async function fileIssue(db: Db, { projectId, input, actor, fromWidget, now }: Filing) {
  const occurredAt = input.occurredAt
    ? Math.min(parseTime('/occurredAt', input.occurredAt), now)
    : now;
  const fingerprint = fingerprintOf(input);
  const [original] =
    fingerprint !== null && input.dedupe !== false
      ? await originalAlike(db).all({ projectId, fingerprint })
      : [];
  const values: Omit<IssueRow, 'seq' | 'number'> = {
    id: newId('iss'),
    projectId,
    title: input.title,
    ...textsOf(input),
    severity: input.severity ?? 'major',
    status: original ? 'closed' : 'open',
    resolution: original ? 'duplicate' : null,
    duplicateOf: original?.id ?? null,
    storyIds: input.storyIds ?? [],
    labels: input.labels ?? [],
    context: input.context ?? null,
    occurredAt,
    resolvedAt: original ? now : null,
    fingerprint,
    fixedInBuild: null,
    occurrences: 1,
    possibleRegression: false,
    authorToken: actor.tokenId,
    authorLabel: actor.label,
    fromWidget,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  const [made] = await insertIssue(db).all(values);
  const issue = { ...values, ...made } as IssueRow;
  await nameStories(db, issue);
  const regressed = original !== undefined && (await countOccurrence(db, original, issue, actor));
  // The original as it was.
  return { issue, original, regressed };
}

const insertStory = prepared((db) =>
  db.insert(issueStories).values(placeholdersOf(issueStories)).prepare(),
);

export async function nameStories(db: Db, { projectId, id, storyIds }: IssueRow): Promise<void> {
  const insert = insertStory(db);
  const rows = [...new Set(storyIds)].map((storyId) => ({ projectId, storyId, issueId: id }));
  await Promise.all(rows.map((row) => insert.run(row)));
}

function fingerprintOf({ title, route, context }: IssueInput): string | null {
  const [error] = context?.errors ?? [];
  const { type = '', message = '' } = error ?? {};
  return issueFingerprint({
    title,
    route: route ?? (context?.page?.route || null),
    error: type || message ? { type, message } : null,
  });
}

export function isEnded(status: IssueRow['status']): boolean {
  return status === 'resolved' || status === 'verified' || status === 'closed';
}

/** Counts a duplicate, and gives whether it shows that the fix of its original did not hold. */
async function countOccurrence(
  db: Db,
  original: IssueRow,
  issue: IssueRow,
  actor: Actor,
): Promise<boolean> {
  const now = issue.createdAt;
  const { id } = original;
  await countDuplicate(db).run({ id, now });
  if (!(await isRegression(db, original, issue))) return false;
  const reopened = !issue.fromWidget;
  const reopening = {
    status: 'open',
    resolution: null,
    resolvedAt: null,
    fixedInBuild: null,
  } as const;
  const changed = { ...(reopened ? reopening : {}), possibleRegression: !reopened };
  const isNew = reopened || !original.possibleRegression;
  const version = original.version + (isNew ? 1 : 0);
  await db
    .update(issues)
    .set({ ...changed, version })
    .where(eq(issues.id, id));
  const event = reopened ? 'reopened' : 'possible_regression';
  const regression = { field: 'regression', from: null, to: issue.id };
  const changes = [...changesBetween(original, { ...original, ...changed }), regression];
  await recordChange(db, id, event, changes, actor, now);
  return true;
}

// Whether an issue shows that a fix did not hold: it occurred after the original was resolved as
// fixed, in a build that nobody had seen the fault in before the fix.
async function isRegression(db: Db, original: IssueRow, issue: IssueRow): Promise<boolean> {
  const { id, resolution, status, resolvedAt } = original;
  if (resolution !== 'fixed' || !isEnded(status) || resolvedAt === null) return false;
  if (issue.occurredAt <= resolvedAt || issue.build === null) return false;
  const [seen] = await db
    .select({ id: issues.id })
    .from(issues)
    .where(
      and(
        or(eq(issues.id, id), eq(issues.duplicateOf, id)),
        eq(issues.build, issue.build),
        lte(issues.occurredAt, resolvedAt),
      ),
    )
    .limit(1);
  return seen === undefined;
}

interface IssueIdentity {
  title: string;
  route: string | null;
  /** Type and message of the first error that the page saw. */
  error: { type: string; message: string } | null;
}

export function issueFingerprint({ title, route, error }: IssueIdentity): string | null {
  if (!route && !error) return null;
  const parts = [
    foldNumbers(title),
    route ? foldNumbers(route) : null,
    error ? [error.type, foldNumbers(error.message)] : null,
  ];
  return `i1:${digest(parts)}`;
}

/** The fingerprint of a log entry, `l1:` and a hash. */
export function logFingerprint(entry: {
  level: string;
  source: string | null;
  message: string;
}): string {
  return `l1:${digest([entry.level, entry.source, foldNumbers(entry.message)])}`;
}

/** UUIDs, hexadecimal numbers of eight digits and more, other numbers, white space, case: folded. */
export function foldNumbers(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '#')
    .replace(/\b(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{8,})\b/g, '#')
    .replace(/\d+(?:[.,:]\d+)*/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}

function digest(parts: unknown): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 32);
}
