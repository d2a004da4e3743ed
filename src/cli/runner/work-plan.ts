// Claims suites from a plan and works them, one after the other, until none is left; first of all the
// one that an earlier agent was ended in.
import { CommandFailed } from '../command.ts';
import { askForPlan, claimBody, claimSuite, type Selection } from './claims.ts';
import { commandIdOf } from './commands.ts';
import type { Heartbeat } from './heartbeat-thread.ts';
import { holdSuite } from './held-suite.ts';
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
 * @throws CommandFailed where the server refuses; Unreachable; Stopped
 */
export async function workUntilDone(agent: Agent): Promise<void> {
  if (await workPlan(agent)) await agent.stateFile.remove();
}

/** Gives whether nothing is left that another agent could go on with in this folder. */
async function workPlan(agent: Agent): Promise<boolean> {
  const { stopping, output, once, stateFile } = agent;
  const earlier = await takeUp(agent);
  if (earlier.type !== 'fresh') return earlier.type === 'done';
  const { state } = earlier;
  let next = await firstClaim(agent, state);
  let isWaiting = false;
  while (next !== undefined && !stopping.soft.aborted) {
    state.claim = { key: crypto.randomUUID(), body: next };
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
      if (!(await workClaimed(suite, claimedAt, state, agent))) return false;
      if (once) break;
      next = suite.planId === null ? undefined : bodyFor({ planId: suite.planId }, agent);
      continue;
    }
    await forget(agent, state);
    if (claimed.done || once) break;
    if (!isWaiting) output.notice('waiting', 'other agents hold what is left: waiting for it');
    isWaiting = true;
    await pause(claimed.retryAfterMs, stopping.soft).catch(() => {});
  }
  return true;
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
  const figure = `${items.length} ${items.length === 1 ? 'item' : 'items'}`;
  agent.output.notice('claimed', `suite ${id}: ${figure}`, told);
  const isDone = await workSuite(holdSuite(suite, state, claimedAt, agent), agent);
  if (isDone) await forget(agent, state);
  else agent.output.notice('left', LEFT);
  return isDone;
}

const LEFT =
  'items are left: an agent in this folder goes on with them, any other when their lease has run out';

/** A suite that is done, or was none, is not gone on with. */
async function forget({ stateFile }: Agent, state: AgentState): Promise<void> {
  Object.assign(state, { claim: null, suite: null, hasCredentials: false, steps: {} });
  await stateFile.write(state);
  await stateFile.removeRuns();
}

async function firstClaim(agent: Agent, { planId }: AgentState): Promise<object | undefined> {
  const { selection, send, output } = agent;
  if (planId !== null) return bodyFor({ planId }, agent);
  if (selection.type === 'plan') return bodyFor({ planId: selection.planId }, agent);
  if (selection.type === 'commands') {
    const commandIds: string[] = [];
    for (const name of selection.commands)
      commandIds.push(await commandIdOf(send, awhile(agent), name));
    return bodyFor({ commandIds }, agent);
  }
  const asked = await askForPlan(send, awhile(agent), selection.strategy);
  if (asked === undefined)
    output.notice('empty', 'the project has no test commands to plan: POST /api/test-commands');
  return asked === undefined ? undefined : bodyFor({ planId: asked }, agent);
}

function bodyFor(of: { planId: string } | { commandIds: string[] }, agent: Agent): object {
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
