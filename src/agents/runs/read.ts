// The route by which the state of runs is read: one, lists, or the changes as they happen.

import { invalid, notFound } from '../../errors.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { RunStateRow } from '../../store/tables/agents.ts';
import type { Agents } from '../agents.ts';
import { readPlan } from '../plan/read.ts';
import { type EventStreams, openEventStreams } from './event-stream.ts';
import {
  listPlans,
  listRunStates,
  listSuites,
  planProgressView,
  suiteProgressView,
} from './lists.ts';
import { type RunStateFilters, RunStateQuery } from './model.ts';
import { findHeldRun } from './rows.ts';
import { runStateView } from './view.ts';

type RunStateCall = Call<RunStateFilters, undefined>;

export function readRunState(agents: Agents) {
  const { database } = agents;
  let streams: EventStreams | undefined;
  return endpoint({
    docs: async () => (await import('./docs.ts')).RUN_STATE_DOCS.read,
    query: RunStateQuery,
    handler(call): Reply | Response | Promise<Reply> {
      if (wantsEvents(call.request)) return openEvents(call);
      const { runId, view } = call.query;
      if (runId !== undefined) return one(call, runId);
      return view === undefined ? runs(call) : viewed(call, view);
    },
  });

  function openEvents(call: RunStateCall): Response {
    const { query, request } = call;
    for (const name of ['view', 'limit', 'cursor'] as const)
      if (query[name] !== undefined) throw invalid(`/${name}`, 'does not go with a stream');
    // Made with the first one: routes are described without services, too.
    streams ??= openEventStreams(agents);
    return streams.open(call, lastEventId(request), wantedBy(query));
  }

  async function one({ caller }: RunStateCall, runId: string): Promise<Reply> {
    const held = await findHeldRun(database.read, caller.projectId, runId);
    if (!held) throw notFound('run');
    const text = JSON.stringify(runStateView(held.run, held.lease));
    return { status: 200, text, etag: etagOf(held.run.version, text) };
  }

  async function runs({ query, caller, request }: RunStateCall): Promise<Reply> {
    const filters = filterHash('getRunState', query);
    const behind = decodeCursor(filters, query.cursor);
    const limit = query.limit ?? PAGE_DEFAULT;
    const rows = await listRunStates(database.read, caller.projectId, query, behind, limit);
    const page = pageOf(
      rows,
      limit,
      filters,
      ({ run }) => run.seq,
      ({ run, lease }) => runStateView(run, lease),
    );
    return ok(page, { headers: nextLink(request, page) });
  }

  async function plan(projectId: string, { planId, ...query }: RunStateFilters): Promise<Reply> {
    const [id = '', another] = planId ?? [];
    if (another !== undefined) throw invalid('/planId', 'may be given once with view=plans');
    const other = Object.keys(query).find((name) => name !== 'view');
    if (other) throw invalid(`/${other}`, 'does not go with one plan');
    const found = await readPlan(database.read, projectId, id);
    if (!found) throw notFound('plan');
    return ok(found);
  }

  async function viewed(
    { query, caller, request }: RunStateCall,
    view: 'plans' | 'suites',
  ): Promise<Reply> {
    const { view: _view, limit = PAGE_DEFAULT, cursor, ...others } = query;
    if (view === 'plans' && others.planId) return plan(caller.projectId, query);
    const [other] = Object.keys(others);
    if (other) throw invalid(`/${other}`, `does not go with view=${view}`);
    const filters = filterHash('getRunState', query);
    const behind = decodeCursor(filters, cursor);
    const { read } = database;
    const page =
      view === 'plans'
        ? pageOf(
            await listPlans(read, caller.projectId, behind, limit),
            limit,
            filters,
            ({ seq }) => seq,
            planProgressView,
          )
        : pageOf(
            await listSuites(read, caller.projectId, behind, limit),
            limit,
            filters,
            ({ suite }) => suite.seq,
            suiteProgressView,
          );
    return ok(page, { headers: nextLink(request, page) });
  }
}

/**
 * Whether a request would rather have a stream than JSON (RFC 9110, 12.5.1): of two that weigh the
 * same, the one that is named first, and a named one before a wildcard.
 */
function wantsEvents(request: Request): boolean {
  const accept = request.headers.get('accept');
  if (accept === null || !/text\/event-stream/i.test(accept)) return false;
  const ranges = accept.split(',').map((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
    return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
  });
  const stream = ranges.find(({ type }) => type === 'text/event-stream');
  if (!stream || stream.weight === 0) return false;
  const before = ranges.slice(0, ranges.indexOf(stream));
  return ranges.every((one) => {
    if (one === stream || !JSON_RANGES.has(one.type)) return true;
    const first = one.type === 'application/json' && before.includes(one);
    return first ? one.weight < stream.weight : one.weight <= stream.weight;
  });
}

const JSON_RANGES: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/*',
  '*/*',
]);

/** @throws Problem `invalid` for one that is not ours */
function lastEventId(request: Request): number | undefined {
  const text = request.headers.get('last-event-id');
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalid('/Last-Event-ID', 'is not the id of an event');
  return Number(text);
}

function wantedBy(query: RunStateFilters): ((run: RunStateRow) => boolean) | undefined {
  const { runId, state, suiteId, planId, commandId } = query;
  const tests: ((run: RunStateRow) => boolean)[] = [];
  if (runId !== undefined) tests.push(({ id }) => id === runId);
  if (state) tests.push((run) => (state as string[]).includes(run.state));
  const named = [
    ['suiteId', suiteId],
    ['planId', planId],
    ['commandId', commandId],
  ] as const;
  for (const [name, wanted] of named)
    if (wanted) tests.push((run) => wanted.includes(run[name] ?? ''));
  return tests.length === 0 ? undefined : (run) => tests.every((test) => test(run));
}
