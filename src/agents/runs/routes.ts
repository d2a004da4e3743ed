// The route that writes the state of runs: an agent opens a run of its own and writes to those it
// holds, an owner cancels any.

import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { type Caller, forbiddenFields } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import { api, type Call } from '../../http/api/api.ts';
import { jsonBody } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery } from '../../http/api/query.ts';
import { answers, made } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import type { Agents } from '../agents.ts';
import { namedCommand } from '../commands/named-commands.ts';
import { leasedValues } from '../credentials/leases.ts';
import { itemOfCommand, pinStories, requireCurrent, withGraph } from '../suites/claim.ts';
import { DEFAULT_LEASE_MS, leaseView } from '../suites/leases.ts';
import { SUBMIT_RUN_STATE_DOCS } from './docs.ts';
import { cancelRun } from './end.ts';
import {
  OpenedRunState,
  RunState,
  RunStateBody,
  type RunStateInput,
  type RunStateView,
  runStateView,
} from './model.ts';
import type { LeasedRun } from './rows.ts';
import { openRun, writeRun } from './write.ts';

const OPENING = ['name', 'commandId', 'agent', 'leaseMs'] as const;
const WRITING = ['attempt', 'lease', 'seq'] as const;

export const runStateRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'run-states', prefix: '/run-state' }).use(api(agents)).post(
    '',
    (call) => {
      const { body, caller } = call;
      agents.leaseWatch.enter();
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
        docs: SUBMIT_RUN_STATE_DOCS,
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
  const { agent, commandId, name } = body;
  return withGraph(agents, projectId, (graph) =>
    write(async (tx) => {
      await requireCurrent(tx, graph);
      const command =
        commandId === undefined
          ? undefined
          : await namedCommand(tx, projectId, commandId, '/commandId');
      const { run, lease } = await openRun(
        tx,
        {
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
        },
        body.leaseMs ?? DEFAULT_LEASE_MS,
      );
      tx.afterCommit(() => agents.runEvents.changed(projectId));
      const view = { ...shownTo(call, { run, lease: lease.row }), lease: leaseView(lease) };
      return made<Static<typeof OpenedRunState>, 201>({
        ...textOf(call, run.version, view),
        status: 201,
        headers: { Location: `/api/run-state?runId=${run.id}` },
      });
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
  const said = await masked(agents, body, lease.id);
  return call.write(async (tx) => {
    const claim = { projectId, tokenId, runId, attempt, lease };
    const written = await writeRun(tx, { ...claim, ...said, seq, state, now });
    if (written.changed) tx.afterCommit(() => agents.runEvents.changed(projectId));
    agents.leaseWatch.report(tx, written.lost);
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

/** Progress with all its fields; what is not given is null. */
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
    agents.leaseWatch.report(tx, cancelled.lost);
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
