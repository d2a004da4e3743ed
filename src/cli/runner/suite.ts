// What an agent works on, as the server hands it out: a suite of items under a lease, the test commands
// behind them, and how far their plan is.
import type { Static } from '@sinclair/typebox';
import type { NothingToClaim, SuiteItemView, SuiteView } from '../../agents/suites/model.ts';
import { CommandFailed } from '../command.ts';
import { describeRefusal, persist, type Retrying, type Send } from './api.ts';

export type Suite = SuiteView;
export type SuiteItem = SuiteItemView;
export type Lease = Pick<Suite['lease'], 'id' | 'token'>;

export interface AgentIdentity {
  name: string;
  version: string;
}

export type ClaimSource = { planId: string } | { commandIds: string[] };

export interface Claim {
  key: string;
  body: object;
}

export type Claimed =
  | { type: 'suite'; suite: Suite; claimedAt: number }
  | { type: 'nothing'; planId: string; done: boolean; retryAfterMs: number };

export const BEATS_A_LEASE = 5;
const MIN_WAIT_MS = 200;
const MAX_WAIT_MS = 60_000;

export function nameOf({ name, argv, runId }: Pick<SuiteItem, 'name' | 'argv' | 'runId'>): string {
  return name || argv.join(' ') || runId;
}

/**
 * Claims a suite.
 *
 * @throws CommandFailed where the server refuses; Unreachable
 */
export async function claimSuite(
  send: Send,
  retrying: Retrying,
  { key, body }: Claim,
): Promise<Claimed> {
  let claimedAt = Date.now();
  const timed: Send = (request) => {
    claimedAt = Date.now();
    return send(request);
  };
  const request = {
    method: 'POST',
    path: '/agent/suite',
    json: body,
    idempotencyKey: key,
  } as const;
  const answer = await persist(timed, request, retrying);
  if (answer.status !== 200 && answer.status !== 201)
    throw new CommandFailed(`no suite: ${describeRefusal(answer)}`);
  if ((answer.body as Suite).items.length > 0)
    return { type: 'suite', suite: answer.body as Suite, claimedAt };
  const { planId, done, retryAfterMs } = answer.body as Static<typeof NothingToClaim>;
  const wait = Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, retryAfterMs));
  return { type: 'nothing', planId, done, retryAfterMs: wait };
}

/**
 * Asks for a plan.
 *
 * @returns its id, or undefined where there is nothing in it
 */
export async function askForPlan(
  send: Send,
  retrying: Retrying,
  strategy: string,
): Promise<string | undefined> {
  const idempotencyKey = crypto.randomUUID();
  const request = { method: 'POST', path: '/agent/plan', json: { strategy } } as const;
  const answer = await persist(send, { ...request, idempotencyKey }, retrying);
  if (answer.status !== 200 && answer.status !== 201)
    throw new CommandFailed(`no plan: ${describeRefusal(answer)}`);
  const { id, items } = answer.body as { id: string; items: unknown[] };
  return items.length === 0 ? undefined : id;
}

type PlanProgress = Record<
  'total' | 'open' | 'claimed' | 'passed' | 'failed' | 'broken' | 'cancelled',
  number
>;

/**
 * Reads how far a plan is, whoever ran its items.
 *
 * @returns the number of items that are yet to end, and why not all that ended passed
 * @throws CommandFailed where the server refuses; Unreachable
 */
export async function readProgress(
  send: Send,
  retrying: Retrying,
  planId: string,
): Promise<{ left: number; why: string | undefined }> {
  const path = `/run-state?view=plans&planId=${encodeURIComponent(planId)}`;
  const answer = await persist(send, { method: 'GET', path }, retrying);
  if (answer.status !== 200)
    throw new CommandFailed(`the plan cannot be read: ${describeRefusal(answer)}`);
  const { progress } = answer.body as { progress: PlanProgress };
  const left = progress.open + progress.claimed;
  const endings = (['failed', 'broken', 'cancelled'] as const).filter((one) => progress[one] > 0);
  if (endings.length === 0) return { left, why: undefined };
  const count = endings.reduce((sum, one) => sum + progress[one], 0);
  const counts = endings.map((one) => `${progress[one]} ${one}`).join(', ');
  return { left, why: `${count} of the plan's ${progress.total} items did not pass: ${counts}` };
}

export interface TestCommand {
  id: string;
  key: string;
  kind: string;
  state: string;
  /** `retry` or `fail`. */
  onLeaseLost: string;
  /** The names of those that it is to find in its environment. */
  credentials: string[];
}

export async function readCommand(
  send: Send,
  retrying: Retrying,
  id: string,
): Promise<TestCommand | undefined> {
  const path = `/test-commands?id=${encodeURIComponent(id)}`;
  const answer = await persist(send, { method: 'GET', path }, retrying);
  return answer.status === 200 ? (answer.body as TestCommand) : undefined;
}

/**
 * Finds a test command.
 *
 * @throws CommandFailed where there is none
 */
export async function findCommand(
  send: Send,
  retrying: Retrying,
  name: string,
): Promise<TestCommand> {
  const isId = name.startsWith('cmd_');
  const path = `/test-commands?${isId ? 'id' : 'key'}=${encodeURIComponent(name)}`;
  const answer = await persist(send, { method: 'GET', path }, retrying);
  if (answer.status !== 200 && answer.status !== 404)
    throw new CommandFailed(`no test command: ${describeRefusal(answer)}`);
  const body = answer.status === 404 ? undefined : answer.body;
  const found = isId ? body : (body as { items: unknown[] } | undefined)?.items[0];
  if (found === undefined) throw new CommandFailed(`there is no test command "${name}"`);
  return found as TestCommand;
}
