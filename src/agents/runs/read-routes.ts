// The route that reads the state of runs: one, lists, plans, suites, or the changes as they happen.

import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { isPublic } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { tooManyAtOnce } from '../../http/api/concurrency-limit.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made, nextLink, ok } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { RunStateRow } from '../../store/tables/agents.ts';
import type { Agents } from '../agents.ts';
import { READ_RUN_STATE_DOCS } from './docs.ts';
import { listPlans, listRunStates, listSuites, readPlan } from './lists.ts';
import {
  PlanProgressPage,
  RunState,
  type RunStateFilters,
  RunStatePage,
  RunStateQuery,
  type RunStateView,
  runStateView,
  StoredPlan,
  SuiteProgressPage,
} from './model.ts';
import { findRun } from './rows.ts';

export const readRunStateRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'run-states-read', prefix: '/run-state' }).use(api(agents)).get(
    '',
    (call) => {
      const { query } = call;
      // Whoever would take JSON as well names the stream first.
      if (/^\s*text\/event-stream\b/i.test(call.request.headers.get('accept') ?? ''))
        return openEvents(agents, call);
      if (query.runId !== undefined) return readRun(agents, call, query.runId);
      if (query.view === 'plans' && query.planId) return readOnePlan(agents, call, query.planId);
      return readPage(agents, call);
    },
    {
      operation: { id: 'getRunState', docs: READ_RUN_STATE_DOCS },
      query: queryOf(RunStateQuery),
      response: answers({
        200: Type.Union([RunStatePage, RunState, PlanProgressPage, StoredPlan, SuiteProgressPage]),
      }),
    },
  );

type ReadCall = Pick<Call, 'caller' | 'request' | 'requestId'> & { query: RunStateFilters };

async function readRun({ database }: Agents, { caller }: ReadCall, runId: string) {
  const found = await findRun(database.read, caller.projectId, runId);
  if (!found) throw notFound('run');
  const text = JSON.stringify(runStateView(found.run, found.lease));
  return made<RunStateView>({ text, etag: etagOf(found.run.version, text) });
}

async function readOnePlan({ database }: Agents, { query, caller }: ReadCall, ids: string[]) {
  refuseOthers(query, ['view', 'planId']);
  const [id = '', another] = ids;
  if (another !== undefined) throw invalid('/planId', 'may be given once with view=plans');
  const plan = await readPlan(database.read, caller.projectId, id);
  if (!plan) throw notFound('plan');
  return ok(plan);
}

async function readPage({ database }: Agents, { query, caller, request }: ReadCall) {
  const { view, cursor, limit = PAGE_DEFAULT } = query;
  const { projectId } = caller;
  const { read } = database;
  const filters = filterHash('getRunState', query);
  const after = decodeCursor(filters, cursor);
  if (view !== undefined) refuseOthers(query, ['view', 'limit', 'cursor']);
  if (view === 'plans') return answer(await listPlans(read, projectId, after, limit));
  if (view === 'suites') return answer(await listSuites(read, projectId, after, limit));
  const rows = await listRunStates(read, projectId, query, after, limit);
  return answer(rows.map(({ run, lease }) => ({ seq: run.seq, view: runStateView(run, lease) })));

  function answer<V>(rows: { seq: number; view: V }[]) {
    const page = pageOf(
      rows,
      limit,
      filters,
      ({ seq }) => seq,
      (row) => row.view,
    );
    return ok(page, { headers: nextLink(request, page) });
  }
}

function refuseOthers(query: RunStateFilters, known: readonly string[]): void {
  const other = Object.keys(query).find((name) => !known.includes(name));
  if (other) throw invalid(`/${other}`, 'does not go with this view');
}

function openEvents(
  agents: Served<Agents>,
  { query, caller, request, requestId }: ReadCall,
): Response {
  const { limits, tokens, runEvents, streams } = agents;
  for (const name of ['view', 'limit', 'cursor'] as const)
    if (query[name] !== undefined) throw invalid(`/${name}`, 'does not go with a stream');
  const lastId = request.headers.get('last-event-id') ?? '';
  if (!/^\d{0,15}$/.test(lastId)) throw invalid('/Last-Event-ID', 'is not the id of an event');
  const { tokenId, projectId, capability } = caller;
  const limit = isPublic(caller) ? limits.eventStreamsPerDemoToken : limits.eventStreamsPerToken;
  if (runEvents.openedBy(tokenId) >= limit) throw tooManyAtOnce('event-streams', limit, 'requests');
  const body = runEvents.open({
    projectId,
    tokenId,
    after: lastId === '' ? undefined : Number(lastId),
    wants: wantedBy(query),
    isAllowed: (now) =>
      tokens.isGood(tokenId, now) &&
      (capability !== 'read:demo' || tokens.project(projectId)?.demo === true),
    onEnd: streams.enter(caller),
  });
  const headers = {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
  return new Response(body, { headers });
}

function wantedBy(query: RunStateFilters): ((run: RunStateRow) => boolean) | undefined {
  const { runId, state, suiteId, planId, commandId } = query;
  const id = runId === undefined ? undefined : [runId];
  const filters: Record<string, string[] | undefined> = { id, state, suiteId, planId, commandId };
  const given = Object.entries(filters).filter(([, values]) => values !== undefined);
  if (given.length === 0) return undefined;
  return (run) =>
    given.every(([name, values]) => values?.includes(String(run[name as keyof RunStateRow])));
}
