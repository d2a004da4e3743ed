// Issues and their history as they are shown and recorded.
import type { Static } from '@sinclair/typebox';
import type { Actor } from '../../access/caller.ts';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { etagOf } from '../../model/etag.ts';
import type { Db } from '../../store/database.ts';
import {
  type AttachmentRow,
  type IssueChangeRow,
  type IssueRow,
  issueChanges,
} from '../../store/tables/evidence.ts';
import type { FieldChange } from '../../store/tables/json.ts';
import type { Attachment } from '../attachments/model.ts';
import { type IssueChange, type IssueSummary, textsOf } from './model.ts';
import { attachmentsOf, changesOf, duplicatesOf, getIssueRow } from './rows.ts';

export function issueSummary(row: IssueRow): Static<typeof IssueSummary> {
  const { id, number, title, severity, status, resolution, duplicateOf, storyIds, labels } = row;
  const { fixedInBuild, fingerprint, occurrences, possibleRegression, version } = row;
  const content = { id, number, title, ...textsOf(row), storyIds, labels };
  const state = { severity, status, resolution, duplicateOf, fixedInBuild };
  const others = { fingerprint, occurrences, possibleRegression, version };
  return {
    ...content,
    ...state,
    ...others,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    untrusted: row.fromWidget,
    occurredAt: timestamp(row.occurredAt),
    resolvedAt: optionalTimestamp(row.resolvedAt),
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

export function issueView(row: IssueRow, changes: IssueChangeRow[], duplicates: IssueRow[]) {
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

/** Writes an entry of what a change changed, inside the caller's write. */
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
  const { id, key, name, kind, note, mediaType, bytes, sha256 } = row;
  const issueId = row.issueId as string;
  const author = { tokenId: row.authorToken, label: row.authorLabel };
  const createdAt = timestamp(row.createdAt);
  return { id, key, issueId, name, kind, note, mediaType, bytes, sha256, author, createdAt, url };
}

export interface IssueAnswer {
  projectId: string;
  etag: string;
  /** JSON of the issue without its last brace, to which the attachments are added. */
  head: string;
  attached: AttachmentRow[];
}

/**
 * Reads an issue and all that is answered with it, as this connection sees them.
 * @throws Problem `not_found`, for another project's issue too
 */
export async function readIssueAnswer(db: Db, projectId: string, id: string): Promise<IssueAnswer> {
  const [row, changes, duplicates, attached] = await Promise.all([
    getIssueRow(db, projectId, id),
    changesOf(db, id),
    duplicatesOf(db, id),
    attachmentsOf(db, [id]),
  ]);
  const head = JSON.stringify(issueView(row, changes, duplicates)).slice(0, -1);
  const etag = etagOf(row.version, head + attached.map((one) => one.id).join());
  return { projectId, etag, head, attached };
}
