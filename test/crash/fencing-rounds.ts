// One round of the fencing campaign: many agents work one plan while some of them die or freeze, and
// the service is killed and started again under them.
import { join } from 'node:path';
import { openClient } from '../../scripts/bench/client.ts';
import {
  makeToken,
  type RunningPqrs,
  startPqrs,
  temporaryFolder,
} from '../../scripts/bench/running.ts';
import { readEvents } from '../support/event-stream.ts';
import { diceOf, type Field, type Observed, workPlan } from './fencing-agents.ts';
import { checkFencing, type FencingFigures, MAX_ATTEMPTS } from './fencing-checks.ts';

export interface FencingPlan {
  executable: string;
  seed: number;
  agents: number;
  items: number;
  /** How often the service is killed. */
  kills: number;
  leaseMs: number;
  workMs: number;
}

export interface FencingReport
  extends FencingFigures,
    Pick<Observed, 'refused' | 'lostAnswers' | 'killed' | 'frozen' | 'complaints'> {
  seed: number;
  /** Claims of items and reports that were acknowledged. */
  claims: number;
  reports: number;
  kills: number;
  seconds: number;
}

const TOKENS = 3;
/** Of a hundred commands, so many are given up with their first lost lease. */
const FAIL_PERCENT = 4;
/** How long the service stays down, at most. */
const DOWN_MS = 400;

/** Runs one round. Nothing in `complaints` means that every promise was kept. */
export async function fencingRound(plan: FencingPlan): Promise<FencingReport> {
  const { executable, seed, items } = plan;
  const began = performance.now();
  const dice = diceOf(seed);
  const dataDir = join(temporaryFolder(), 'data');
  let server = await startPqrs(executable, {}, dataDir);
  const field: Field = {
    port: server.port,
    tokens: Array.from({ length: TOKENS }, () => makeToken(executable, dataDir, 'agent:execute')),
    planId: await makePlan(server, items),
    ...{ leaseMs: plan.leaseMs, workMs: plan.workMs, over: false, observed: nothingObserved() },
  };
  const { observed } = field;
  const listener = listen(() => field, server.token);
  let kills = 0;

  async function disturb(): Promise<void> {
    for (; kills < plan.kills; kills++) {
      // Somewhere in the middle of the work that is left.
      const when = items * ((kills + 0.2 + dice() * 0.6) / (plan.kills + 0.5));
      while (observed.reports.length < when && !field.over) await Bun.sleep(5);
      if (field.over) return;
      await Bun.sleep(dice() * 50);
      field.port = undefined;
      await server.kill();
      await Bun.sleep(dice() * DOWN_MS);
      server = await startPqrs(executable, {}, dataDir);
      field.port = server.port;
    }
  }

  try {
    await Promise.all([disturb(), workAll(field, plan, dice)]);
  } catch (error) {
    field.over = true;
    observed.complaints.push(`the round broke off: ${error}`);
  }
  const seen = await listener.end(server);
  const code = await server.stop();
  if (code !== 0) observed.complaints.push(`the service ended with ${code}`);
  const figures = checkFencing(dataDir, { planId: field.planId, observed, seen });
  const { refused, lostAnswers, killed, frozen, complaints } = observed;
  return {
    ...{ seed, claims: observed.runs.length, reports: observed.reports.length, kills, ...figures },
    ...{ refused, lostAnswers, killed, frozen },
    seconds: Math.round((performance.now() - began) / 100) / 10,
    complaints: complaints.slice(0, 20),
  };
}

const LIVES = 4;

/** A third of the agents go wrong; for one that died another comes. */
async function workAll(field: Field, { agents }: FencingPlan, dice: () => number): Promise<void> {
  const wrong = Math.ceil(agents / 3);
  await Promise.all(
    Array.from({ length: agents }, async (_, index) => {
      const own = diceOf(Math.floor(dice() * 2 ** 32));
      const fate = index >= wrong ? 'well' : index % 2 === 0 ? 'frozen' : 'killed';
      for (let life = 1; ; life++) {
        const now = life > LIVES ? 'well' : fate;
        if ((await workPlan(field, `agent ${index} of ${life}`, now, own)) === 'done') return;
      }
    }),
  );
}

function nothingObserved(): Observed {
  return {
    ...{ runs: [], reports: [], refused: 0, lostAnswers: 0, killed: 0, frozen: 0 },
    complaints: [],
  };
}

async function makePlan({ port, token }: RunningPqrs, count: number): Promise<string> {
  const client = await openClient(port);
  const ask = <T>(path: string, json: unknown) =>
    client.askJson<T>({ method: 'POST', path, token, json }, 201);
  const items: { commandId: string }[] = [];
  for (let number = 0; number < count; number++) {
    const onLeaseLost = number % 100 < FAIL_PERCENT ? 'fail' : 'retry';
    const command = { key: `item-${number}`, argv: ['true'], maxAttempts: MAX_ATTEMPTS };
    const { id } = await ask<{ id: string }>('/api/test-commands', { ...command, onLeaseLost });
    items.push({ commandId: id });
  }
  const { id } = await ask<{ id: string }>('/api/agent/plan', { plan: { items } });
  client.close();
  return id;
}

/** Listens to the changes of runs all the time, over every restart. */
function listen(field: () => Field, token: string) {
  const seen = new Map<string, string>();
  let lastId = '';
  let ending = false;

  const open = (port: number) => {
    const headers = new Headers({ accept: 'text/event-stream', authorization: `Bearer ${token}` });
    if (lastId !== '') headers.set('last-event-id', lastId);
    return fetch(`http://127.0.0.1:${port}/api/run-state`, { headers });
  };

  async function follow(): Promise<void> {
    while (!ending) {
      const { port } = field();
      try {
        if (port === undefined) throw new Error('the service is down');
        const reader = readEvents(await open(port));
        for (let event = await reader.next(); event; event = await reader.next()) {
          if (Number(event.id) <= Number(lastId || -1))
            field().observed.complaints.push(`the stream observed ${event.id} after ${lastId}`);
          lastId = event.id;
          const { runId, state } = JSON.parse(event.data) as { runId: string; state: string };
          seen.set(runId, state);
        }
      } catch {}
      await Bun.sleep(AGAIN_MS);
    }
  }

  const following = follow();
  return {
    /** Ends when all that had happened by now was observed. */
    async end({ port }: RunningPqrs): Promise<ReadonlyMap<string, string>> {
      const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
      const reader = readEvents(await fetch(`http://127.0.0.1:${port}/api/run-state`, { headers }));
      await reader.begun;
      await reader.close();
      const end = performance.now() + 20_000;
      while (Number(lastId) < Number(reader.lastId) && performance.now() < end) await Bun.sleep(20);
      ending = true;
      // The stream ends with the service.
      void following;
      return seen;
    },
  };
}

const AGAIN_MS = 20;
