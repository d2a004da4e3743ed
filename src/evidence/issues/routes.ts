// Routes of issues.

import { actorOf, requireFields } from '../../access/caller.ts';
import { notFound } from '../../errors.ts';
import { jsonBody, mergePatchBody } from '../../http/api/body.ts';
import { type Call, endpoint, param } from '../../http/api/endpoint.ts';
import { created, nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { closed } from '../../model/schemas.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { AttachmentRow, IssueRow } from '../../store/tables/evidence.ts';
import { createLinkMint } from '../attachments/link-minting.ts';
import type { Evidence } from '../evidence.ts';
import { readIssueAnswer } from './answer.ts';
import { fileIssue } from './create.ts';
import { IssueBody, type IssueFilters, IssuePatch, IssueQuery, LinkTtl } from './model.ts';
import { attachmentsOf, getIssueRowByNumber, listIssueRows } from './rows.ts';
import { concernsStories } from './story-issues.ts';
import { updateIssue } from './update.ts';
import { attachmentView, issueSummary, issueView } from './view.ts';

export function readIssues(evidence: Evidence) {
  const { database, issuesIndex } = evidence;
  return endpoint({
    docs: async () => (await import('./docs.ts')).ISSUE_DOCS.read,
    query: IssueQuery,
    handler(call) {
      const { query } = call;
      if (query.id !== undefined) return readOne(evidence, call, query.id);
      if (query.number !== undefined) {
        return getIssueRowByNumber(database.read, call.caller.projectId, query.number).then((row) =>
          readOne(evidence, call, row.id),
        );
      }
      return listPage(call);
    },
  });

  async function listPage(call: Call<IssueFilters, undefined>): Promise<Reply> {
    const { query, caller, request } = call;
    const filters = filterHash('listIssues', query);
    const behind = decodeCursor(filters, query.cursor);
    const limit = query.limit ?? PAGE_DEFAULT;
    if (query.q !== undefined) await issuesIndex.upToDate();
    const rows = await listIssueRows(database.read, caller.projectId, query, behind, limit);
    const attached = groupByIssue(
      await attachmentsOf(
        database.read,
        rows.map((row) => row.id),
      ),
    );
    const mint = createLinkMint(evidence.signingKeys, caller, call.now, query.linkTtl);
    const page = pageOf(
      rows,
      limit,
      filters,
      (row) => row.number,
      (row) => ({
        ...issueSummary(row),
        attachments: (attached.get(row.id) ?? []).map((one) =>
          attachmentView(one, mint.urlOf(one)),
        ),
      }),
    );
    return ok(page, { headers: nextLink(request, page) });
  }
}

function readOne(
  evidence: Evidence,
  call: Call<{ linkTtl?: number | undefined }, unknown>,
  id: string,
): Reply | Promise<Reply> {
  const { projectId } = call.caller;
  const cached = evidence.issueCache.get(id);
  if (!cached) return loadOne(evidence, call, id);
  if (cached.projectId !== projectId) throw notFound('issue');
  if (cached.whole !== undefined) return { status: 200, text: cached.whole, etag: cached.etag };
  return attachmentsOf(evidence.database.read, [id]).then((rows) =>
    withAttachments(evidence, call, cached.head, cached.etag, rows),
  );
}

async function loadOne(
  evidence: Evidence,
  call: Call<{ linkTtl?: number | undefined }, unknown>,
  id: string,
): Promise<Reply> {
  const generation = evidence.issueCache.generation();
  const answer = await readIssueAnswer(evidence.database.read, call.caller.projectId, id);
  const { projectId, etag, head, attached } = answer;
  const whole = attached.length === 0 ? withoutAttachments(head) : undefined;
  evidence.issueCache.put(id, { projectId, etag, head, whole }, generation);
  return withAttachments(evidence, call, head, etag, attached);
}

function withoutAttachments(head: string): string {
  return `${head},"attachments":[]}`;
}

function withAttachments(
  evidence: Evidence,
  call: Call<{ linkTtl?: number | undefined }, unknown>,
  head: string,
  etag: string,
  rows: AttachmentRow[],
): Reply {
  const mint = createLinkMint(evidence.signingKeys, call.caller, call.now, call.query.linkTtl);
  const views = rows.map((row) => attachmentView(row, mint.urlOf(row)));
  return { status: 200, text: `${head},"attachments":${JSON.stringify(views)}}`, etag };
}

export function createIssueRoute(evidence: Evidence) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).ISSUE_DOCS.create,
    body: jsonBody(IssueBody),
    allowFields: (body, caller) =>
      requireFields('POST /issues', caller, body, IssueBody.properties),
    async handler(call) {
      const { body, caller, now } = call;
      const fromWidget = caller.capability === 'widget:write';
      let original: IssueRow | undefined;
      let reopened = false;
      const reply = await call.write(async (db) => {
        const filed = await fileIssue(db, {
          projectId: caller.projectId,
          input: body,
          actor: actorOf(caller),
          fromWidget,
          now,
        });
        ({ original, reopened } = filed);
        const { issue } = filed;
        if (original && reopened) await evidence.issuesIndex.changed(db, [original.seq]);
        if (fromWidget) return created({ id: issue.id, ...body }, `/api/issues?id=${issue.id}`);
        const head = JSON.stringify(issueView(issue, [], [])).slice(0, -1);
        const etag = etagOf(issue.version, head);
        const text = withoutAttachments(head);
        return created(undefined, `/api/issues?id=${issue.id}`, { etag, text });
      });
      evidence.issuesIndex.added(1);
      if (original) evidence.issueCache.changed(original.id);
      if (
        body.storyIds ||
        (reopened && original && (await concernsStories(evidence.database.read, original)))
      )
        evidence.storyIssues.changed(caller.projectId);
      return reply;
    },
  });
}

export function updateIssueRoute(evidence: Evidence) {
  const { database, files } = evidence;
  return endpoint({
    docs: async () => (await import('./docs.ts')).ISSUE_DOCS.update,
    query: closed({ linkTtl: LinkTtl }),
    body: mergePatchBody(IssuePatch),
    async handler(call) {
      const { body: patch, caller, request, now } = call;
      const id = param(call, 'id');
      const { updated, answer } = await database.write(async (db) => {
        const updated = await updateIssue(db, {
          projectId: caller.projectId,
          id,
          patch,
          ifMatch: request.headers.get('if-match'),
          actor: actorOf(caller),
          now,
        });
        if (updated.changed) await evidence.issuesIndex.changed(db, [updated.issue.seq]);
        // Read here: after the commit it may be what another write has made of the issue.
        return { updated, answer: await readIssueAnswer(db, caller.projectId, id) };
      });
      evidence.issueCache.changed(id, ...updated.touched);
      const { changed, issue } = updated;
      if (
        changed &&
        (patch.storyIds !== undefined || (await concernsStories(database.read, issue)))
      )
        evidence.storyIssues.changed(caller.projectId);
      for (const { sha256 } of updated.removed) {
        files.remove(sha256, isContentReferenced(database.read)).catch((error) => {
          evidence.log.warn({ err: error }, 'a file without a row is left to the next sweep');
        });
      }
      return withAttachments(evidence, call, answer.head, answer.etag, answer.attached);
    },
  });
}

function groupByIssue(rows: AttachmentRow[]): Map<string, AttachmentRow[]> {
  return Map.groupBy(rows, (row) => row.issueId ?? '');
}
