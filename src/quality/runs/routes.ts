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
import { READ_RUNS_DOCS } from './docs.ts';
import {
  FlakyTests,
  RunTrend,
  SlowestTests,
  TestHistory,
  TestRun,
  TestRunPage,
  TestRunSummary,
  TestRunWithResults,
} from './model.ts';
import { type RunFilters, RunQuery, requireFitting } from './query.ts';
import { type ResultBounds, resultsOfRun, testHistory } from './results.ts';
import { attachmentsOfRuns, getTestRun, listRunRows, runAttachmentView, runView } from './runs.ts';
import { openRunViews } from './views/views.ts';

interface Asked {
  caller: Caller;
  query: RunQuery;
  request: Request;
  now: number;
}

export const runRoutes = (quality: Served<Quality>) => {
  const viewPage = openRunViews(quality);
  return new Elysia({ name: 'runs', prefix: '/test-runs' }).use(api(quality)).get(
    '',
    async ({ query, caller, request, now }) => {
      requireFitting(query);
      const asked = { query, caller, request, now };
      const { limit = PAGE_DEFAULT, cursor, linkTtl: _, ...filters } = query;
      const hash = filterHash('listTestRuns', filters);
      const bounds = { status: query.status, behind: decodeCursor(hash, cursor), limit, hash };
      if (query.id !== undefined) return readRun(quality, asked, query.id, bounds);
      const { projectId } = caller;
      if (query.testKey !== undefined) {
        const db = quality.database.read;
        const page = await testHistory(db, projectId, query.testKey, query, bounds);
        return ok(page, { headers: nextLink(request, page) });
      }
      if (query.view !== undefined) {
        const page = await viewPage(query.view, projectId, query, bounds);
        return ok(page as RunViewPage, { headers: nextLink(request, page) });
      }
      return listRuns(quality, asked, query, bounds);
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

type RunViewPage = Static<typeof FlakyTests | typeof RunTrend | typeof SlowestTests>;

async function listRuns(
  quality: Quality,
  asked: Asked,
  filters: RunFilters,
  { behind, limit, hash }: ResultBounds,
) {
  const db = quality.database.read;
  const { projectId } = asked.caller;
  const rows = await listRunRows(db, projectId, filters, { behind, limit: limit + 1 });
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const attached = Map.groupBy(await attachmentsOfRuns(db, ids), ({ runId }) => runId ?? '');
  const viewsOf = attachmentViews(quality, asked);
  const page = pageOf(
    rows,
    limit,
    hash,
    (row) => row.seq,
    (row) => runView(TestRunSummary, row, viewsOf(attached.get(row.id) ?? [])),
  );
  return ok(page, { headers: nextLink(asked.request, page) });
}

async function readRun(quality: Quality, asked: Asked, id: string, bounds: ResultBounds) {
  const db = quality.database.read;
  const run = await getTestRun(db, asked.caller.projectId, id);
  const [results, attached] = await Promise.all([
    resultsOfRun(db, run, bounds),
    attachmentsOfRuns(db, [run.id]),
  ]);
  // The links differ from answer to answer, what they lead to does not.
  const { attachments: _, ...view } = runView(TestRun, run);
  const head = JSON.stringify({ ...view, results });
  const views = JSON.stringify(attachmentViews(quality, asked)(attached));
  return made<Static<typeof TestRunWithResults>>({
    text: `${head.slice(0, -1)},"attachments":${views}}`,
    etag: etagOf(run.version, head + attached.map((row) => row.id).join()),
    headers: nextLink(asked.request, results),
  });
}

function attachmentViews({ signingKeys }: Quality, { caller, now, query }: Asked) {
  const mint = createLinkMint(signingKeys, caller, now, query.linkTtl);
  return (rows: readonly AttachmentRow[]) =>
    rows.map((row) => runAttachmentView(row, mint.urlOf(row)));
}
