// What an agent works on: a plan that it is given, commands that make one, or a plan that it asks for;
// and the claims of suites from it.
import { CommandFailed, UsageError } from '../command.ts';
import { describeRefusal, type Send } from './api-client.ts';
import { persist, type Retrying } from './retry.ts';
import { type AgentIdentity, readSuite, type Suite } from './suite.ts';

export type Selection =
  | { type: 'plan'; planId: string }
  | { type: 'commands'; commands: string[] }
  | { type: 'strategy'; strategy: string };

export interface ClaimOptions {
  agent: AgentIdentity & { kinds: readonly string[] };
  maxItems: number;
  leaseMs: number | undefined;
}

export type Claimed =
  | { type: 'suite'; suite: Suite; claimedAt: number }
  | { type: 'nothing'; planId: string | undefined; done: boolean; retryAfterMs: number };

interface NothingToClaim {
  planId: string;
  done: boolean;
  retryAfterMs: number;
}

/** What items are claimed of. */
export type ClaimedOf = { planId: string } | { commandIds: string[] };

const WAIT_LEAST_MS = 200;
const WAIT_MOST_MS = 60_000;

/** The body of a claim. */
export function claimBody(of: ClaimedOf, { agent, maxItems, leaseMs }: ClaimOptions): object {
  return {
    ...{ ...of, agent, maxItems },
    ...(leaseMs === undefined ? {} : { leaseMs }),
  };
}

/**
 * Claims a suite.
 *
 * @param key - under which the server gives the same answer again
 * @throws CommandFailed where the server refuses; Unreachable
 */
export async function claimSuite(
  send: Send,
  retrying: Retrying,
  { key, body }: { key: string; body: object },
): Promise<Claimed> {
  let claimedAt = Date.now();
  const answer = await persist(() => {
    claimedAt = Date.now();
    const signal = retrying.signal;
    return send({ method: 'POST', path: '/agent/suite', json: body, idempotencyKey: key, signal });
  }, retrying);
  if (answer.status !== 200 && answer.status !== 201)
    throw new CommandFailed(`no suite: ${describeRefusal(answer)}`);
  const suite = readSuite(answer.body);
  if (suite !== undefined && suite.items.length > 0) return { type: 'suite', suite, claimedAt };
  const { planId, done, retryAfterMs } = (answer.body ?? {}) as Partial<NothingToClaim>;
  const wait = Math.min(WAIT_MOST_MS, Math.max(WAIT_LEAST_MS, retryAfterMs ?? 5000));
  return { type: 'nothing', planId, done: done === true, retryAfterMs: wait };
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
  const request = {
    method: 'POST',
    path: '/agent/plan',
    json: { strategy },
    idempotencyKey,
  } as const;
  const answer = await persist(() => send({ ...request, signal: retrying.signal }), retrying);
  if (answer.status !== 200 && answer.status !== 201)
    throw new CommandFailed(`no plan: ${describeRefusal(answer)}`);
  const { id, items } = answer.body as { id: string; items: unknown[] };
  return items.length === 0 ? undefined : id;
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
