// Claims suites from a plan and works them, one after the other, until none is left; first of all the
// one that an earlier agent was ended in.
import { CommandFailed } from '../command.ts';
import { askForPlan, type ClaimedOf, claimBody, claimSuite, type Selection } from './claims.ts';
import { findCommand, whyNotRun } from './commands.ts';
import type { Heartbeat } from './heartbeat-thread.ts';
import { holdSuite } from './held-suite.ts';
import { leftOf, readProgress, whyNotPassed } from './plan-progress.ts';
import { endLeftBehind } from './resume.ts';
import { pause, type Retrying } from './retry.ts';
import type { AgentState } from './state-file.ts';
import type { AgentIdentity, Suite } from './suite.ts';
import { type Workshop, workSuite } from './work-suite.ts';

export interface AgentSettings {
  selection: Selection;
  agent: AgentIdentity;
  kinds: readonly string[];
  environment: string | undefined;
  maxItems: number;
  leaseMs: number | undefined;
  retryMs: number;
  once: boolean;
}

export interface Agent extends Workshop, AgentSettings {
  url: string;
  heartbeat: Heartbeat;
  retrying(until: () => number, signal?: AbortSignal): Retrying;
}

/**
 * Works until nothing is left, one suite is done where that is enough, or the agent is asked to end.
 *
 * @returns why not all that it was told to work on was run and passed, whoever ran it; undefined where
 *   it was, or where nobody asked for more than the items that this agent has counted
 * @throws CommandFailed where the server refuses; Unreachable; Stopped
 */
export async function workUntilDone(agent: Agent): Promise<string | undefined> {
  const { isHeld, why } = await workPlan(agent);
  if (!isHeld) await agent.stateFile.remove();
  return why;
}

interface WorkEnd {
  /** Whether another agent can go on with a suite in this folder. */
  isHeld: boolean;
  /** Why not all was run and passed, beside the items that were counted. */
  why?: string | undefined;
}

const HELD: WorkEnd = { isHeld: true, why: 'not all items were run: the agent was asked to end' };

async function workPlan(agent: Agent): Promise<WorkEnd> {
  const { stopping, output, once, stateFile } = agent;
  const earlier = await takeUp(agent);
  if (earlier.type === 'unfinished') return HELD;
  if (earlier.type === 'done') return { isHeld: false };
  const { state } = earlier;
  let next = await firstClaim(agent, state);
  let isWaiting = false;
  while (next !== undefined && !stopping.soft.aborted) {
    state.claim = { key: crypto.randomUUID(), body: bodyFor(next, agent) };
    await stateFile.write(state);
    const claimed = await claimSuite(agent.send, awhile(agent), state.claim).catch(
      async (error: unknown) => {
        // What the server refuses is not asked for again by the next agent.
        if (error instanceof CommandFailed) await forget(agent, state);
        throw error;
      },
    );
    if (claimed.type === 'suite') {
      const { suite, claimedAt } = claimed;
      isWaiting = false;
      if (!(await workClaimed(suite, claimedAt, state, agent))) return HELD;
      if (once) return { isHeld: false };
      next = suite.planId === null ? undefined : { planId: suite.planId };
      continue;
    }
    await forget(agent, state);
    if (claimed.planId !== undefined) next = { planId: claimed.planId };
    if (claimed.done) break;
    if (once) return { isHeld: false };
    if (!isWaiting) output.notice('waiting', 'other agents hold what is left: waiting for it');
    isWaiting = true;
    await pause(claimed.retryAfterMs, stopping.soft).catch(() => {});
  }
  return { isHeld: false, why: await whyNotWell(next, agent) };
}

/** Why what was claimed of is not well, now that no more is claimed of it; undefined where it is. */
async function whyNotWell(of: ClaimedOf | undefined, agent: Agent): Promise<string | undefined> {
  if (of === undefined) return undefined;
  if (!('planId' in of)) return HELD.why;
  const { send, retrying, retryMs, stopping, output } = agent;
  const isAsked = stopping.soft.aborted;
  const until = isAsked ? 0 : Date.now() + retryMs;
  const progress = await readProgress(
    send,
    retrying(() => until),
    of.planId,
  );
  const left = leftOf(progress);
  if (left > 0 && isAsked) return HELD.why;
  if (left > 0) output.notice('others', `left to agents of other kinds: ${figureOf(left)}`);
  return whyNotPassed(progress);
}

type Earlier = { type: 'fresh'; state: AgentState } | { type: 'done' } | { type: 'unfinished' };

