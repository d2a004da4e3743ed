// The routes of the state of runs: an agent opens a run of its own and writes to those it holds, an owner
// cancels any; whoever may read gets one, lists, plans, suites, or the changes as they happen.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { type Caller, forbiddenFields } from '../../access/caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { eventStream, LAST_EVENT_ID, wantsStream } from '../../http/api/event-stream.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, made, nextLink, ok } from '../../http/api/reply.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { runIdOf } from '../../quality/runs/model.ts';
import type { RunStateRow } from '../../store/tables/agents.ts';
import type { Agents } from '../agents.ts';
import { namedCommand } from '../commands/commands.ts';
import { leasedValues } from '../credentials.ts';
import { itemOfCommand, pinStories, writeOnGraph } from '../suites/claim.ts';
import { DEFAULT_LEASE_MS, leaseView } from '../suites/leases.ts';
import { aboutRuns, listAgents } from './agents.ts';
import { cancelRun } from './end.ts';
import { listPlans, listRunStates, listSuites } from './lists.ts';
import {
  OpenedRunState,
  PlanProgress,
  PlanProgressPage,
  RunState,
  RunStateBody,
  type RunStateFilters,
  type RunStateInput,
  RunStatePage,
  RunStateQuery,
  type RunStateView,
  runStateView,
  SeenAgentPage,
  SuiteProgress,
  SuiteProgressPage,
} from './model.ts';
import { findRun, type LeasedRun } from './rows.ts';
import { openRun, writeRun } from './write.ts';

const READ_DOCS: OperationDocs = {
  description:
    'The runs that were claimed or opened, the newest first; `view=agents` who claimed or wrote in the last day, with ' +
    'what each holds; `view=plans` and `view=suites` how far they are. With `Accept: text/event-stream` first, the changes as they happen: each event ' +
    '`run-state` has a run as data and the number of its change as `id`, and `Last-Event-ID` resumes behind one with the ' +
    'newest state of each run that has changed since.',
  parameters: [LAST_EVENT_ID],
  replies: {
    200: {
      description:
        'A page of runs, of plans, of suites or of agents; one run, plan or suite; or a stream',
      alsoAs: {
        'text/event-stream': 'id: 4711\nevent: run-state\ndata: {"runId":"run_01k4mz"}\n\n',
      },
      headers: ['Link', 'ETag'],
    },
  },
};

const SUBMIT_DOCS: OperationDocs = {
  description:
    'Without `runId` it opens a run of the caller. Writes to a run carry `attempt`, `lease` and a rising `seq`, and renew ' +
    'the lease, of a suite as a whole; a run of a suite passes or fails through `POST /test-runs` alone, and one that was ' +
    '`lost` is `running` again with the next write while its item is not claimed again and has not ended. An owner cancels ' +
    'any run with `runId` and `state: "cancelled"` alone: the agent of one that is held learns it from `cancelRequested`.',
  bodyExample: {
    runId: 'run_01k4mz5f7tk6mwx3n4p8q9r0vw',
    attempt: 1,
    lease: {
      id: 'lse_01k4mz5f7tk6mwx3n4p8q9r0w0',
      token: '0c8x5n2v7q1z4m9r3t6w8y0b2d4f6h8j1k3n5q7s9v1x3z5b7d9g',
    },
    seq: 2,
    state: 'running',
    progress: { done: 12, total: 40, current: 'pays by card' },
  },
  replies: {
    200: { description: 'The run as it is now', headers: ['ETag'] },
    201: { description: 'The run that was opened, with its lease', headers: ['ETag'] },
  },
  problems: ['not_found', 'conflict', 'illegal_transition', 'lease_expired', 'stale_sequence'],
};

const OPENING = ['name', 'commandId', 'agent', 'leaseMs'] as const;
const WRITING = ['attempt', 'lease', 'seq'] as const;

