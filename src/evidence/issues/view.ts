// Issues and their history as they are shown.
import type { Static } from '@sinclair/typebox';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { etagOf } from '../../model/etag.ts';
import type { Db } from '../../store/database.ts';
import type { AttachmentRow, IssueChangeRow, IssueRow } from '../../store/tables/evidence.ts';
import type { Attachment } from '../attachments/model.ts';
import { type SEVERITIES, textsOf } from './model.ts';
import { attachmentsOf, changesOf, duplicatesOf, getIssueRow } from './rows.ts';
import type { IssueStatus, Resolution } from './states.ts';

export function issueSummary(row: IssueRow) {
  return {
    id: row.id,
    number: row.number,
    title: row.title,
    ...textsOf(row),
    severity: row.severity as (typeof SEVERITIES)[number],
    status: row.status as IssueStatus,
    resolution: row.resolution as Resolution | null,
    duplicateOf: row.duplicateOf,
    storyIds: row.storyIds,
    labels: row.labels,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    occurredAt: timestamp(row.occurredAt),
    resolvedAt: optionalTimestamp(row.resolvedAt),
    fixedInBuild: row.fixedInBuild,
    fingerprint: row.fingerprint,
    occurrences: row.occurrences,
    possibleRegression: row.possibleRegression,
    untrusted: row.fromWidget,
    version: row.version,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

export interface HistoryEntry {
  at: string;
  by: { tokenId: string; label: string | null };
  event: string;
  changes: { field: string; from: unknown; to: unknown }[];
}

export function issueView(row: IssueRow, changes: IssueChangeRow[], duplicates: IssueRow[]) {
  const born: HistoryEntry = {
    at: timestamp(row.createdAt),
    by: { tokenId: row.authorToken, label: row.authorLabel },
    event: 'created',
    changes: [],
  };
  return {
    ...issueSummary(row),
    context: row.context,
    history: [born, ...changes.map(historyEntry)],
    duplicates: duplicates.map(({ id, number, build, occurredAt, fromWidget }) => ({
      id,
      number,
      build,
      occurredAt: timestamp(occurredAt),
      untrusted: fromWidget,
    })),
  };
}

function historyEntry(row: IssueChangeRow): HistoryEntry {
  return {
    at: timestamp(row.at),
    by: { tokenId: row.byToken, label: row.byLabel },
    event: row.event,
    changes: row.changes,
  };
}

export function attachmentView(row: AttachmentRow, url: string): Static<typeof Attachment> {
  return {
    id: row.id,
    key: row.key,
    issueId: row.issueId as string,
    name: row.name,
    kind: row.kind as Static<typeof Attachment>['kind'],
    note: row.note,
    mediaType: row.mediaType,
    bytes: row.bytes,
    sha256: row.sha256,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    url,
  };
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
 *
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
