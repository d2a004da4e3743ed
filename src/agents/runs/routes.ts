// The route by which the state of runs is written: an agent opens a run of its own, writes to those
// it holds, and an owner cancels any.

import { actorOf, type Caller, forbiddenFields } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import { jsonBody } from '../../http/api/body.ts';
import { type Call, endpoint } from '../../http/api/endpoint.ts';
import { created, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { overlayClock } from '../../requirements/overlay/changes.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import type { Db } from '../../store/database.ts';
import type { LeaseRow } from '../../store/tables/agents.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import type { Agents } from '../agents.ts';
import { namedCommand } from '../commands/named-commands.ts';
import { maskOfLease } from '../credentials/mask-of-lease.ts';
import { type Pinned, pinStories, writeOnGraph } from '../suites/claim-on-graph.ts';
import { LEASE_MS_USUAL, leaseView, type OpenedLease } from '../suites/leases.ts';
import type { LostLease } from '../suites/lose-leases.ts';
import { cancelRun } from './cancel.ts';
import { forgetHeld, StaleRow } from './kept-runs.ts';
import { OPENING, progressOf, RunStateBody, type RunStateInput, WRITING } from './model.ts';
import { openRun } from './open.ts';
import type { HeldRun } from './rows.ts';
import { runStateView } from './view.ts';
import { type RunWrite, writeRun } from './write.ts';

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
      agents.leaseWatch.catchUp();
      if (body.runId === undefined) return open(agents, call);
      for (const name of OPENING)
        if (body[name] !== undefined) throw invalid(`/${name}`, 'goes with a new run alone');
      const isCancel = body.state === 'cancelled' && WRITING.every((one) => !(one in body));
      return caller.capability === 'project:owner' && isCancel
        ? cancel(agents, call, body.runId)
        : write(agents, call, body.runId);
    },
  });
}

async function open(agents: Agents, call: StateCall): Promise<Reply> {
  const { body, caller } = call;
  for (const name of WRITING)
    if (body[name] !== undefined) throw invalid(`/${name}`, 'goes with a runId');
  let opened: OpenedLease | undefined;
  const { commandId } = body;
  const work = async (db: Db, commandAndPins: CommandAndPins): Promise<Reply> => {
    const { run, lease } = await openRun(db, {
      projectId: caller.projectId,
      name: body.name,
      ...commandAndPins,
      agent: body.agent ? { name: body.agent.name, version: body.agent.version ?? null } : null,
      state: body.state ?? 'running',
      progress: progressOf(body.progress) ?? null,
      message: body.message ?? null,
      leaseMs: body.leaseMs ?? LEASE_MS_USUAL,
      fromWidget: isWidget(caller),
      actor: actorOf(caller),
      now: call.now,
    });
    opened = lease;
    const view = { ...shown(call, { run, lease: lease.row }), lease: leaseView(lease) };
    const options = isWidget(caller) ? {} : { etag: etagOf(run.version, JSON.stringify(view)) };
    return created(view, `/api/run-state?runId=${run.id}`, options);
  };
  const reply =
    commandId === undefined
      ? await call.write(async (db) => work(db, await unpinned(db, caller)))
      : await writeOnGraph(agents, call, async (db, graph) => {
          const naming = { projectId: caller.projectId, now: call.now };
          const command = await namedCommand(db, naming, commandId, '/commandId');
          const storyIds = JSON.parse(command.storyIds) as string[];
          return work(db, { command, pinned: pinStories(graph, storyIds) });
        });
  if (opened) agents.leaseWatch.opened(opened.row);
  agents.runEvents.changed(caller.projectId);
  return reply;
}

interface CommandAndPins {
  command: TestCommandRow | undefined;
  pinned: Pinned;
}

/** A run of no command pins no story. */
async function unpinned(db: Db, { projectId }: Caller): Promise<CommandAndPins> {
  const { revision } = await getProject(db, projectId);
  const clock = await overlayClock(db, projectId);
  return { command: undefined, pinned: { revision, overlayClock: clock, pins: '{}' } };
}

async function write(agents: Agents, call: StateCall, runId: string): Promise<Reply> {
  const { body, caller, now } = call;
  const { attempt, lease, seq } = body;
  if (attempt === undefined) throw invalid('/attempt', 'is required');
  if (lease === undefined) throw invalid('/lease', 'is required');
  if (seq === undefined) throw invalid('/seq', 'is required');
  const { projectId, tokenId } = caller;
  const { state } = body;
  const { message, progress } = await withoutSecrets(agents, body, lease.id);
  let lost: LostLease[] = [];
  let changed = false;
  let revived: LeaseRow | undefined;
  let undo = (): void => {};
  const work = (fresh: boolean) =>
    call.write(async (db) => {
      undo = () => forgetHeld(db, runId, lease.id);
      const claim = { projectId, tokenId, runId, attempt, lease };
      const written = await writeRun(db, { ...claim, seq, state, progress, message, fresh, now });
      ({ lost, changed } = written);
      revived = written.revived ? written.lease : undefined;
      return answered(call, written);
    });
  const reply = await work(false).catch((error) => {
    // What was kept of it may have been undone.
    undo();
    if (error instanceof StaleRow) return work(true);
    throw error;
  });
  if (revived) agents.leaseWatch.opened(revived);
  if (changed) agents.runEvents.changed(projectId);
  if (lost.length > 0) agents.leaseWatch.tell(lost);
  return reply;
}

/** What is told of a run, without what was handed out under its lease. */
async function withoutSecrets(
  agents: Agents,
  { message, progress: sent }: RunStateInput,
  leaseId: string,
): Promise<Pick<RunWrite, 'message' | 'progress'>> {
  const progress = progressOf(sent);
  const mask = message || progress?.current ? await maskOfLease(agents, leaseId) : undefined;
  if (!mask) return { message, progress };
  const current = progress?.current ? mask.text(progress.current) : null;
  return {
    message: message ? mask.text(message) : message,
    progress: progress && { ...progress, current },
  };
}

async function cancel(agents: Agents, call: StateCall, runId: string): Promise<Reply> {
  const { body, caller, now } = call;
  for (const name of ['progress', 'message'] as const)
    if (body[name] !== undefined) throw invalid(`/${name}`, 'goes with a lease');
  let lost: LostLease[] = [];
  const reply = await call.write(async (db) => {
    const cancelled = await cancelRun(db, { projectId: caller.projectId, runId, now });
    lost = cancelled.lost;
    return answered(call, cancelled);
  });
  agents.runEvents.changed(caller.projectId);
  agents.leaseWatch.tell(lost);
  return reply;
}

function answered(call: StateCall, held: HeldRun): Reply {
  const text = JSON.stringify(shown(call, held));
  return isWidget(call.caller)
    ? { status: 200, text }
    : { status: 200, text, etag: etagOf(held.run.version, text) };
}

/** A widget reads back what it sent, and what it must know to go on. */
function shown({ body, caller }: StateCall, { run, lease }: HeldRun) {
  const view = runStateView(run, lease);
  if (!isWidget(caller)) return view;
  const { runId, attempt, seq, state, leaseExpiresAt, renewAfterMs, cancelRequested } = view;
  const { lease: _, ...sent } = body;
  return { ...sent, runId, attempt, seq, state, leaseExpiresAt, renewAfterMs, cancelRequested };
}
