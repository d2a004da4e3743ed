// Leases that are lost, and what becomes of the runs under them: they return, or others take them, or
// an owner cancels them.
import { describe, expect } from 'bun:test';
import {
  askSuite,
  claim,
  type Held,
  makePlan,
  openOwn,
  type RunState,
  report,
  runNow,
  untilState,
  write,
} from '../support/claims.ts';
import type { Client } from '../support/client.ts';
import { readEvents } from '../support/event-stream.ts';
import { flow } from '../support/flow.ts';
import type { Page } from '../support/shapes.ts';

const NEEDS = { needs: ['agent', 'demo', 'widget'] } as const;
/** The shortest that there is. */
const SHORT = { leaseMs: 1000 };
const LONG = { leaseMs: 3_600_000 };

const cancel = (api: Client, runId: string) =>
  api.post('/run-state', { runId, state: 'cancelled' });

const isDone = async (api: Client, planId: string) =>
  (await askSuite(api, { planId })).must(200).json<{ done: boolean }>().done;

/** What the service itself has noted of a lost lease. */
async function noticeOf(
  api: Client,
  leaseId: string,
): Promise<{ message: string; fields: object }> {
  const headers = { authorization: `Bearer ${api.target.token('owner')}` };
  for (;;) {
    const response = await api.target.fetch('/api/system-logs?source=pqrs&limit=200', { headers });
    const { items } = (await response.json()) as Page<{ message: string; fields: object }>;
    const found = items.find(({ fields }) => JSON.stringify(fields).includes(leaseId));
    if (found) return found;
    await Bun.sleep(20);
  }
}

/** What is done before its leases are lost; gives the runs that are, and what holds then. */
type Situation = (api: Client) => Promise<{
  lost: Record<string, string>;
  after(): Promise<void>;
}>;

const lostRuns = (held: readonly Held[], state = 'lost') =>
  Object.fromEntries(held.map(({ runId }) => [runId, state]));

