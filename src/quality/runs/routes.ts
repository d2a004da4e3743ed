// Route that reads test runs: the list, one run, one test's history, and what they say together.
import { createLinkMint } from '../../evidence/attachments/links.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';
import type { Quality } from '../quality.ts';
import type { ResultStatus } from '../reports/model.ts';
import { listRunRows } from './list.ts';
import { questionOf, type RunFilters, RunQuery, type RunQueryInput } from './query.ts';
import { resultView } from './result-rows.ts';
import { resultPage, resultsOfRun } from './results.ts';
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
import type { RunViews } from './views/views.ts';

type RunCall = Call<RunQueryInput, undefined>;

/** Where a page of a call begins, and how long it is. */
function pageOfCall({ query }: RunCall) {
  const hash = filterHash('listTestRuns', { ...query, linkTtl: undefined });
  return {
    hash,
    behind: decodeCursor(hash, query.cursor),
    limit: query.limit ?? PAGE_DEFAULT,
  };
}

export function readTestRuns(quality: Quality) {
  const db = quality.database.read;
  let views: Promise<RunViews> | undefined;
  /** Loaded when it is first asked for. */
  const openViews = async () => (await import('./views/views.ts')).openRunViews(quality);

  return endpoint({
    docs: async () => (await import('./docs.ts')).READ_RUNS_DOCS,
    query: RunQuery,
    async handler(call) {
      const question = questionOf(call.query);
      switch (question.ask) {
        case 'list':
          return listed(call, question.filters);
        case 'run':
          return one(call, question.id, question.status);
        case 'test':
          return history(call, question.testKey, question.filters, question.status);
        case 'view': {
          const { projectId } = call.caller;
          const asked = { ...question, ...pageOfCall(call), projectId };
          views ??= openViews();
          const page = await (await views).answer(asked);
          return ok(page, { headers: nextLink(call.request, page) });
        }
      }
    },
  });

  async function listed(call: RunCall, filters: RunFilters): Promise<Reply> {
    const { projectId } = call.caller;
    const { hash, behind, limit } = pageOfCall(call);
    const rows = await listRunRows(db, projectId, filters, { behind, limit: limit + 1 });
    const attached = Map.groupBy(
      await attachmentsOfRuns(
        db,
        rows.slice(0, limit).map(({ id }) => id),
      ),
      ({ runId }) => runId ?? '',
    );
    const viewsOf = attachmentViews(call);
    const page = pageOf(
      rows,
      limit,
      hash,
      (row) => row.seq,
      (row) => runSummary(row, viewsOf(attached.get(row.id) ?? [])),
    );
    return ok(page, { headers: nextLink(call.request, page) });
  }

  async function one(
    call: RunCall,
    id: string,
    status: ResultStatus[] | undefined,
  ): Promise<Reply> {
    const { projectId } = call.caller;
    const { hash, behind, limit } = pageOfCall(call);
    const run = await getTestRun(db, projectId, id);
    const [found, attached] = await Promise.all([
      resultsOfRun(db, run, { status, behind, limit }),
      attachmentsOfRuns(db, [run.id]),
    ]);
    const { counts, commitId, environment } = run;
    const flaky = await flakyOf(
      db,
      projectId,
      found.rows.map(({ result }) => ({ ...result, counts, commitId, environment })),
    );
    const results = resultPage(found, hash, ({ result, test }, at) =>
      resultView(result, test, { flaky: flaky[at] ?? false }),
    );
    // The links differ from answer to answer, what they lead to does not.
    const head = JSON.stringify({ ...runView(run, []), results, attachments: undefined });
    const etag = etagOf(run.version, head + attached.map((row) => row.id).join());
    const views = JSON.stringify(attachmentViews(call)(attached));
    return {
      status: 200,
      text: `${head.slice(0, -1)},"attachments":${views}}`,
      etag,
      headers: nextLink(call.request, results),
    };
  }

  async function history(
    call: RunCall,
    testKey: string,
    filters: RunFilters,
    status: ResultStatus[] | undefined,
  ): Promise<Reply> {
    const { hash, behind, limit } = pageOfCall(call);
    const bounds = { status, behind, limit };
    const page = await testHistory(db, call.caller.projectId, testKey, filters, bounds, hash);
    return ok(page, { headers: nextLink(call.request, page) });
  }

  function attachmentViews(call: RunCall): (rows: readonly AttachmentRow[]) => RunAttachment[] {
    const mint = createLinkMint(quality.signingKeys, call.caller, call.now, call.query.linkTtl);
    return (rows) => rows.map((row) => runAttachmentView(row, mint.urlOf(row)));
  }
}
