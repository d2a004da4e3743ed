// Routes of issues.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf } from '../../access/caller.ts';
import { notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { jsonBody, mergePatchBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, created, made, nextLink, ok } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { closed } from '../../model/schemas.ts';
import { isContentReferenced } from '../../store/references.ts';
import type { AttachmentRow, IssueRow } from '../../store/tables/evidence.ts';
import { createLinkMint } from '../attachments/links.ts';
import type { Evidence } from '../evidence.ts';
import { fileIssue } from './create.ts';
import { ISSUE_DOCS } from './docs.ts';
import { IssueBody, type IssueFilters, IssuePatch, IssueQuery, LinkTtl } from './model.ts';
import { attachmentsOf, getIssueRowByNumber, listIssueRows } from './rows.ts';
import { FiledIssue, Issue, IssuePage } from './schemas.ts';
import { updateIssue } from './update.ts';
import { attachmentView, issueSummary, issueView, readIssueAnswer } from './view.ts';

export const issueRoutes = (evidence: Served<Evidence>) =>
  new Elysia({ name: 'issues', prefix: '/issues' })
    .use(api(evidence))
    .get(
      '',
      ({ caller, query, request, now }) => {
        const asked = { caller, now, linkTtl: query.linkTtl };
        if (query.id !== undefined) return readOne(evidence, asked, query.id);
        if (query.number !== undefined) return readByNumber(evidence, asked, query.number);
        return listPage(evidence, asked, query, request);
      },
      {
        operation: { id: 'listIssues', docs: ISSUE_DOCS.read },
        query: queryOf(IssueQuery),
        response: answers({ 200: Type.Union([IssuePage, Issue]) }),
      },
    )
    .post(
      '',
      async ({ caller, body, now, write }) => {
        const fromWidget = caller.capability === 'widget:write';
        let original: IssueRow | undefined;
        let reopened = false;
        const reply = await write(async (db) => {
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
          const location = `/api/issues?id=${issue.id}`;
          if (fromWidget) return created({ id: issue.id, ...body }, location);
          const head = JSON.stringify(issueView(issue, [], [])).slice(0, -1);
          return made<Static<typeof Issue>, 201>({
            status: 201,
            headers: { Location: location },
            etag: etagOf(issue.version, head),
            text: withoutAttachments(head),
          });
        });
        evidence.issuesIndex.added(1);
        if (original) evidence.issueCache.changed(original.id);
        return reply;
      },
      {
        operation: { id: 'createIssue', docs: ISSUE_DOCS.create },
        query: noQuery,
        body: jsonBody(IssueBody),
        response: answers({ 201: Type.Union([Issue, FiledIssue]) }),
      },
    )
    .patch(
      '/:id',
      async ({ caller, params, query, body: patch, request, now }) => {
        const { database, files } = evidence;
        const { id } = params;
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
        for (const { sha256 } of updated.removed) {
          files.remove(sha256, isContentReferenced(database.read)).catch((error) => {
            evidence.log.warn({ err: error }, 'a file without a row is left to the next sweep');
          });
        }
        const asked = { caller, now, linkTtl: query.linkTtl };
        return withAttachments(evidence, asked, answer.head, answer.etag, answer.attached);
      },
      {
        operation: { id: 'updateIssue', docs: ISSUE_DOCS.update },
        query: queryOf(closed({ linkTtl: LinkTtl })),
        body: mergePatchBody(IssuePatch),
        response: answers({ 200: Issue }),
      },
    );

interface Asked extends Pick<Call, 'caller' | 'now'> {
  linkTtl: number | undefined;
}

async function listPage(evidence: Evidence, asked: Asked, query: IssueFilters, request: Request) {
  const { database, issuesIndex } = evidence;
  const { projectId } = asked.caller;
  const filters = filterHash('listIssues', query);
  const after = decodeCursor(filters, query.cursor);
  const limit = query.limit ?? PAGE_DEFAULT;
  if (query.q !== undefined) await issuesIndex.upToDate();
  const rows = await listIssueRows(database.read, projectId, query, after, limit);
  const attachments = await attachmentsOf(
    database.read,
    rows.map(({ id }) => id),
  );
  const byIssue = Map.groupBy(attachments, ({ issueId }) => issueId ?? '');
  const mint = createLinkMint(evidence.signingKeys, asked.caller, asked.now, asked.linkTtl);
  const page = pageOf(
    rows,
    limit,
    filters,
    (row) => row.number,
    (row) => ({
      ...issueSummary(row),
      attachments: (byIssue.get(row.id) ?? []).map((one) => attachmentView(one, mint.urlOf(one))),
    }),
  );
  return ok(page, { headers: nextLink(request, page) });
}

function readOne(evidence: Evidence, asked: Asked, id: string) {
  const cached = evidence.issueCache.get(id);
  if (!cached) return loadOne(evidence, asked, id);
  if (cached.projectId !== asked.caller.projectId) throw notFound('issue');
  if (cached.whole !== undefined) return issueText(cached.whole, cached.etag);
  return attachmentsOf(evidence.database.read, [id]).then((rows) =>
    withAttachments(evidence, asked, cached.head, cached.etag, rows),
  );
}

async function readByNumber(evidence: Evidence, asked: Asked, number: number) {
  const { id } = await getIssueRowByNumber(evidence.database.read, asked.caller.projectId, number);
  return readOne(evidence, asked, id);
}

async function loadOne(evidence: Evidence, asked: Asked, id: string) {
  const generation = evidence.issueCache.generation();
  const answer = await readIssueAnswer(evidence.database.read, asked.caller.projectId, id);
  const { projectId, etag, head, attached } = answer;
  const whole = attached.length === 0 ? withoutAttachments(head) : undefined;
  evidence.issueCache.put(id, { projectId, etag, head, whole }, generation);
  return withAttachments(evidence, asked, head, etag, attached);
}

function withoutAttachments(head: string): string {
  return `${head},"attachments":[]}`;
}

function issueText(text: string, etag: string) {
  return made<Static<typeof Issue>>({ text, etag });
}

function withAttachments(
  evidence: Evidence,
  { caller, now, linkTtl }: Asked,
  head: string,
  etag: string,
  rows: AttachmentRow[],
) {
  const mint = createLinkMint(evidence.signingKeys, caller, now, linkTtl);
  const views = rows.map((row) => attachmentView(row, mint.urlOf(row)));
  return issueText(`${head},"attachments":${JSON.stringify(views)}}`, etag);
}