const SITUATIONS: Record<string, Situation> = {
  async 'its runs return while nobody has their items'(api) {
    const { planId } = await makePlan(api, [{}, {}, {}]);
    const { suite, held } = await claim(api, { planId, ...SHORT });
    const [one, two, three] = held as [Held, Held, Held];
    (await write(api, one, { state: 'running' })).must(200);
    return {
      lost: lostRuns(held),
      async after() {
        expect((await runNow(api, two.runId)).leaseExpiresAt).toBeNull();
        expect(await noticeOf(api, suite.lease.id)).toMatchObject({
          message: 'Runs were lost: their lease was not renewed in time.',
          fields: { leaseId: suite.lease.id, suiteId: suite.id },
        });
        (await write(api, one, { state: 'lost' })).mustBe(409, 'illegal_transition');
        expect((await runNow(api, one.runId)).state).toBe('lost');
        const back = (await write(api, one, { message: 'I was away' })).must(200).json<RunState>();
        expect(back).toMatchObject({ state: 'running', attempt: 1, message: 'I was away' });
        const { items } = (await claim(api, { planId, ...LONG }, 'owner')).suite;
        const others = items.filter(({ position }) => position > 1);
        expect(others.map(({ attempt }) => attempt)).toEqual([2, 2]);
        (await write(api, two)).mustBe(409, 'lease_expired');
        (await write(api, three, { state: 'broken' })).mustBe(409, 'lease_expired');
      },
    };
  },

  async 'its items are for others, whose results stand'(api) {
    const { planId, commandIds } = await makePlan(api, [{}]);
    const [stale] = (await claim(api, { planId, ...SHORT })).held as [Held];
    (await write(api, stale, { state: 'running' })).must(200);
    return {
      lost: lostRuns([stale]),
      async after() {
        const { suite, held } = await claim(api, { planId, ...LONG }, 'owner');
        expect(suite.items).toMatchObject([{ position: 1, attempt: 2, commandId: commandIds[0]! }]);
        const [current] = held as [Held];
        expect(current.runId).not.toBe(stale.runId);
        (await write(api, stale)).mustBe(409, 'lease_expired');
        const late = (await report(api, stale, 'failed')).must(202).json();
        expect(late).toMatchObject({
          ...{ id: stale.runId, late: true, counts: false, status: 'failed' },
        });
        (await cancel(api, stale.runId)).mustBe(409, 'illegal_transition');
        expect((await runNow(api, current.runId)).state).toBe('queued');
        expect(await isDone(api, planId)).toBe(false);
        (await report(api, current)).must(201);
        (await write(api, stale)).mustBe(409, 'lease_expired');
        const query = { commandId: commandIds[0]! };
        const { items } = (await api.get('/test-runs', { query }))
          .must(200)
          .json<Page<{ late: boolean; status: string }>>();
        expect(items.map(({ status, late: was }) => [status, was])).toEqual([
          ['passed', false],
          ['failed', true],
        ]);
        const { stats } = (await api.get('/test-commands', { query: { id: commandIds[0]! } }))
          .must(200)
          .json<{ stats: object }>();
        expect(stats).toMatchObject({
          ...{ runs: 1, lastStatus: 'passed', lastRunId: current.runId },
        });
        expect(await isDone(api, planId)).toBe(true);
      },
    };
  },

  async 'a report comes in while nobody else has the item'(api) {
    const { planId } = await makePlan(api, [{}]);
    const [held] = (await claim(api, { planId, ...SHORT })).held as [Held];
    const own = (await openOwn(api, SHORT)).held;
    return {
      lost: lostRuns([held, own]),
      async after() {
        const answer = (await report(api, held)).must(201);
        expect(answer.json<object>()).toMatchObject({ late: false, counts: true });
        expect((await runNow(api, held.runId)).state).toBe('passed');
        expect(await isDone(api, planId)).toBe(true);
        const ended = (await write(api, own, { state: 'passed' })).must(200).json<RunState>();
        expect(ended).toMatchObject({ state: 'passed', leaseExpiresAt: null });
      },
    };
  },

  async 'an item ends broken after its attempts, or at once where its command says so'(api) {
    const { planId } = await makePlan(api, [{ maxAttempts: 1 }, { onLeaseLost: 'fail' }]);
    const { held } = await claim(api, { planId, ...SHORT });
    return {
      lost: lostRuns(held),
      async after() {
        expect(await isDone(api, planId)).toBe(true);
        for (const one of held) {
          (await write(api, one)).mustBe(409, 'lease_expired');
          (await report(api, one)).must(202);
          expect((await runNow(api, one.runId)).state).toBe('lost');
        }
      },
    };
  },

  async 'a run that was to be cancelled is, and one that nobody holds is at once'(api) {
    const { planId } = await makePlan(api, [{}, {}]);
    const { held } = await claim(api, { planId, ...SHORT });
    const [asked, one] = held as [Held, Held];
    (await cancel(api, asked.runId)).must(200);
    const own = (await openOwn(api, SHORT, 'widget')).held;
    return {
      lost: { [asked.runId]: 'cancelled', ...lostRuns([one, own]) },
      async after() {
        for (const { runId } of [one, own]) {
          const run = (await cancel(api, runId)).must(200).json<RunState>();
          expect(run).toMatchObject({ state: 'cancelled', cancelRequested: false });
        }
        expect(await isDone(api, planId)).toBe(true);
        for (const run of held) {
          (await write(api, run)).mustBe(409, 'lease_expired');
          (await report(api, run)).must(202);
        }
      },
    };
  },
};

