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
import { readPlan } from '../plan/store.ts';
import { RUN_STATE_DOCS } from './docs.ts';
import { listPlans, listRunStates, listSuites } from './lists.ts';
import {
  PlanProgressPage,
  RunState,
  type RunStateFilters,
  RunStatePage,
  RunStateQuery,
  type RunStateView,
  StoredPlan,
  SuiteProgressPage,
} from './model.ts';
import { findRun } from './rows.ts';
import { runStateView } from './view.ts';

export const readRunStateRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'run-states-read', prefix: '/run-state' }).use(api(agents)).get(
    '',
    ({ query, caller, request, requestId }) => {
      const call = { query, caller, request, requestId };
      if (wantsEvents(request)) return openEvents(agents, call);
      if (query.runId !== undefined) return readRun(agents, call, query.runId);
      if (query.view === 'plans') return readPlans(agents, call);
      if (query.view === 'suites') return readSuites(agents, call);
      return readRuns(agents, call);
    },
    {
      operation: { id: 'getRunState', docs: RUN_STATE_DOCS.read },
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

async function readRuns({ database }: Agents, { query, caller, request }: ReadCall) {
  const { filters, after, limit } = pageAsked({ query });
  const rows = await listRunStates(database.read, caller.projectId, query, after, limit);
  const page = pageOf(
    rows,
    limit,
    filters,
    ({ run }) => run.seq,
    ({ run, lease }) => runStateView(run, lease),
  );
  return ok(page, { headers: nextLink(request, page) });
}

const bySeq = ({ seq }: { seq: number }) => seq;

async function readPlans(agents: Agents, call: ReadCall) {
  const { planId, ...query } = call.query;
  const { read } = agents.database;
  const { projectId } = call.caller;
  if (planId) {
    refuseOthers(query, ['view'], 'does not go with one plan');
    if (planId.length > 1) throw invalid('/planId', 'may be given once with view=plans');
    const plan = await readPlan(read, projectId, planId[0] ?? '');
    if (!plan) throw notFound('plan');
    return ok(plan);
  }
  refuseOthers(query, ['view', 'limit', 'cursor'], 'does not go with view=plans');
  const { filters, after, limit } = pageAsked(call);
  const rows = await listPlans(read, projectId, after, limit);
  const page = pageOf(rows, limit, filters, bySeq, ({ plan }) => plan);
  return ok(page, { headers: nextLink(call.request, page) });
}

async function readSuites(agents: Agents, call: ReadCall) {
  refuseOthers(call.query, ['view', 'limit', 'cursor'], 'does not go with view=suites');
  const { filters, after, limit } = pageAsked(call);
  const rows = await listSuites(agents.database.read, call.caller.projectId, after, limit);
  const page = pageOf(rows, limit, filters, bySeq, ({ suite }) => suite);
  return ok(page, { headers: nextLink(call.request, page) });
}

function pageAsked({ query }: Pick<ReadCall, 'query'>) {
  const filters = filterHash('getRunState', query);
  const after = decodeCursor(filters, query.cursor);
  return { filters, after, limit: query.limit ?? PAGE_DEFAULT };
}

function refuseOthers(query: RunStateFilters, known: readonly string[], why: string): void {
  const other = Object.keys(query).find((name) => !known.includes(name));
  if (other) throw invalid(`/${other}`, why);
}

function openEvents(
  agents: Served<Agents>,
  { query, caller, request, requestId }: ReadCall,
): Response {
  const { limits, tokens, runEvents, streams } = agents;
  for (const name of ['view', 'limit', 'cursor'] as const)
    if (query[name] !== undefined) throw invalid(`/${name}`, 'does not go with a stream');
  const after = lastEventId(request);
  const { tokenId, projectId, capability } = caller;
  const limit = isPublic(caller) ? limits.eventStreamsPerDemoToken : limits.eventStreamsPerToken;
  if (runEvents.openedBy(tokenId) >= limit) throw tooManyAtOnce('event-streams', limit, 'requests');
  const body = runEvents.open({
    projectId,
    tokenId,
    after,
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

/**
 * Whether a request would rather have a stream than JSON (RFC 9110, 12.5.1): of two that weigh the
 * same, the one that is named first, and a named one before a wildcard.
 */
function wantsEvents(request: Request): boolean {
  const accept = request.headers.get('accept');
  if (accept === null || !/text\/event-stream/i.test(accept)) return false;
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
    return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
  });
  const at = ranges.findIndex(({ type }) => type === 'text/event-stream');
  const weight = ranges[at]?.weight ?? 0;
  if (weight === 0) return false;
  return ranges.every((one, place) => {
    if (one.type === 'application/json' && place < at) return one.weight < weight;
    return !['application/json', 'application/*', '*/*'].includes(one.type) || one.weight <= weight;
  });
}

function lastEventId(request: Request): number | undefined {
  const text = request.headers.get('last-event-id');
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalid('/Last-Event-ID', 'is not the id of an event');
  return Number(text);
}

function wantedBy(query: RunStateFilters): ((run: RunStateRow) => boolean) | undefined {
  const { runId, state, suiteId, planId, commandId } = query;
  const filters: [keyof RunStateRow, readonly string[] | undefined][] = [
    ['id', runId === undefined ? undefined : [runId]],
    ['state', state],
    ['suiteId', suiteId],
    ['planId', planId],
    ['commandId', commandId],
  ];
  const given = filters.filter(([, values]) => values !== undefined);
  if (given.length === 0) return undefined;
  return (run) => given.every(([name, values]) => values?.includes(String(run[name])));
}
