// What tests of leases need again and again: commands in a plan, suites that are claimed, writes to
// runs, and the loss of a lease.
import type { RunStateView } from '../../src/agents/runs/model.ts';
import type { SuiteView } from '../../src/agents/suites/model.ts';
import type { Answer } from './answer.ts';
import type { Client } from './client.ts';
import type { Role } from './roles.ts';
import { addCommand } from './samples.ts';

export type RunState = RunStateView;
export type Suite = SuiteView;
export type Lease = Suite['lease'];

/** What an agent has in hand, and the number of its last write to it. */
export interface Held {
  runId: string;
  attempt: number;
  lease: Pick<Lease, 'id' | 'token'>;
  as: Role;
  seq: number;
}

export const AGENT = { name: 'robot', version: '7' };

/** Registers commands and stores a plan of them, in their order. */
export async function makePlan(
  api: Client,
  commands: readonly object[],
): Promise<{ planId: string; commandIds: string[] }> {
  const commandIds: string[] = [];
  for (const over of commands) commandIds.push((await addCommand(api, over)).id);
  const items = commandIds.map((commandId) => ({ commandId }));
  const { id } = (await api.post('/agent/plan', { plan: { items } }))
    .must(201)
    .json<{ id: string }>();
  return { planId: id, commandIds };
}

/** Asks for a suite. */
export const askSuite = (api: Client, body: object, as: Role = 'agent'): Promise<Answer> =>
  api.post('/agent/suite', { agent: AGENT, ...body }, { as });

/** Claims items; `held` are they, in their order. */
export async function claim(
  api: Client,
  body: object,
  as: Role = 'agent',
): Promise<{ suite: Suite; held: Held[] }> {
  const suite = (await askSuite(api, body, as)).must(201).json<Suite>();
  const { id, token } = suite.lease;
  const held = suite.items.map(({ runId, attempt }) => ({
    ...{ runId, attempt, lease: { id, token }, as, seq: 0 },
  }));
  return { suite, held };
}

/** Opens a run of the caller's own. */
export async function openOwn(
  api: Client,
  over: object = {},
  as: Role = 'agent',
): Promise<{ run: RunState & { lease: Lease }; held: Held }> {
  const run = (await api.post('/run-state', { name: 'own', ...over }, { as }))
    .must(201)
    .json<RunState & { lease: Lease }>();
  const { id, token } = run.lease;
  return { run, held: { runId: run.runId, attempt: 1, lease: { id, token }, as, seq: 0 } };
}

/** Writes to a run, with the next number unless told. */
export function write(api: Client, held: Held, said: object = {}): Promise<Answer> {
  held.seq += 1;
  const { runId, attempt, lease, seq, as } = held;
  return api.post('/run-state', { runId, attempt, lease, seq, ...said }, { as });
}

/** Reports a run with one result. */
export function report(api: Client, held: Held, status = 'passed'): Promise<Answer> {
  const { runId, attempt, lease, as } = held;
  const results = [{ name: 'case', status }];
  return api.post('/test-runs', { runId, attempt, lease, results }, { as });
}

/** A run as it is now, without a trace in what is compared. */
export async function runNow(api: Client, runId: string): Promise<RunState> {
  const headers = { authorization: `Bearer ${api.target.token('owner')}` };
  const response = await api.target.fetch(`/api/run-state?runId=${runId}`, { headers });
  return (await response.json()) as RunState;
}

/** Waits until a run is in a state, as when its lease is lost. */
export async function untilState(api: Client, runId: string, state: string): Promise<RunState> {
  for (;;) {
    const run = await runNow(api, runId);
    if (run.state === state) return run;
    await Bun.sleep(20);
  }
}
