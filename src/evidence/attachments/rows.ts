// Attachments: their rows, the bounds on them, and who may read their files.
import { count, eq, sql } from 'drizzle-orm';
import { type Actor, type Caller, forbidden } from '../../access/caller.ts';
import type { Token } from '../../access/tokens.ts';
import { notFound, Problem } from '../../errors.ts';
import { prepared } from '../../store/client/drizzle.ts';
import type { Db } from '../../store/database.ts';
import { newId, newSecret } from '../../store/ids.ts';
import { type AttachmentRow, attachments } from '../../store/tables/evidence.ts';
import { getIssueRow, recordChange } from '../issues/rows.ts';
import type { AttachmentKind } from './model.ts';

export type AttachedFile = Pick<
  AttachmentRow,
  'name' | 'kind' | 'note' | 'mediaType' | 'bytes' | 'sha256'
>;

/** All but an owner attach to what they filed themselves. */
export async function requireCapacity(
  db: Db,
  caller: Pick<Caller, 'capability' | 'tokenId'>,
  target: { projectId: string; issueId: string },
  bounds: { perIssue: number; quotaBytes: number | null },
  bytes: number,
): Promise<void> {
  const issue = await getIssueRow(db, target.projectId, target.issueId);
  if (caller.capability !== 'project:owner' && issue.authorToken !== caller.tokenId) {
    // A widget may not know that the issue exists.
    if (caller.capability === 'widget:write') throw notFound('issue');
    throw forbidden('An agent attaches to issues that it filed itself.');
  }
  const [attached] = await db
    .select({ n: count() })
    .from(attachments)
    .where(eq(attachments.issueSeq, issue.seq));
  if ((attached?.n ?? 0) >= bounds.perIssue)
    throw new Problem('conflict', `An issue may have ${bounds.perIssue} attachments at most.`);
  await requireQuota(db, target.projectId, bounds.quotaBytes, bytes);
}

/** @throws Problem `too_large` where a project may not keep so many more bytes of files */
export async function requireQuota(
  db: Db,
  projectId: string,
  quotaBytes: number | null,
  bytes: number,
): Promise<void> {
  if (quotaBytes === null) return;
  const [used] = await db
    .select({ bytes: sql<number>`coalesce(sum(${attachments.bytes}), 0)` })
    .from(attachments)
    .where(eq(attachments.projectId, projectId));
  if ((used?.bytes ?? 0) + bytes > quotaBytes)
    throw new Problem('too_large', `A project's files may have ${quotaBytes} bytes together.`);
}

export async function attachToRun(
  db: Db,
  target: { projectId: string; runId: string },
  files: readonly AttachedFile[],
  actor: Actor,
  now: number,
): Promise<AttachmentRow[]> {
  const rows: AttachmentRow[] = [];
  for (const file of files) rows.push(await insertAttachment(db, target, file, actor, now));
  return rows;
}

export async function attach(
  db: Db,
  target: { projectId: string; issueId: string },
  file: AttachedFile,
  actor: Actor,
  now: number,
): Promise<AttachmentRow> {
  const row = await insertAttachment(db, target, file, actor, now);
  const { id, name, sha256 } = row;
  const change = { field: 'attachments', from: null, to: { id, name, sha256 } };
  await recordChange(db, target.issueId, 'attached', [change], actor, now);
  return row;
}

async function insertAttachment(
  db: Db,
  target: { projectId: string; issueId: string } | { projectId: string; runId: string },
  file: AttachedFile,
  { tokenId: authorToken, label: authorLabel }: Actor,
  now: number,
): Promise<AttachmentRow> {
  const author = { authorToken, authorLabel, createdAt: now };
  const issueSeq =
    'issueId' in target ? sql`(select seq from issues where id = ${target.issueId})` : null;
  const [row] = await db
    .insert(attachments)
    .values({ ...file, ...target, issueSeq, id: newId('att'), key: newSecret(), ...author })
    .returning();
  return row as AttachmentRow;
}

const byKey = prepared((db) =>
  db
    .select()
    .from(attachments)
    .where(eq(attachments.key, sql.placeholder('key')))
    .prepare(),
);

export async function findAttachment(db: Db, key: string): Promise<AttachmentRow | undefined> {
  const [row] = await byKey(db).all({ key });
  return row;
}

export function mayRead(
  { id, projectId, capabilities }: Token,
  attachment: AttachmentRow,
  demo: boolean,
): boolean {
  if (projectId !== attachment.projectId) return false;
  return (
    READERS.some((capability) => capabilities.has(capability)) ||
    (capabilities.has('read:demo') && demo) ||
    (capabilities.has('widget:write') && attachment.authorToken === id)
  );
}

const READERS = ['project:owner', 'srs:edit', 'agent:execute'] as const;

export function usualKind(mediaType: string, name: string): AttachmentKind {
  if (mediaType.startsWith('image/')) return 'screenshot';
  if (mediaType.startsWith('video/')) return 'video';
  if (/\.har$/i.test(name)) return 'har';
  if (mediaType === 'application/pdf') return 'document';
  if (/\.(?:log|txt)$/i.test(name)) return 'log';
  return 'other';
}
