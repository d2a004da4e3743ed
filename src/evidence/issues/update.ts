// Changing issues: fields, moves between states, duplicates, and evidence that an owner takes away.
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { invalid, Problem } from '../../errors.ts';
import { requireMatch } from '../../model/etag.ts';
import type { Db } from '../../store/database.ts';
import {
  type AttachmentRow,
  attachments,
  type IssueRow,
  issueStories,
  issues,
} from '../../store/tables/evidence.ts';
import { recordAudit } from '../logs/entries.ts';
import { isEnded, nameStories } from './create.ts';
import { ISSUE_TEXTS, type IssuePatchInput } from './model.ts';
import { changesBetween, getIssueRow, recordChange } from './rows.ts';

interface IssueUpdate {
  projectId: string;
  id: string;
  patch: IssuePatchInput;
  ifMatch: string | null;
  actor: Actor;
  now: number;
}

/** What changes nothing leaves version and history as they are. */
export async function updateIssue(db: Db, update: IssueUpdate) {
  const { projectId, id, patch, actor, now } = update;
  const before = await getIssueRow(db, projectId, id);
  requireMatch(update.ifMatch, before.version);
  const state = moveIssue(before, patch, now);
  await requireOriginal(db, before, state.duplicateOf);
  const after: IssueRow = { ...before, ...state };
  for (const name of ['title', 'severity', ...ISSUE_TEXTS] as const) {
    if (patch[name] !== undefined) Object.assign(after, { [name]: patch[name] });
  }
  if (patch.storyIds !== undefined) after.storyIds = patch.storyIds ?? [];
  if (patch.labels !== undefined) after.labels = patch.labels ?? [];
  if (before.status !== 'open' && after.status === 'open') after.possibleRegression = false;
  const removed = await removeAttachments(db, id, patch.removeAttachments ?? []);
  if (removed.length > 0) {
    // Without their names: a public page may have given these.
    const attachments = removed.map(({ id, sha256 }) => ({ id, sha256 }));
    const fields = { issueId: id, attachments };
    await recordAudit(db, { projectId, action: 'evidence.removed', actor, fields, now });
  }
  const changes = [
    ...changesBetween(before, after),
    ...removed.map(({ id, name, sha256 }) => ({
      field: 'attachments',
      from: { id, name, sha256 },
      to: null,
    })),
    ...(patch.comment === undefined ? [] : [{ field: 'comment', from: null, to: patch.comment }]),
  ];
  // Other issues that are answered otherwise now: originals, before and after, and duplicates.
  const touched = [before.duplicateOf, after.duplicateOf].filter((one) => one !== null);
  if (changes.length === 0) return { issue: before, changed: false, removed, touched };
  after.version = before.version + 1;
  after.updatedAt = now;
  const isOtherDuplicate = before.duplicateOf !== after.duplicateOf;
  // What is, or was, a duplicate has none of its own: they go to its original with it.
  if (isOtherDuplicate) after.occurrences = 1;
  const { seq: _seq, id: _id, ...columns } = after;
  await db.update(issues).set(columns).where(eq(issues.id, id));
  await db.delete(issueStories).where(eq(issueStories.issueId, id));
  await nameStories(db, after);
  await recordChange(db, id, 'updated', changes, actor, now);
  if (isOtherDuplicate) {
    const moved = await moveDuplicates(db, after, actor);
    await countDuplicates(db, touched, now);
    touched.push(...moved);
  }
  return { issue: after, changed: true, removed, touched };
}

async function requireOriginal(db: Db, issue: IssueRow, originalId: string | null): Promise<void> {
  if (originalId === null || originalId === issue.duplicateOf) return;
  if (originalId === issue.id) throw invalid('/duplicateOf', 'an issue is not its own duplicate');
  const [original] = await db
    .select()
    .from(issues)
    .where(and(eq(issues.id, originalId), eq(issues.projectId, issue.projectId)));
  if (!original) throw invalid('/duplicateOf', 'is not an issue of this project');
  if (original.duplicateOf !== null)
    throw invalid('/duplicateOf', `is itself a duplicate of ${original.duplicateOf}`);
}