export const runStateRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'run-states', prefix: '/run-state' })
    .use(api(agents))
    .get(
      '',
      ({ query, caller, request, requestId, now }) => {
        const call = { query, caller, request, requestId, now };
        if (wantsStream(request)) return openEvents(agents, call);
        const { view, id } = query;
        if (view === 'agents') return readAgents(agents, call);
        if ((view === 'plans' || view === 'suites') && id !== undefined)
          return readOne(agents, call, id);
        const runId = runIdOf(query);
        if (runId !== undefined) return readRun(agents, call, runId);
        return readPage(agents, call);
      },
      {
        operation: { id: 'getRunState', docs: READ_DOCS },
        query: queryOf(RunStateQuery),
        response: answers({
          200: Type.Union([
            RunStatePage,
            RunState,
            PlanProgressPage,
            PlanProgress,
            SuiteProgressPage,
            SuiteProgress,
            SeenAgentPage,
          ]),
        }),
      },
    )
    .post(
      '',
      ({ body, caller, now, write }) => {
        const call = { body, caller, now, write };
        if (body.runId === undefined) {
          refuseFields(body, WRITING, 'goes with a runId');
          return open(agents, call);
        }
        refuseFields(body, OPENING, 'goes with a new run alone');
        const isCancel = body.state === 'cancelled' && WRITING.every((one) => !(one in body));
        return caller.capability === 'project:owner' && isCancel
          ? cancel(agents, call, body.runId)
          : writeState(agents, call, body.runId);
      },
      {
        operation: {
          id: 'submitRunState',
          docs: SUBMIT_DOCS,
          slots: 'heartbeats',
          authorizeBody: refuseCommandOfWidget,
        },
        query: noQuery,
        body: jsonBody(RunStateBody),
        response: answers({ 200: RunState, 201: OpenedRunState }),
      },
    );

type ReadCall = Pick<Call, 'caller' | 'request' | 'requestId' | 'now'> & { query: RunStateFilters };

async function readRun({ database }: Agents, { caller }: ReadCall, runId: string) {
  const found = await findRun(database.read, caller.projectId, runId);
  if (!found) throw notFound('run');
  const text = JSON.stringify(runStateView(found.run, found.lease));
  return made<RunStateView>({ text, etag: etagOf(found.run.version, text) });
}

async function readOne({ database }: Agents, { query, caller }: ReadCall, id: string) {
  refuseOthers(query, ['view', 'id']);
  const list = query.view === 'plans' ? listPlans : listSuites;
  const [found] = await list(database.read, caller.projectId, undefined, 1, id);
  if (!found) throw notFound(query.view === 'plans' ? 'plan' : 'suite');
  return ok(found.view);
}

async function readAgents(agents: Agents, { query, caller, now }: ReadCall) {
  refuseOthers(query, ['view']);
  return ok({ items: await listAgents(agents, caller.projectId, now), nextCursor: null });
}

