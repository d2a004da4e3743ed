// Route that reads test runs: the list, one run, one test's history, and what they say together.
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { createLinkMint } from '../../evidence/attachments/links.ts';
import { attachmentsOfRuns } from '../../evidence/issues/rows.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made, nextLink, ok } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, type Page, pageOf } from '../../model/pages.ts';
import type { Pause } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';
import type { Quality } from '../quality.ts';
import {
  FlakyTests,
  type RunAttachment,
  RunComparison,
  RunQuery,
  RunTrend,
  requireFitting,
  runIdOf,
  SlowestTests,
  TestHistory,
  TestRun,
  TestRunPage,
  TestRunSummary,
  TestRunWithResults,
} from './model.ts';
import { type ResultBounds, resultsOfRun, testHistory } from './results.ts';
import { countRuns, getTestRun, listRunRows, runAttachmentView, runView } from './runs.ts';

export const runRoutes = (quality: Served<Quality>) => {
  const db = quality.database.read;
  return new Elysia({ name: 'runs', prefix: '/test-runs' }).use(api(quality)).get(
    '',
    async ({ query: { runId, ...query }, caller, request, now, pause }) => {
      if (runId !== undefined) query.id = runIdOf({ ...query, runId });
      requireFitting(query);
      const { projectId } = caller;
      const { id, testKey, view, status, limit = PAGE_DEFAULT, cursor, linkTtl } = query;
      const hash = filterHash('listTestRuns', { ...query, linkTtl: undefined });
      const bounds = { status, behind: decodeCursor(hash, cursor), limit, hash };
      const answer = <T extends Page<unknown>>(page: T) =>
        ok(page, { headers: nextLink(request, page) });
      if (testKey !== undefined)
        return answer(await testHistory(db, projectId, testKey, query, bounds));
      if (view !== undefined)
        return answer((await quality.runViews(view, projectId, query, bounds)) as RunViewPage);
      const mint = createLinkMint(quality.signingKeys, caller, now, linkTtl);
      const viewsOf = (rows: readonly AttachmentRow[]) =>
        rows.map((row) => runAttachmentView(row, mint.urlOf(row)));
      if (id === undefined)
        return answer(await listRuns(db, projectId, query, bounds, pause, viewsOf));
      const run = await getTestRun(db, projectId, id);
      const results = await resultsOfRun(db, run, bounds);
      const attached = await attachmentsOfRuns(db, [run.id]);
      // The links differ from answer to answer, what they lead to does not.
      const { attachments: _, ...shown } = runView(TestRun, run);
      const head = JSON.stringify({ ...shown, results });
      return made<Static<typeof TestRunWithResults>>({
        text: `${head.slice(0, -1)},"attachments":${JSON.stringify(viewsOf(attached))}}`,
        etag: etagOf(run.version, head + attached.map((row) => row.id).join()),
        headers: nextLink(request, results),
      });
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
          RunComparison,
        ]),
      }),
    },
  );
};

type RunViewPage = Static<
  typeof FlakyTests | typeof RunTrend | typeof SlowestTests | typeof RunComparison
>;

async function listRuns(
  db: Db,
  projectId: string,
  filters: RunQuery,
  { behind, limit, hash }: ResultBounds,
  pause: Pause,
  viewsOf: (rows: readonly AttachmentRow[]) => RunAttachment[],
) {
  const rows = await listRunRows(db, projectId, filters, { behind, limit: limit + 1, pause });
  const total = filters.count ? await countRuns(db, projectId, filters, pause) : {};
  const ids = rows.slice(0, limit).map(({ id }) => id);
  const attached = Map.groupBy(await attachmentsOfRuns(db, ids), ({ runId }) => runId ?? '');
  const page = pageOf(
    rows,
    limit,
    hash,
    (row) => row.seq,
    (row) => runView(TestRunSummary, row, viewsOf(attached.get(row.id) ?? [])),
  );
  return { ...page, ...total };
}

const READ_RUNS_DOCS: OperationDocs = {
  description:
    'Runs, the newest first. `id` answers one bare, with its `results` in the order of the report: `limit`, `cursor` and ' +
    '`status` are then of these. `testKey` answers the results of one test, the newest first, each with its run, and how ' +
    'stable the test is.\n\n' +
    'Views look through a window of the newest runs that count, and say in `window` how much that was. `flaky`: the ' +
    'tests that flake, and `groups` that fail in the same runs; `slowest`: tests by the median of their duration; both ' +
    'look at 200 runs and 200,000 results at most. `trend`: how runs, results and durations went over 2,000 runs, by run, ' +
    'day or commit (`by`). Shares are rounded down; what was skipped is in none.\n\n' +
    '`compare` says how tests went in `to` against `from`, each a run, a commit or a branch: of a commit or branch ' +
    'each test counts as its newest run says, of 200 runs and 200,000 results at most, and those of `from` are before ' +
    'the run `to`. Listed are the first 1,000 tests: newly failing, still failing, newly passing, new, gone, or those ' +
    'of a `change`. Views that list tests say how each went of late.',
  replies: {
    200: {
      description: 'A page of runs, one run, the history of a test, or a view',
      headers: ['ETag', 'Link'],
    },
  },
  problems: ['not_found'],
};
