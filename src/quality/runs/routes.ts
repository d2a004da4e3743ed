// Route that reads test runs: the list, one run, one test's history, and what they say together.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Caller } from '../../access/caller.ts';
import { createLinkMint } from '../../evidence/attachments/links.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made, nextLink, ok } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';
import type { Quality } from '../quality.ts';
import type { ResultStatus } from '../reports/model.ts';
import { READ_RUNS_DOCS } from './docs.ts';
import { listRunRows } from './list.ts';
import { questionOf, type RunFilters, RunQuery, type RunQueryInput } from './query.ts';
import { resultView } from './result-rows.ts';
import { resultPage, resultsOfRun } from './results.ts';
import {
  FlakyTests,
  RunTrend,
  SlowestTests,
  TestHistory,
  TestRunPage,
  TestRunWithResults,
} from './schemas.ts';
import { testHistory } from './test-history.ts';
import {
  attachmentsOfRuns,
  getTestRun,
  type RunAttachment,
  runAttachmentView,
  runSummary,
  runView,
} from './test-runs.ts';
import { flakyOf } from './views/flaky-places.ts';
import { openRunViews } from './views/views.ts';

interface Asked {
  caller: Caller;
  query: RunQueryInput;
  request: Request;
  now: number;
}

export const runRoutes = (quality: Served<Quality>) => {
  const views = openRunViews(quality);
  return new Elysia({ name: 'runs', prefix: '/test-runs' }).use(api(quality)).get(
    '',
    async ({ query, caller, request, now }) => {
      const asked = { query, caller, request, now };
      const question = questionOf(query);
      switch (question.ask) {
        case 'list':
          return listRuns(quality, asked, question.filters);
        case 'run':
          return readRun(quality, asked, question.id, question.status);
        case 'test':
          return readHistory(quality, asked, question);
        case 'view': {
          const { projectId } = caller;
          const page = await views.answer({ ...question, ...boundsOf(query), projectId });
          return ok(page as ViewBody, { headers: nextLink(request, page) });
        }
      }
    },
    {
      operation: { id: 'listTestRuns', docs: READ_RUNS_DOCS },
      query: queryOf(RunQuery),
      response: answers({
        200: Type.Union([
          TestRunPage,
          TestRunWithResults,
          TestHistory,
          FlakyTests,
          RunTrend,
          SlowestTests,
        ]),
      }),
    },
  );
};

type ViewBody = Static<typeof FlakyTests> | Static<typeof RunTrend> | Static<typeof SlowestTests>;

function boundsOf(query: RunQueryInput) {
  const hash = filterHash('listTestRuns', { ...query, linkTtl: undefined });
  return {
    hash,
    behind: decodeCursor(hash, query.cursor),
    limit: query.limit ?? PAGE_DEFAULT,
  };
}

async function listRuns(quality: Quality, asked: Asked, filters: RunFilters) {
  const db = quality.database.read;
  const { projectId } = asked.caller;
  const { hash, behind, limit } = boundsOf(asked.query);
  const rows = await listRunRows(db, projectId, filters, { behind, limit: limit + 1 });
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const attached = Map.groupBy(await attachmentsOfRuns(db, ids), ({ runId }) => runId ?? '');
  const viewsOf = attachmentViews(quality, asked);
  const page = pageOf(
    rows,
    limit,
    hash,
    (row) => row.seq,
    (row) => runSummary(row, viewsOf(attached.get(row.id) ?? [])),
  );
  const headers = nextLink(asked.request, page);
  return ok(page as Static<typeof TestRunPage>, { headers });
}

async function readRun(
  quality: Quality,
  asked: Asked,
  id: string,
  status: ResultStatus[] | undefined,
) {
  const db = quality.database.read;
  const { projectId } = asked.caller;
  const { hash, behind, limit } = boundsOf(asked.query);
  const run = await getTestRun(db, projectId, id);
  const [found, attached] = await Promise.all([
    resultsOfRun(db, run, { status, behind, limit }),
    attachmentsOfRuns(db, [run.id]),
  ]);
  const { counts, commitId, environment } = run;
  const placed = found.rows.map(({ result }) => ({ ...result, counts, commitId, environment }));
  const flaky = await flakyOf(db, projectId, placed);
  const results = resultPage(found, hash, ({ result, test }, at) =>
    resultView(result, test, { flaky: flaky[at] ?? false }),
  );
  // The links differ from answer to answer, what they lead to does not.
  const head = JSON.stringify({ ...runView(run, []), results, attachments: undefined });
  const views = JSON.stringify(attachmentViews(quality, asked)(attached));
  return made<Static<typeof TestRunWithResults>>({
    text: `${head.slice(0, -1)},"attachments":${views}}`,
    etag: etagOf(run.version, head + attached.map((row) => row.id).join()),
    headers: nextLink(asked.request, results),
  });
}

async function readHistory(
  { database }: Quality,
  { caller, query, request }: Asked,
  {
    testKey,
    filters,
    status,
  }: { testKey: string; filters: RunFilters; status: ResultStatus[] | undefined },
) {
  const { hash, behind, limit } = boundsOf(query);
  const bounds = { status, behind, limit };
  const db = database.read;
  const page = await testHistory(db, caller.projectId, testKey, filters, bounds, hash);
  return ok(page as Static<typeof TestHistory>, { headers: nextLink(request, page) });
}

function attachmentViews(
  { signingKeys }: Quality,
  { caller, now, query }: Asked,
): (rows: readonly AttachmentRow[]) => RunAttachment[] {
  const mint = createLinkMint(signingKeys, caller, now, query.linkTtl);
  return (rows) => rows.map((row) => runAttachmentView(row, mint.urlOf(row)));
}