async function readPage(agents: Agents, { query, caller, request }: ReadCall) {
  const { view, cursor, limit = PAGE_DEFAULT } = query;
  const { projectId } = caller;
  const { read } = agents.database;
  const filters = filterHash('getRunState', query);
  const after = decodeCursor(filters, cursor);
  if (view !== undefined) refuseOthers(query, ['view', 'limit', 'cursor']);
  if (view === 'plans') return answer(await listPlans(read, projectId, after, limit));
  if (view === 'suites') return answer(await listSuites(read, projectId, after, limit));
  const rows = await listRunStates(read, projectId, query, after, limit);
  const aboutOf = await aboutRuns(agents, projectId, rows);
  return answer(
    rows.map(({ run, lease }) => {
      return { seq: run.seq, view: { ...runStateView(run, lease), ...aboutOf(run) } };
    }),
  );

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

function openEvents(agents: Served<Agents>, call: ReadCall): Response {
  for (const name of ['view', 'limit', 'cursor'] as const)
    if (call.query[name] !== undefined) throw invalid(`/${name}`, 'does not go with a stream');
  return eventStream(agents, call, agents.runEvents, wantedBy(call.query));
}

function wantedBy(query: RunStateFilters): ((run: RunStateRow) => boolean) | undefined {
  const { state, suiteId, planId, commandId } = query;
  const runId = runIdOf(query);
  const id = runId === undefined ? undefined : [runId];
  const filters: Record<string, string[] | undefined> = { id, state, suiteId, planId, commandId };
  const given = Object.entries(filters).filter(([, values]) => values !== undefined);
  if (given.length === 0) return undefined;
  return (run) =>
    given.every(([name, values]) => values?.includes(String(run[name as keyof RunStateRow])));
}

type StateCall = Pick<Call, 'caller' | 'now' | 'write'> & { body: RunStateInput };

const isWidget = ({ capability }: Caller) => capability === 'widget:write';

function refuseCommandOfWidget(body: unknown, caller: Caller): void {
  if (!isWidget(caller) || typeof body !== 'object' || body === null) return;
  if (Object.hasOwn(body, 'commandId')) throw forbiddenFields(['commandId'], 'a widget');
}

function refuseFields(
  body: RunStateInput,
  names: readonly (keyof RunStateInput)[],
  why: string,
): void {
  for (const name of names) if (body[name] !== undefined) throw invalid(`/${name}`, why);
}

function open(agents: Agents, call: StateCall) {
  const { body, caller, now, write } = call;
  const { projectId } = caller;
  const { agent, commandId, name } = body;
  return writeOnGraph(agents, projectId, write<OpenedReply>, async (tx, graph) => {
    const command =
      commandId === undefined
        ? undefined
        : await namedCommand(tx, projectId, commandId, '/commandId');
    const opening = {
      ...pinStories(graph, command?.storyIds ?? []),
      projectId,
      commandId: command?.id ?? null,
      item: command
        ? { ...itemOfCommand(command), name: name ?? command.name }
        : { name: name ?? null },
      agent: agent ? { name: agent.name, version: agent.version ?? null } : null,
      state: body.state ?? 'running',
      progress: progressOf(body.progress) ?? null,
      message: body.message ?? null,
      fromWidget: isWidget(caller),
      heartbeatAt: now,
      authorToken: caller.tokenId,
      authorLabel: caller.label,
      createdAt: now,
    };
    const { run, lease } = await openRun(tx, opening, body.leaseMs ?? DEFAULT_LEASE_MS);
    tx.afterCommit(() => agents.runEvents.changed(projectId));
    const view = { ...shownTo(call, { run, lease: lease.row }), lease: leaseView(lease) };
    return made<Static<typeof OpenedRunState>, 201>({
      ...textOf(call, run.version, view),
      status: 201,
      headers: { Location: `/api/run-state?runId=${run.id}` },
    });
  });
}

type OpenedReply = ReturnType<typeof made<Static<typeof OpenedRunState>, 201>>;

async function writeState(agents: Agents, call: StateCall, runId: string) {
  const { body, caller, now } = call;
  const { attempt, lease, seq, state } = body;
  if (attempt === undefined) throw invalid('/attempt', 'is required');
  if (lease === undefined) throw invalid('/lease', 'is required');
  if (seq === undefined) throw invalid('/seq', 'is required');
  const { projectId, tokenId } = caller;
  const said = await masked(agents, body, lease.id);
  return call.write(async (tx) => {
    const claim = { projectId, tokenId, runId, attempt, lease };
    const written = await writeRun(tx, { ...claim, ...said, seq, state, now });
    if (written.changed) tx.afterCommit(() => agents.runEvents.changed(projectId));
    return answered(call, written);
  });
}

async function masked(agents: Agents, { message, ...body }: RunStateInput, leaseId: string) {
  const progress = progressOf(body.progress);
  if (!message && !progress?.current) return { message, progress };
  const mask = (await leasedValues(agents, { leaseId }))?.mask;
  const text = (said: string | null) => (said && mask ? mask.text(said) : said);
  return {
    message: message && text(message),
    progress: progress && { ...progress, current: text(progress.current) },
  };
}

function progressOf(sent: RunStateInput['progress']) {
  return sent && { done: null, total: null, current: null, ...sent };
}

function cancel(agents: Agents, call: StateCall, runId: string) {
  const { body, caller, now } = call;
  const { projectId } = caller;
  refuseFields(body, ['progress', 'message'], 'goes with a lease');
  return call.write(async (tx) => {
    const cancelled = await cancelRun(tx, { projectId, runId, now });
    tx.afterCommit(() => agents.runEvents.changed(projectId));
    return answered(call, cancelled);
  });
}

function answered(call: StateCall, leased: LeasedRun) {
  return made<RunStateView>(textOf(call, leased.run.version, shownTo(call, leased)));
}

function textOf({ caller }: StateCall, version: number, view: object) {
  const text = JSON.stringify(view);
  return isWidget(caller) ? { text } : { text, etag: etagOf(version, text) };
}

/** A widget reads back what it sent, and what it must know to go on. */
function shownTo({ body, caller }: StateCall, { run, lease }: LeasedRun) {
  const view = runStateView(run, lease);
  if (!isWidget(caller)) return view;
  const { runId, attempt, seq, state, leaseExpiresAt, renewAfterMs, cancelRequested } = view;
  const { lease: _, ...sent } = body;
  return { ...sent, runId, attempt, seq, state, leaseExpiresAt, renewAfterMs, cancelRequested };
}
