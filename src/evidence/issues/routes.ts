// Routes of issues.
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { jsonBody, mergePatchBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, created, made, nextLink, ok } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { closed } from '../../model/schemas.ts';
import { placesOf, totalOf, valuesFound } from '../../store/list-filters.ts';
import { isContentReferenced } from '../../store/references.ts';
import { issues } from '../../store/tables/evidence.ts';
import { createLinkMint } from '../attachments/links.ts';
import type { Evidence } from '../evidence.ts';
import { type IssueAnswer, readIssueAnswer } from './answers.ts';
import { countIssues, IssueCounts } from './counts.ts';
import { fileIssue } from './create.ts';
import {
  FiledIssue,
  Issue,
  IssueBody,
  type IssueFilters,
  IssuePage,
  IssuePatch,
  IssueQuery,
  LinkTtl,
} from './model.ts';
import {
  attachmentsOf,
  attachmentView,
  findIssues,
  issueIdOf,
  issueSummary,
  issueView,
  listIssueRows,
} from './rows.ts';
import { updateIssue } from './update.ts';

export const issueRoutes = (evidence: Served<Evidence>) =>
  new Elysia({ name: 'issues', prefix: '/issues' })
    .use(api(evidence))
    .get(
      '',
      // Taken apart: Elysia reads cookies and headers for a handler that hands its context on whole.
      ({ query, caller, now, request, pause }) => {
        const call = { caller, now, request, pause };
        const { id, number, linkTtl } = query;
        if (query.view !== undefined) return counts(evidence, caller.projectId, query);
        if (id !== undefined) return readOne(evidence, call, linkTtl, id);
        if (number !== undefined) return readByNumber(evidence, call, linkTtl, number);
        return listPage(evidence, call, query);
      },
      {
        operation: { id: 'listIssues', docs: ISSUE_DOCS.read },
        query: queryOf(IssueQuery),
        response: answers({ 200: Type.Union([IssuePage, Issue, IssueCounts]) }),
      },
    )
    .post(
      '',
      async ({ caller, body: input, now, write }) => {
        const { projectId } = caller;
        const fromWidget = caller.capability === 'widget:write';
        let originalId: string | undefined;
        const reply = await write(async (db) => {
          const filing = { projectId, input, actor: actorOf(caller), fromWidget, now };
          const { issue, original, regressed } = await fileIssue(db, filing);
          originalId = original?.id;
          if (original && regressed) await evidence.issuesIndex.changed(db, [original.seq]);
          const location = `/api/issues?id=${issue.id}`;
          if (fromWidget) return created({ id: issue.id, ...input }, location);
          const head = JSON.stringify(issueView(issue, [], [])).slice(0, -1);
          return made<Static<typeof Issue>, 201>({
            status: 201,
            headers: { Location: location },
            etag: etagOf(issue.version, head),
            text: `${head},"attachments":[]}`,
          });
        });
        evidence.issuesIndex.added();
        if (originalId !== undefined) evidence.issueCache.changed(originalId);
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
      async ({ caller, params: { id }, query, body: patch, request, now }) => {
        const { database, files } = evidence;
        const { projectId } = caller;
        const { updated, answer } = await database.write(async (db) => {
          const ifMatch = request.headers.get('if-match');
          const update = { projectId, id, patch, ifMatch, actor: actorOf(caller), now };
          const updated = await updateIssue(db, update);
          if (updated.changed) await evidence.issuesIndex.changed(db, [updated.issue.seq]);
          // Read here: after the commit it may be what another write has made of the issue.
          return { updated, answer: await readIssueAnswer(db, projectId, id) };
        });
        evidence.issueCache.changed(id, ...updated.touched);
        for (const { sha256 } of updated.removed) {
          files.remove(sha256, isContentReferenced(database.read)).catch((error) => {
            evidence.log.warn({ err: error }, 'a file without a row is left to the next sweep');
          });
        }
        return issueText(evidence, { caller, now }, query.linkTtl, answer);
      },
      {
        operation: { id: 'updateIssue', docs: ISSUE_DOCS.update },
        query: queryOf(closed({ linkTtl: LinkTtl })),
        body: mergePatchBody(IssuePatch),
        response: answers({ 200: Issue }),
      },
    );

async function counts(
  { database }: Evidence,
  projectId: string,
  { view: _view, ...filters }: IssueFilters,
) {
  const [filter] = Object.keys(filters);
  if (filter !== undefined) throw invalid(`/${filter}`, 'does not go with view=counts');
  const text = JSON.stringify(await countIssues(database.read, projectId));
  return made<IssueCounts>({ text, etag: etagOf(0, text) });
}

async function listPage(
  evidence: Evidence,
  { caller, now, request, pause }: Pick<Call, 'caller' | 'now' | 'request' | 'pause'>,
  { linkTtl, ...query }: IssueFilters,
) {
  const { database, issuesIndex, tokens } = evidence;
  const { projectId } = caller;
  const filters = filterHash('listIssues', { ...query, linkTtl });
  const after = decodeCursor(filters, query.cursor);
  const { limit = PAGE_DEFAULT } = query;
  const searched = await issuesIndex.search(projectId, query.q);
  const places = await placesOf(database.read, 'issues', query);
  const project = { id: projectId, seq: tokens.project(projectId)?.seq, searched, places };
  const rows = await listIssueRows(database.read, project, query, after, limit, pause);
  const seqs = rows.map(({ seq }) => seq);
  const attached = await attachmentsOf(database.read, seqs);
  const byIssue = Map.groupBy(attached, ({ issueSeq }) => issueSeq);
  const { urlOf } = createLinkMint(evidence.signingKeys, caller, now, linkTtl);
  const total = query.count
    ? totalOf(
        (await valuesFound(database.read, issues, 'seq', findIssues(project, query), pause)).length,
      )
    : {};
  const page = pageOf(
    rows,
    limit,
    filters,
    (row) => row.number,
    (row) => ({
      ...issueSummary(row),
      attachments: (byIssue.get(row.seq) ?? []).map((one) => attachmentView(one, urlOf(one))),
    }),
  );
  const missing = await searched?.missing?.();
  return ok({ ...page, ...total, ...missing }, { headers: nextLink(request, page) });
}

type Asker = Pick<Call, 'caller' | 'now'>;

/** Without a promise where it is cached: most reads are, and a promise costs them a quarter. */
function readOne(evidence: Evidence, asker: Asker, linkTtl: number | undefined, id: string) {
  const { issueCache, database } = evidence;
  const { projectId } = asker.caller;
  const cached = issueCache.get(id);
  if (cached) {
    if (cached.projectId !== projectId) throw notFound('issue');
    return issueText(evidence, asker, linkTtl, cached);
  }
  const generation = issueCache.generation();
  return readIssueAnswer(database.read, projectId, id).then((answer) => {
    issueCache.put(id, answer, generation);
    return issueText(evidence, asker, linkTtl, answer);
  });
}

async function readByNumber(
  evidence: Evidence,
  asker: Asker,
  linkTtl: number | undefined,
  number: number,
) {
  const id = await issueIdOf(evidence.database.read, asker.caller.projectId, number);
  return readOne(evidence, asker, linkTtl, id);
}

function issueText(
  { signingKeys }: Evidence,
  { caller, now }: Asker,
  linkTtl: number | undefined,
  { text, etag, attached }: IssueAnswer,
) {
  if (attached.length === 0) return made<Static<typeof Issue>>({ text, etag });
  const { urlOf } = createLinkMint(signingKeys, caller, now, linkTtl);
  const evidence = attached.map((one) => `${one.text}${urlOf(one)}"}`);
  return made<Static<typeof Issue>>({ text: `${text},"attachments":[${evidence.join()}]}`, etag });
}

const ISSUE_DOCS = {
  read: {
    description:
      'Issues, the newest first, duplicates left out unless asked for. `id` or `number` answers one bare, with its ' +
      'context, history, duplicates and fresh links to its evidence. `view=counts` answers figures alone.',
    replies: {
      200: {
        description: 'A page of issues, one issue, or counts',
        headers: ['ETag', 'Link'],
      },
    },
  },
  create: {
    description:
      'Files an issue. Where its fingerprint (title, route and first error, numbers folded out) meets an earlier issue, ' +
      'it is born closed as the duplicate of that one, or of what that one is a duplicate of, unless `dedupe` is false; ' +
      'where the original was fixed before, it may come back as a regression. A `widget:write` token is answered with ' +
      'the id and what it sent.',
    bodyExample: {
      title: 'Paying twice when the button is pressed twice',
      severity: 'critical',
      route: '/checkout',
      build: '2026.1.31',
      context: { errors: [{ type: 'TypeError', message: 'x is undefined' }] },
    },
    replies: {
      201: {
        description: 'The issue; for a widget, what it sent',
        headers: ['ETag'],
      },
    },
  },
  update: {
    description:
      'Changes an issue by a merge patch; every change is kept in its history. `open` goes to triaged, in_progress or ' +
      'resolved; `triaged` to in_progress or resolved; `in_progress` to triaged or resolved; `resolved` to verified, ' +
      'closed or open; `verified` to closed or open; `closed` to open; and any to `closed` with a resolution. Any other ' +
      'move is `409 illegal_transition`. `comment` adds to the history, `removeAttachments` takes evidence away, on record.',
    bodyExample: { status: 'resolved', resolution: 'fixed', fixedInBuild: '2026.2.1' },
    replies: {
      200: { description: 'The issue as it is now', headers: ['ETag'] },
    },
    problems: ['illegal_transition'],
  },
} satisfies Record<string, OperationDocs>;