async function moveDuplicates(db: Db, issue: IssueRow, actor: Actor): Promise<string[]> {
  const { id, duplicateOf, updatedAt } = issue;
  if (duplicateOf === null) return [];
  const changes = JSON.stringify([{ field: 'duplicateOf', from: id, to: duplicateOf }]);
  await db.run(
    sql`insert into issue_changes (issue_id, at, by_token, by_label, event, changes) select id, ${updatedAt}, ${actor.tokenId}, ${actor.label}, 'updated', ${changes} from issues where duplicate_of = ${id} order by seq`,
  );
  const moved = await db
    .update(issues)
    .set({ duplicateOf, version: sql`${issues.version} + 1`, updatedAt })
    .where(eq(issues.duplicateOf, id))
    .returning({ id: issues.id });
  return moved.map((row) => row.id);
}

async function countDuplicates(db: Db, ids: string[], now: number): Promise<void> {
  const duplicates = sql`(select count(*) from issues duplicates where duplicates.duplicate_of = issues.id)`;
  await db
    .update(issues)
    .set({ occurrences: sql`1 + ${duplicates}`, updatedAt: now })
    .where(inArray(issues.id, ids));
}

async function removeAttachments(db: Db, issueId: string, ids: string[]): Promise<AttachmentRow[]> {
  if (ids.length === 0) return [];
  const named = and(eq(attachments.issueId, issueId), inArray(attachments.id, ids));
  const rows = await db.delete(attachments).where(named).returning();
  const found = new Set(rows.map((row) => row.id));
  const missing = ids.findIndex((id) => !found.has(id));
  if (missing >= 0)
    throw invalid(`/removeAttachments/${missing}`, 'is not an attachment of this issue');
  return rows;
}

type IssueStatus = IssueRow['status'];

export const MOVES: Readonly<Record<IssueStatus, readonly IssueStatus[]>> = {
  open: ['triaged', 'in_progress', 'resolved', 'closed'],
  triaged: ['in_progress', 'resolved', 'closed'],
  in_progress: ['triaged', 'resolved', 'closed'],
  resolved: ['verified', 'closed', 'open'],
  verified: ['closed', 'open'],
  closed: ['open'],
};

export type IssueState = Pick<
  IssueRow,
  'status' | 'resolution' | 'duplicateOf' | 'resolvedAt' | 'fixedInBuild'
>;

export type IssueMove = {
  [Field in Exclude<keyof IssueState, 'resolvedAt'>]?: IssueState[Field] | undefined;
};

/** To `resolved` alone means `fixed`; back to `open` takes resolution, original and build away. */
export function moveIssue(from: IssueState, move: IssueMove, at: number): IssueState {
  const { status = from.status } = move;
  if (from.status !== status && !MOVES[from.status].includes(status)) {
    const says = `An issue that is ${from.status} can become ${MOVES[from.status].join(', ')}.`;
    const detail = `cannot become ${status} from ${from.status}`;
    throw new Problem('illegal_transition', says, { errors: [{ pointer: '/status', detail }] });
  }
  if (!isEnded(status)) {
    for (const field of ['resolution', 'duplicateOf', 'fixedInBuild'] as const) {
      if (move[field]) throw invalid(`/${field}`, `an issue that is ${status} has none`);
    }
    return { status, resolution: null, duplicateOf: null, resolvedAt: null, fixedInBuild: null };
  }
  const isFix = status === 'resolved' && from.status !== 'resolved';
  const { resolution = from.resolution ?? (isFix ? 'fixed' : null) } = move;
  const { duplicateOf = from.duplicateOf, fixedInBuild = from.fixedInBuild } = move;
  if (resolution === null)
    throw invalid('/resolution', `is required for an issue that is ${status}`);
  const isDuplicate = resolution === 'duplicate';
  if (isDuplicate && duplicateOf === null)
    throw invalid('/duplicateOf', 'is required for the resolution duplicate');
  if (!isDuplicate && move.duplicateOf)
    throw invalid('/duplicateOf', 'goes with the resolution duplicate alone');
  return {
    status,
    resolution,
    duplicateOf: isDuplicate ? duplicateOf : null,
    resolvedAt: from.resolvedAt ?? at,
    fixedInBuild,
  };
}
