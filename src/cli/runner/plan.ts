// Claims suites from a plan and works them, one after the other, until none is left; first of all the
// one that an earlier agent was ended in.
import { CommandFailed, UsageError } from '../command.ts';
import { pause, type Retrying } from './api.ts';
import { endLeftBehind, type Worker, workSuite } from './items.ts';
import type { AgentState } from './state-file.ts';
import {
  askForPlan,
  type ClaimSource,
  claimSuite,
  findCommand,
  readProgress,
  type Suite,
} from './suite.ts';

export type Selection =
  | { type: 'plan'; planId: string }
  | { type: 'commands'; commands: string[] }
  | { type: 'strategy'; strategy: string };

export interface Agent extends Worker {
  url: string;
  selection: Selection;
  maxItems: number;
  leaseMs: number | undefined;
  once: boolean;
}

/**
 * Reads what to work on from the options: one of the three, and `risk` where there is none.
 *
 * @throws UsageError for more than one, or a strategy that there is not
 */
export function readSelection(
  given: { plan: string | undefined; commands: string | undefined; strategy: string | undefined },
  strategies: readonly string[],
): Selection {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  if (named.length > 1)
    throw new UsageError(`--${named.map(([name]) => name).join(' and --')} exclude each other`);
  const { plan, commands, strategy = 'risk' } = given;
  if (plan !== undefined) return { type: 'plan', planId: plan };
  if (commands !== undefined) {
    const names = commands.split(',').map((name) => name.trim());
    if (names.includes('')) throw new UsageError('--commands names a command without a name');
    return { type: 'commands', commands: [...new Set(names)] };
  }
  if (!strategies.includes(strategy))
    throw new UsageError(`${strategy} is no strategy; there are ${strategies.join(', ')}`);
  return { type: 'strategy', strategy };
}

interface WorkEnd {
  /** Whether another agent can go on with a suite in this folder. */
  isHeld: boolean;
  /** Why not all was run and passed, beside the items that were counted. */
  why?: string | undefined;
}

const HELD: WorkEnd = { isHeld: true, why: 'not all items were run: the agent was asked to end' };

/**
 * Works until nothing is left, one suite is done where that is enough, or the agent is asked to end.
 *
 * @returns why not all of the plan was run and passed, whoever ran it; undefined where it was, or where
 *   nobody asked for more than the items that this agent has counted
 * @throws CommandFailed where the server refuses; Unreachable; Stopped
 */
export async function workUntilDone(agent: Agent): Promise<string | undefined> {
  const { isHeld, why } = await workPlan(agent);
  if (!isHeld) await agent.stateFile.remove();
  return why;
}

async function workPlan(agent: Agent): Promise<WorkEnd> {
  const { soft, output, once, stateFile } = agent;
  const state = await goOn(agent);
  if (state === 'unfinished') return HELD;
  if (state === 'done') return { isHeld: false };
  let next = await firstSource(agent, state);
  let isWaiting = false;
  while (next !== undefined && !soft.aborted) {
    const { maxItems, leaseMs, kinds } = agent;
    const body = { ...next, agent: { ...agent.agent, kinds }, maxItems, leaseMs };
    state.claim = { key: crypto.randomUUID(), body };
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
    next = { planId: claimed.planId };
    if (claimed.done) break;
    if (once) return { isHeld: false };
    if (!isWaiting) output.event('waiting', 'other agents have what is left: waiting for it');
    isWaiting = true;
    await pause(claimed.retryAfterMs, soft).catch(() => {});
  }
  return { isHeld: false, why: await whyNotDone(next, agent) };
}

/** Why the plan is not done and passed, now that no more is claimed of it; undefined where it is. */
async function whyNotDone(
  source: ClaimSource | undefined,
  agent: Agent,
): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if (!('planId' in source)) return HELD.why;
  const { send, retrying, retryMs, soft, output } = agent;
  const isAsked = soft.aborted;
  const until = isAsked ? 0 : Date.now() + retryMs;
  const { left, why } = await readProgress(
    send,
    retrying(() => until),
    source.planId,
  );
  if (left > 0 && isAsked) return HELD.why;
  if (left > 0) output.event('others', `left to agents of other kinds: ${itemCount(left)}`);
  return why;
}

/**
 * Ends what an earlier agent left running, and works the suite that it had.
 *
 * @returns a state to begin with, or how that suite ended where nothing more is to be done
 */
