// The routes of the state of runs: an agent opens a run of its own and writes to those it holds, an
// owner cancels any; one, lists, plans, suites, or the changes as they happen are read.
import { actorOf, type Caller, forbiddenFields, isPublic } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { jsonBody } from '../../http/api/body.ts';
import { tooManyAtOnce } from '../../http/api/concurrency-limit.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { created, nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { overlayClock } from '../../requirements/overlay/changes.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import type { Tx } from '../../store/database.ts';
import type { RunStateRow } from '../../store/tables/agents.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import type { Agents } from '../agents.ts';
import { namedCommand } from '../commands/named-commands.ts';
import { leasedValues } from '../credentials/leases.ts';
import { readPlan } from '../plan/store.ts';
import { writeOnGraph } from '../suites/claim.ts';
import { pinStories } from '../suites/items.ts';
import { DEFAULT_LEASE_MS, leaseView } from '../suites/leases.ts';
import { cancelRun } from './end.ts';
import {
  listPlans,
  listRunStates,
  listSuites,
  planProgressView,
  suiteProgressView,
} from './lists.ts';
import {
  OPENING,
  progressOf,
  RunStateBody,
  type RunStateFilters,
  type RunStateInput,
  RunStateQuery,
  WRITING,
} from './model.ts';
import { findRun, type LeasedRun } from './rows.ts';
import { type Pinned, runStateView } from './view.ts';
import { openRun, type RunWrite, writeRun } from './write.ts';

type StateCall = Call<unknown, RunStateInput>;

const isWidget = ({ capability }: Caller) => capability === 'widget:write';

export function submitRunState(agents: Agents) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).RUN_STATE_DOCS.submit,
    body: jsonBody(RunStateBody),
    slots: 'heartbeats',
    allowFields(body, caller) {
      if (!isWidget(caller) || typeof body !== 'object' || body === null) return;
      if (Object.hasOwn(body, 'commandId')) throw forbiddenFields(['commandId'], 'a widget');
    },
    handler(call) {
      const { body, caller } = call;
      agents.leaseWatch.enter(caller.tokenId);
      if (body.runId === undefined) {
        refuseFields(body, WRITING, 'goes with a runId');
        return open(agents, call);
      }
      refuseFields(body, OPENING, 'goes with a new run alone');
      const isCancel = body.state === 'cancelled' && WRITING.every((one) => !(one in body));
      return caller.capability === 'project:owner' && isCancel
        ? cancel(agents, call, body.runId)
        : write(agents, call, body.runId);
    },
  });
}

function refuseFields(
  body: RunStateInput,
  names: readonly (keyof RunStateInput)[],
  why: string,
): void {
  for (const name of names) if (body[name] !== undefined) throw invalid(`/${name}`, why);
}

function open(agents: Agents, call: StateCall): Promise<Reply> {
  const { body, caller, now } = call;
  const { projectId } = caller;
  const { commandId } = body;
  const work = async (tx: Tx, command: TestCommandRow | undefined, pinned: Pinned) => {
    const { run, lease } = await openRun(tx, {
      projectId,
      name: body.name,
      command,
      pinned,
      agent: body.agent ? { name: body.agent.name, version: body.agent.version ?? null } : null,
      state: body.state ?? 'running',
      progress: progressOf(body.progress) ?? null,
      message: body.message ?? null,
      leaseMs: body.leaseMs ?? DEFAULT_LEASE_MS,
      fromWidget: isWidget(caller),
      actor: actorOf(caller),
      now,
    });
    tx.afterCommit(() => agents.runEvents.changed(projectId));
    const view = { ...shown(call, { run, lease: lease.row }), lease: leaseView(lease) };
    const options = isWidget(caller) ? {} : { etag: etagOf(run.version, JSON.stringify(view)) };
    return created(view, `/api/run-state?runId=${run.id}`, options);
  };
  if (commandId === undefined) {
    return call.write(async (tx) => {
      const { revision } = await getProject(tx, projectId);
      const clock = await overlayClock(tx, projectId);
      return work(tx, undefined, { revision, overlayClock: clock, pins: {} });
    });
  }
  return writeOnGraph(agents, projectId, call.write, async (tx, graph) => {
    const command = await namedCommand(tx, { projectId, now }, commandId, '/commandId');
    const storyIds = command.storyIds;
    return work(tx, command, pinStories(graph, storyIds));
  });
}

async function write(agents: Agents, call: StateCall, runId: string): Promise<Reply> {
  const { body, caller, now } = call;
  const { attempt, lease, seq, state } = body;
  if (attempt === undefined) throw invalid('/attempt', 'is required');
  if (lease === undefined) throw invalid('/lease', 'is required');
  if (seq === undefined) throw invalid('/seq', 'is required');
  const { projectId, tokenId } = caller;
  const { message, progress } = await masked(agents, body, lease.id);
  const claim = { projectId, tokenId, runId, attempt, lease };
  return call.write(async (tx) => {
    const written = await writeRun(tx, { ...claim, seq, state, progress, message, now });
    if (written.changed) tx.afterCommit(() => agents.runEvents.changed(projectId));
    agents.leaseWatch.report(tx, written.lost);
    return answered(call, written);
  });
}