// All at once, for what they wait for is the end of a lease.
flow(
  `of a lost lease: ${Object.keys(SITUATIONS).join('; ')} [PQRS-47] [PQRS-48]`,
  { ...NEEDS, compare: false },
  async (api) => {
    const begun = [];
    for (const [title, situation] of Object.entries(SITUATIONS))
      begun.push({ title, ...(await situation(api)) });
    const lost = begun.flatMap((one) => Object.entries(one.lost));
    await Promise.all(lost.map(([runId, state]) => untilState(api, runId, state)));
    for (const { title, after } of begun)
      await after().catch((cause) => {
        throw new Error(`${title}: ${cause}`, { cause });
      });
  },
);

describe("an owner's cancelling [PQRS-47]", () => {
  flow('is a request to who holds the run, and ends its item', NEEDS, async (api) => {
    const { planId } = await makePlan(api, [{}]);
    const { held } = await claim(api, { planId, ...LONG });
    const [one] = held as [Held];
    (await write(api, one, { state: 'running' })).must(200);
    const asked = (await cancel(api, one.runId)).must(200).json<RunState>();
    expect(asked).toMatchObject({ state: 'running', cancelRequested: true });
    const again = (await cancel(api, one.runId)).must(200).json<RunState>();
    expect(again.version).toBe(asked.version);
    expect((await write(api, one)).must(200).json<object>()).toMatchObject({
      ...{ state: 'running', cancelRequested: true },
    });
    (await write(api, one, { state: 'cancelled' })).must(200);
    expect(await isDone(api, planId)).toBe(true);
    (await cancel(api, one.runId)).mustBe(409, 'illegal_transition');
    (await report(api, one)).must(202);
    expect((await runNow(api, one.runId)).state).toBe('cancelled');
  });

  flow('is for an owner, and says nothing else', NEEDS, async (api) => {
    const { runId } = (await openOwn(api)).held;
    const body = { runId, state: 'cancelled' };
    (await api.post('/run-state', body, { as: 'agent' })).mustBe(422, 'invalid');
    (await api.post('/run-state', body, { as: 'widget' })).mustBe(422, 'invalid');
    for (const other of [{ message: 'm' }, { progress: { done: 1 } }])
      (await api.post('/run-state', { ...body, ...other })).mustBe(422, 'invalid');
    (await cancel(api, 'run_unknown')).mustBe(404, 'not_found');
    expect((await runNow(api, runId)).cancelRequested).toBe(false);
  });
});

describe('the changes as they happen [PQRS-47]', () => {
  flow('are told to who asks for a stream, and go on where it left off', NEEDS, async (api) => {
    const listen = async (role: 'owner' | 'demo' | 'widget', query = '', lastId = '') => {
      const headers = new Headers({ accept: 'text/event-stream' });
      headers.set('authorization', `Bearer ${api.target.token(role)}`);
      if (lastId !== '') headers.set('last-event-id', lastId);
      return api.target.fetch(`${api.prefix}/run-state${query}`, { headers });
    };
    const reader = readEvents(await listen('demo'));
    expect(reader.response.headers.get('cache-control')).toBe('no-store');
    expect(reader.response.headers.get('x-request-id')).not.toBeNull();
    await reader.begun;
    const { run, held } = await openOwn(api);
    const isOf = ({ data }: { data: string }) => data.includes(run.runId);
    const [opened] = (await reader.until(isOf)).slice(-1);
    const { lease: _, ...shown } = run;
    expect(JSON.parse(opened!.data)).toEqual(shown);
    await reader.close();
    (await write(api, held, { state: 'failed' })).must(200);
    const query = `?runId=${run.runId}`;
    const again = readEvents(await listen('owner', query, opened!.id));
    const [failed] = await again.until(isOf);
    expect(JSON.parse(failed!.data)).toMatchObject({ runId: run.runId, state: 'failed' });
    expect(Number(failed!.id)).toBeGreaterThan(Number(opened!.id));
    await again.close();
    expect((await listen('widget')).status).toBe(403);
    for (const name of ['limit=1', 'view=plans', 'cursor=x', 'nonsense=1'])
      expect((await listen('owner', `?${name}`)).status).toBe(422);
    expect((await listen('owner', '', 'x')).status).toBe(422);
  });
});
