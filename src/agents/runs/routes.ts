// The route that writes the state of runs: an agent opens a run of its own and writes to those it
// holds, an owner cancels any.

import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { actorOf, type Caller, forbiddenFields } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, made } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { overlayClock } from '../../requirements/overlay/changes.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import type { Tx } from '../../store/database.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import type { Agents } from '../agents.ts';
import { namedCommand } from '../commands/named-commands.ts';
import { leasedValues } from '../credentials/leases.ts';
import { requireCurrent, withGraph } from '../suites/claim.ts';
import type { Pinned } from '../suites/items.ts';
import { pinStories } from '../suites/items.ts';
import { DEFAULT_LEASE_MS, leaseView } from '../suites/leases.ts';
import { RUN_STATE_DOCS } from './docs.ts';
import { cancelRun } from './end.ts';
import {
  OPENING,
  OpenedRunState,
  progressOf,
  RunState,
  RunStateBody,
  type RunStateInput,
  type RunStateView,
  WRITING,
} from './model.ts';
import type { LeasedRun } from './rows.ts';
import { runStateView } from './view.ts';
import { openRun, type RunWrite, writeRun } from './write.ts';

export const runStateRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'run-states', prefix: '/run-state' }).use(api(agents)).post(
    '',
    ({ body, caller, now, write }) => {
      const call = { body, caller, now, write };
      agents.leaseWatch.enter(caller.tokenId);
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
        docs: RUN_STATE_DOCS.submit,
        slots: 'heartbeats',
        authorizeBody: refuseCommandOfWidget,
      },
      query: noQuery,
      body: jsonBody(RunStateBody),
      response: answers({ 200: RunState, 201: OpenedRunState }),
    },
  );

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
    const text = JSON.stringify(view);
    const options = isWidget(caller) ? {} : { etag: etagOf(run.version, text) };
    return made<Static<typeof OpenedRunState>, 201>({
      ...options,
      status: 201,
      text,
      headers: { Location: `/api/run-state?runId=${run.id}` },
    });
  };
  if (commandId === undefined) {
    return write(async (tx) => {
      const { revision } = await getProject(tx, projectId);
      const clock = await overlayClock(tx, projectId);
      return work(tx, undefined, { revision, overlayClock: clock, pins: {} });
    });
  }
  return withGraph(agents, projectId, (graph) =>
    write(async (tx) => {
      await requireCurrent(tx, graph);
      const command = await namedCommand(tx, projectId, commandId, '/commandId');
      return work(tx, command, pinStories(graph, command.storyIds));
    }),
  );
}

async function writeState(agents: Agents, call: StateCall, runId: string) {
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

function cancel(agents: Agents, call: StateCall, runId: string) {
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

function answered(call: StateCall, leased: LeasedRun) {
  const text = JSON.stringify(shown(call, leased));
  const options = isWidget(call.caller) ? {} : { etag: etagOf(leased.run.version, text) };
  return made<RunStateView>({ ...options, text });
}

/** A widget reads back what it sent, and what it must know to go on. */
function shown({ body, caller }: StateCall, { run, lease }: LeasedRun) {
  const view = runStateView(run, lease);
  if (!isWidget(caller)) return view;
  const { runId, attempt, seq, state, leaseExpiresAt, renewAfterMs, cancelRequested } = view;
  const { lease: _, ...sent } = body;
  return { ...sent, runId, attempt, seq, state, leaseExpiresAt, renewAfterMs, cancelRequested };
}
