// Agents that work one plan over HTTP, of which some die or freeze at moments that a seed decides,
// and write down what the service said to them.
import { AnswerLost, type Client, openClient } from '../../scripts/bench/client.ts';
import { type RequestParts, requestBytes } from '../../scripts/bench/requests.ts';

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export type Dice = () => number;

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  };
}

/** A run as the service gave it to an agent. */
export interface ObservedRun {
  position: number;
  runId: string;
  attempt: number;
  /** Up to when it was promised to nobody else, milliseconds since the epoch: the latest promise. */
  heldUntil: number;
}

/** A report that was answered. */
export interface ObservedReport {
  position: number;
  runId: string;
  /** The run of the report, which is another one for a late report of a run that has one. */
  id: string;
  late: boolean;
  status: string;
  /** A word that no other report has. */
  nonce: string;
}

/** What the service said to all agents. */
export interface Observed {
  runs: ObservedRun[];
  reports: ObservedReport[];
  /** Writes that came too late. */
  refused: number;
  lostAnswers: number;
  killed: number;
  frozen: number;
  complaints: string[];
}

/** What the agents of a round share. */
export interface Field {
  /** Where the service listens; undefined while it is down. */
  port: number | undefined;
  tokens: readonly string[];
  planId: string;
  leaseMs: number;
  /** The longest time that an item takes. */
  workMs: number;
  observed: Observed;
  /** Set when the round is given up. */
  over: boolean;
}

interface Held {
  lease: { id: string; token: string };
  run: ObservedRun;
  seq: number;
}

interface Suite {
  items?: { position: number; runId: string; attempt: number }[];
  done?: boolean;
  lease?: { id: string; token: string; expiresAt: string };
}

/** Thrown where an agent dies. */
class Killed extends Error {}

const POLL_MS = 100;
const AGAIN_MS = 20;

/**
 * Works the plan until every item has ended, or it dies.
 *
 * @param fate - `well`, or how it goes wrong: a `killed` one dies, a `frozen` one stands still for
 * longer than its lease again and again
 */
export async function workPlan(
  field: Field,
  name: string,
  fate: 'well' | 'killed' | 'frozen',
  dice: Dice,
): Promise<'done' | 'dead'> {
  const { observed, leaseMs } = field;
  const token = field.tokens[Math.floor(dice() * field.tokens.length)] as string;
  let client: Client | undefined;
  let claims = 0;

  try {
    for (let done = false; !done && !field.over; ) done = await workSuite();
    return 'done';
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    observed.killed += 1;
    return 'dead';
  } finally {
    client?.close();
  }

  /** Asks until there is an answer; what was asked must be a replay where it took effect before. */
  async function ask(parts: RequestParts): Promise<{ status: number; body: unknown }> {
    for (;;) {
      if (field.over) throw new Error('the round was given up');
      try {
        if (field.port === undefined) throw new AnswerLost('nobody listens');
        client ??= await openClient(field.port);
        const { status, body } = await client.ask({ ...parts, token });
        if (status !== 503) return { status, body: JSON.parse(body.toString()) };
      } catch {
        observed.lostAnswers += 1;
        client?.close();
        client = undefined;
      }
      await Bun.sleep(AGAIN_MS * (1 + dice()));
    }
  }

  /** Dies with a request on its way, or before it. */
  async function die(parts: RequestParts): Promise<never> {
    if (dice() < 0.6 && field.port !== undefined) {
      const dying = await openClient(field.port).catch(() => undefined);
      dying?.connection.send(requestBytes({ ...parts, token }));
      await Bun.sleep(dice() * 5);
      dying?.connection.abort();
    }
    throw new Killed();
  }

  async function freeze(): Promise<void> {
    observed.frozen += 1;
    await Bun.sleep(leaseMs * (1.1 + dice() * 1.5));
  }

  async function workSuite(): Promise<boolean> {
    claims += 1;
    const json = {
      ...{ planId: field.planId, leaseMs, maxItems: 1 + Math.floor(dice() * 8) },
      agent: { name, version: '1' },
    };
    const headers = { 'Idempotency-Key': `${name} claims ${claims}` };
    const parts = { method: 'POST', path: '/api/agent/suite', json, headers };
    if (fate === 'killed' && dice() < 0.1) await die(parts);
    const { status, body } = await ask(parts);
    const suite = body as Suite;
    if (status === 200) {
      if (suite.done !== true) await Bun.sleep(POLL_MS * (0.5 + dice()));
      return suite.done === true;
    }
    if (status !== 201 || !suite.items || !suite.lease)
      throw new Error(`a claim was answered with ${status}: ${JSON.stringify(body)}`);
    const { lease, items } = suite;
    const held = items.map((item) => {
      const run = { ...item, heldUntil: Date.parse(lease.expiresAt) };
      observed.runs.push(run);
      return { lease: { id: lease.id, token: lease.token }, run, seq: 0 };
    });
    if (fate === 'frozen' && (claims === 1 || dice() < 0.2)) await freeze();
    for (const one of held) await workItem(one);
    return false;
  }

  async function workItem(held: Held): Promise<void> {
    await write(held, { state: 'running' });
    for (let left = dice() * field.workMs; left > 0; ) {
      const step = Math.min(left, leaseMs / 5);
      await Bun.sleep(step);
      left -= step;
      if (dice() < 0.3) await write(held, dice() < 0.5 ? {} : { progress: { done: held.seq } });
    }
    if (fate === 'frozen' && dice() < 0.1) {
      await freeze();
      // It may notice with a heartbeat, or go on as if nothing had been.
      if (dice() < 0.5) await write(held, {});
    }
    await report(held);
  }

  async function write(held: Held, said: object): Promise<void> {
    held.seq += 1;
    const { lease, run, seq } = held;
    const json = { runId: run.runId, attempt: run.attempt, lease, seq, ...said };
    const parts = { method: 'POST', path: '/api/run-state', json };
    if (fate === 'killed' && dice() < 0.05) await die(parts);
    const { status, body } = await ask(parts);
    const { code, leaseExpiresAt, state } = body as Record<string, string | null>;
    if (status === 200) {
      if (state === 'running' && leaseExpiresAt)
        run.heldUntil = Math.max(run.heldUntil, Date.parse(leaseExpiresAt));
      return;
    }
    observed.refused += 1;
    // The run may have ended by what was lost with it.
    if (status !== 409 || (code !== 'lease_expired' && code !== 'illegal_transition'))
      observed.complaints.push(`a write of ${name} was answered with ${status} ${code}`);
  }

  async function report({ lease, run }: Held): Promise<void> {
    const { position, runId, attempt } = run;
    const status = dice() < 0.8 ? 'passed' : 'failed';
    const nonce = `${name} ${runId} ${Math.floor(dice() * 2 ** 32)}`;
    const json = {
      ...{ runId, attempt, lease, agent: { name, version: '1' } },
      results: [{ name: `case ${position}`, status, message: nonce }],
    };
    const parts = { method: 'POST', path: '/api/test-runs', json };
    if (fate === 'killed' && dice() < 0.1) await die(parts);
    const answer = await ask(parts);
    const { id, late, status: said } = answer.body as { id: string; late: boolean; status: string };
    if (![200, 201, 202].includes(answer.status) || said !== status) {
      const text = JSON.stringify(answer.body).slice(0, 300);
      observed.complaints.push(`a report of ${name} was answered with ${answer.status}: ${text}`);
      return;
    }
    if ((answer.status === 202) !== late)
      observed.complaints.push(`${answer.status} and late ${late}`);
    observed.reports.push({ position, runId, id, late, status, nonce });
  }
}