async function goOn(agent: Agent): Promise<AgentState | 'done' | 'unfinished'> {
  const { stateFile, output, url, selection } = agent;
  const state: AgentState = {
    format: 1,
    url,
    selection: JSON.stringify(selection),
    planId: null,
    agent: agent.agent,
    claim: null,
    suite: null,
    hasCredentials: false,
    steps: {},
  };
  const found = await stateFile.read();
  if (found === undefined) {
    await stateFile.removeRuns();
    return state;
  }
  if (await endLeftBehind(found, agent.killGraceMs))
    output.event('ended', 'what an earlier agent had left running was ended');
  if (found.url !== url) {
    output.event('forgotten', `this folder had a suite of ${found.url}, which is left to lapse`);
    return state;
  }
  const suite = await suiteOf(found, agent);
  if (suite !== undefined) {
    output.event('resumed', `goes on with the suite ${suite.id}`, { suiteId: suite.id });
    if (!(await workClaimed(suite, Date.now(), found, agent))) return 'unfinished';
    if (agent.once) return 'done';
  }
  // A plan that was asked for is worked to its end before another is.
  if (found.selection === state.selection) state.planId = found.planId;
  return state;
}

async function suiteOf(state: AgentState, agent: Agent): Promise<Suite | undefined> {
  const { suite, hasCredentials, claim } = state;
  if (suite !== null && !hasCredentials) return { ...suite, credentials: {} };
  if (claim === null) return undefined;
  // Under its key the server answers as it did, or would have done.
  const claimed = await claimSuite(agent.send, awhile(agent), claim).catch((error: unknown) => {
    if (!(error instanceof CommandFailed)) throw error;
    agent.output.event('forgotten', `the suite of an earlier agent is gone: ${error.message}`);
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
  const { credentials, ...stored } = suite;
  state.hasCredentials = Object.keys(credentials).length > 0;
  state.suite = stored;
  state.planId = suite.planId;
  await agent.stateFile.write(state);
  const { id, planId, items } = suite;
  const data = { suiteId: id, planId, items: items.length };
  agent.output.event('claimed', `suite ${id}: ${itemCount(items.length)}`, data);
  const isDone = await workSuite(suite, claimedAt, state, agent);
  if (isDone) await forget(agent, state);
  else
    agent.output.event(
      'left',
      'items are left: an agent in this folder goes on with them, any other when their lease has run out',
    );
  return isDone;
}

const itemCount = (items: number) => `${items} ${items === 1 ? 'item' : 'items'}`;

/** A suite that is done, or was none, is not gone on with. */
async function forget({ stateFile }: Agent, state: AgentState): Promise<void> {
  Object.assign(state, { claim: null, suite: null, hasCredentials: false, steps: {} });
  await stateFile.write(state);
  await stateFile.removeRuns();
}

async function firstSource(agent: Agent, { planId }: AgentState): Promise<ClaimSource | undefined> {
  const { selection, send, output } = agent;
  if (planId !== null) return { planId };
  if (selection.type === 'plan') return { planId: selection.planId };
  if (selection.type === 'commands')
    return { commandIds: await runnableIds(selection.commands, agent) };
  const asked = await askForPlan(send, awhile(agent), selection.strategy);
  if (asked !== undefined) return { planId: asked };
  output.event('empty', 'the project has no test commands to plan: POST /api/test-commands');
  return undefined;
}

/** @throws CommandFailed where one of them is not there, or would not be run */
async function runnableIds(names: readonly string[], agent: Agent): Promise<string[]> {
  const ids = new Set<string>();
  const whys = new Set<string>();
  for (const name of names) {
    const { id, key, kind, state } = await findCommand(agent.send, awhile(agent), name);
    ids.add(id);
    if (state === 'disabled' || state === 'archived') whys.add(`"${key}" is ${state}`);
    else if (!agent.kinds.includes(kind))
      whys.add(`"${key}" is of the kind ${kind}, which this agent does not run`);
  }
  if (whys.size > 0) throw new CommandFailed(`nothing was run: ${[...whys].join('; ')}`);
  return [...ids];
}

function awhile({ retrying, retryMs, soft }: Agent): Retrying {
  const until = Date.now() + retryMs;
  return retrying(() => until, soft);
}