/** What is written to a run, without the values that were issued under its lease. */
async function masked(
  agents: Agents,
  { message, progress: sent }: RunStateInput,
  leaseId: string,
): Promise<Pick<RunWrite, 'message' | 'progress'>> {
  const progress = progressOf(sent);
  if (!message && !progress?.current) return { message, progress };
  const mask = (await leasedValues(agents, { leaseId }))?.mask;
  if (!mask) return { message, progress };
  const current = progress?.current ? mask.text(progress.current) : null;
  return {
    message: message ? mask.text(message) : message,
    progress: progress && { ...progress, current },
  };
}

function cancel(agents: Agents, call: StateCall, runId: string): Promise<Reply> {
  const { body, caller, now } = call;
  const { projectId } = caller;
  refuseFields(body, ['progress', 'message'], 'goes with a lease');
  return call.write(async (tx) => {
    const cancelled = await cancelRun(tx, { projectId, runId, now });
    tx.afterCommit(() => agents.runEvents.changed(projectId));
    agents.leaseWatch.report(tx, cancelled.lost);
    return answered(call, cancelled);
  });
}

function answered(call: StateCall, leased: LeasedRun): Reply {
  const text = JSON.stringify(shown(call, leased));
  return isWidget(call.caller)
    ? { status: 200, text }
    : { status: 200, text, etag: etagOf(leased.run.version, text) };
}

/** A widget reads back what it sent, and what it must know to go on. */
function shown({ body, caller }: StateCall, { run, lease }: LeasedRun) {
  const view = runStateView(run, lease);
  if (!isWidget(caller)) return view;
  const { runId, attempt, seq, state, leaseExpiresAt, renewAfterMs, cancelRequested } = view;
  const { lease: _, ...sent } = body;
  return { ...sent, runId, attempt, seq, state, leaseExpiresAt, renewAfterMs, cancelRequested };
}

type ReadCall = Call<RunStateFilters, undefined>;

export function readRunState(agents: Agents) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).RUN_STATE_DOCS.read,
    query: RunStateQuery,
    handler(call): Reply | Response | Promise<Reply> {
      if (wantsEvents(call.request)) return openEvents(agents, call);
      const { runId, view } = call.query;
      if (runId !== undefined) return readRun(agents, call, runId);
      return view === undefined ? readRuns(agents, call) : readView(agents, call, view);
    },
  });
}

async function readRun({ database }: Agents, { caller }: ReadCall, runId: string): Promise<Reply> {
  const found = await findRun(database.read, caller.projectId, runId);
  if (!found) throw notFound('run');
  const text = JSON.stringify(runStateView(found.run, found.lease));
  return { status: 200, text, etag: etagOf(found.run.version, text) };
}

async function readRuns(
  { database }: Agents,
  { query, caller, request }: ReadCall,
): Promise<Reply> {
  const filters = filterHash('getRunState', query);
  const after = decodeCursor(filters, query.cursor);
  const limit = query.limit ?? PAGE_DEFAULT;
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

async function readView(
  { database }: Agents,
  { query, caller, request }: ReadCall,
  view: 'plans' | 'suites',
): Promise<Reply> {
  const { read } = database;
  const { projectId } = caller;
  const { view: _view, planId, limit = PAGE_DEFAULT, cursor, ...others } = query;
  const [other] = Object.keys(others);
  if (other) throw invalid(`/${other}`, `does not go with view=${view}`);
  if (planId && (view === 'suites' || planId.length > 1))
    throw invalid('/planId', 'may be given once, with view=plans');
  if (planId) {
    if (query.limit !== undefined) throw invalid('/limit', 'does not go with one plan');
    if (cursor !== undefined) throw invalid('/cursor', 'does not go with one plan');
    const plan = await readPlan(read, projectId, planId[0] ?? '');
    if (!plan) throw notFound('plan');
    return ok(plan);
  }
  const filters = filterHash('getRunState', query);
  const after = decodeCursor(filters, cursor);
  const page =
    view === 'plans'
      ? pageOf(
          await listPlans(read, projectId, after, limit),
          limit,
          filters,
          ({ seq }) => seq,
          planProgressView,
        )
      : pageOf(
          await listSuites(read, projectId, after, limit),
          limit,
          filters,
          ({ suite }) => suite.seq,
          suiteProgressView,
        );
  return ok(page, { headers: nextLink(request, page) });
}

function openEvents(agents: Agents, { query, caller, request, requestId }: ReadCall): Response {
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