/** Ends what an earlier agent left running, and works the suite that it held. */
async function takeUp(agent: Agent): Promise<Earlier> {
  const { stateFile, output, url, selection } = agent;
  const state = freshState(url, selection, agent.agent);
  const found = await stateFile.read();
  if (found === undefined) {
    await stateFile.removeRuns();
    return { type: 'fresh', state };
  }
  const left = await endLeftBehind(found, agent.killGraceMs);
  if (left > 0) output.notice('ended', 'what an earlier agent had left running was ended');
  if (found.url !== url) {
    output.notice('forgotten', `this folder held a suite of ${found.url}, which is left to lapse`);
    return { type: 'fresh', state };
  }
  const suite = await suiteOf(found, agent);
  if (suite !== undefined) {
    output.notice('resumed', `goes on with the suite ${suite.id}`, { suiteId: suite.id });
    if (!(await workClaimed(suite, Date.now(), found, agent))) return { type: 'unfinished' };
    if (agent.once) return { type: 'done' };
  }
  // A plan that was asked for is worked to its end before another is.
  if (found.selection === state.selection) state.planId = found.planId;
  return { type: 'fresh', state };
}

/** The suite that a state holds, with its credentials; undefined where there is none. */
async function suiteOf(state: AgentState, agent: Agent): Promise<Suite | undefined> {
  const { suite, hasCredentials, claim } = state;
  if (suite !== null && !hasCredentials) return { ...suite, credentials: {} };
  if (claim === null) return undefined;
  // Under its key the server answers as it did, or would have done.
  const claimed = await claimSuite(agent.send, awhile(agent), claim).catch((error: unknown) => {
    if (!(error instanceof CommandFailed)) throw error;
    agent.output.notice('forgotten', `the suite of an earlier agent is gone: ${error.message}`);
    return undefined;
  });
  if (claimed?.type === 'suite') return claimed.suite;
  if (suite === null) return undefined;
  // Without its credentials nothing is run any more; what has ended is submitted all the same.
  const items = suite.items.filter(({ runId }) => state.steps[runId]?.at === 'finished');
  return { ...suite, items, credentials: {} };
}

async function workClaimed(
  suite: Suite,
  claimedAt: number,
  state: AgentState,
  agent: Agent,
): Promise<boolean> {
  const { credentials, ...kept } = suite;
  state.hasCredentials = Object.keys(credentials).length > 0;
  state.suite = kept;
  state.planId = suite.planId;
  await agent.stateFile.write(state);
  const { id, planId, items } = suite;
  const told = { suiteId: id, planId, items: items.length };
  agent.output.notice('claimed', `suite ${id}: ${figureOf(items.length)}`, told);
  const isDone = await workSuite(holdSuite(suite, state, claimedAt, agent), agent);
  if (isDone) await forget(agent, state);
  else agent.output.notice('left', LEFT);
  return isDone;
}

const figureOf = (items: number) => `${items} ${items === 1 ? 'item' : 'items'}`;

const LEFT =
  'items are left: an agent in this folder goes on with them, any other when their lease has run out';

/** A suite that is done, or was none, is not gone on with. */
async function forget({ stateFile }: Agent, state: AgentState): Promise<void> {
  Object.assign(state, { claim: null, suite: null, hasCredentials: false, steps: {} });
  await stateFile.write(state);
  await stateFile.removeRuns();
}

async function firstClaim(agent: Agent, { planId }: AgentState): Promise<ClaimedOf | undefined> {
  const { selection, send, output } = agent;
  if (planId !== null) return { planId };
  if (selection.type === 'plan') return { planId: selection.planId };
  if (selection.type === 'commands')
    return { commandIds: await runnableIds(selection.commands, agent) };
  const asked = await askForPlan(send, awhile(agent), selection.strategy);
  if (asked === undefined)
    output.notice('empty', 'the project has no test commands to plan: POST /api/test-commands');
  return asked === undefined ? undefined : { planId: asked };
}

/** @throws CommandFailed where one of them is not there, or would not be run */
async function runnableIds(names: readonly string[], agent: Agent): Promise<string[]> {
  const ids = new Set<string>();
  const whys = new Set<string>();
  for (const name of names) {
    const command = await findCommand(agent.send, awhile(agent), name);
    ids.add(command.id);
    const why = whyNotRun(command, agent.kinds);
    if (why !== undefined) whys.add(why);
  }
  if (whys.size > 0) throw new CommandFailed(`nothing was run: ${[...whys].join('; ')}`);
  return [...ids];
}

function bodyFor(of: ClaimedOf, agent: Agent): object {
  const { maxItems, leaseMs, kinds } = agent;
  return claimBody(of, { agent: { ...agent.agent, kinds }, maxItems, leaseMs });
}

/** Tries for a while; nothing is held yet that would be lost by giving up when asked to end. */
function awhile({ retrying, retryMs, stopping }: Agent): Retrying {
  const until = Date.now() + retryMs;
  return retrying(() => until, stopping.soft);
}

function freshState(url: string, selection: Selection, agent: AgentIdentity): AgentState {
  return {
    ...{ format: 1, url, selection: JSON.stringify(selection), planId: null, agent },
    ...{ claim: null, suite: null, hasCredentials: false, steps: {} },
  };
}
