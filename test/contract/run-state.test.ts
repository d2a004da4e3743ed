// The state of runs: opened, written to under a lease and in order, listed; what is no move.
import { describe, expect } from 'bun:test';
import {
  AGENT,
  askSuite,
  claim,
  type Held,
  makePlan,
  openOwn,
  type RunState,
  report,
  runNow,
  write,
} from '../support/claims.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { addCommand } from '../support/samples.ts';
import type { Page, ProblemDocument } from '../support/shapes.ts';

const PATH = '/run-state';
const NEEDS = { needs: ['agent', 'srs', 'demo', 'widget', 'other'] } as const;

const read = async (api: Client, runId: string) =>
  (await api.get(PATH, { query: { runId } })).must(200).json<RunState>();

describe('a run of its caller [PQRS-47]', () => {
  flow('is opened with a lease that is shown this once', NEEDS, async (api) => {
    const sent = { name: 'Nightly', agent: AGENT, message: 'm', progress: { done: 1 } };
    const made = (await api.post(PATH, { ...sent, leaseMs: 5000 }, { as: 'agent' })).must(201);
    const { lease, ...run } = made.json<RunState & { lease: Record<string, unknown> }>();
    expect(made.header('location')).toBe(`/api/run-state?runId=${run.runId}`);
    expect(made.header('etag')).toMatch(/^"1-/);
    expect(run).toMatchObject({
      ...{ suiteId: null, planId: null, commandId: null, name: 'Nightly', state: 'running' },
      ...{ seq: 0, attempt: 1, message: 'm', agent: AGENT, renewAfterMs: 1000, version: 1 },
      ...{ progress: { done: 1, total: null, current: null }, cancelRequested: false },
    });
    expect(lease).toEqual({
      ...{ id: expect.stringMatching(/^lse_/), token: expect.stringMatching(/^\w{52}$/) },
      ...{ expiresAt: run.leaseExpiresAt, renewAfterMs: 1000 },
    });
    expect(Date.parse(run.leaseExpiresAt!) - Date.parse(run.heartbeatAt!)).toBe(5000);
    const answer = await api.get(PATH, { query: { runId: run.runId }, as: 'demo' });
    expect(answer.must(200).json<object>()).toEqual(run);
    expect(answer.text).not.toContain(String(lease.token));
    const headers = { 'if-none-match': answer.header('etag') };
    (await api.get(PATH, { query: { runId: run.runId }, as: 'demo', headers })).must(304);
  });

  flow('has what it is opened with, and 15 minutes unless told', NEEDS, async (api) => {
    const { run } = await openOwn(api, { state: 'queued' });
    expect(run).toMatchObject({ state: 'queued', renewAfterMs: 180_000 });
    const { id: commandId, key } = await addCommand(api);
    expect((await openOwn(api, { commandId: key })).run).toMatchObject({ commandId });
    expect((await openOwn(api, { commandId, name: undefined })).run).toMatchObject({
      ...{ commandId, name: key },
    });
    for (const [body, pointer] of [
      [{ leaseMs: 999 }, '/leaseMs'],
      [{ leaseMs: 3_600_001 }, '/leaseMs'],
      [{ leaseMs: 1.5 }, '/leaseMs'],
      [{ nonsense: 1 }, '/nonsense'],
      [{ state: 'sleeping' }, '/state'],
      [{ message: 'm'.repeat(8193) }, '/message'],
      [{ progress: { done: -1 } }, '/progress/done'],
      [{ name: '' }, '/name'],
      [{ agent: { version: '1' } }, '/agent/name'],
      [{ seq: 1 }, '/seq'],
      [{ attempt: 1 }, '/attempt'],
      [{ lease: { id: 'a', token: 'b' } }, '/lease'],
    ] as const) {
      (await api.post(PATH, body, { as: 'agent' })).mustBe(422, 'invalid', pointer);
    }
    for (const state of ['passed', 'failed', 'broken', 'cancelled', 'lost'])
      (await api.post(PATH, { state }, { as: 'agent' })).mustBe(409, 'illegal_transition');
    const unknown = { commandId: 'cmd_unknown' };
    const missing = (await api.post(PATH, unknown, { as: 'agent' })).mustBe(404, 'not_found');
    expect(missing.json<ProblemDocument>().errors).toEqual([
      { pointer: '/commandId', detail: 'there is no test command cmd_unknown in this project' },
    ]);
    const off = await addCommand(api, { state: 'disabled' });
    const conflict = await api.post(PATH, { commandId: off.id }, { as: 'agent' });
    expect(conflict.mustBe(409, 'conflict').text).toContain('"pointer":"/commandId"');
    for (const as of ['srs', 'demo'] as const)
      (await api.post(PATH, {}, { as })).mustBe(403, 'forbidden');
  });

  flow('passes and fails by its own word, and an end is final', NEEDS, async (api) => {
    for (const [walk, refused] of [
      [
        ['running', 'passed'],
        ['running', 'failed', 'broken', 'cancelled', 'queued'],
      ],
      [['running', 'failed'], ['passed']],
      [['broken'], ['running']],
      [['cancelled'], ['passed', 'broken']],
    ] as const) {
      const { held } = await openOwn(api, { state: 'queued' });
      (await write(api, held, { state: 'passed' })).mustBe(409, 'illegal_transition');
      held.seq -= 1;
      for (const state of walk) {
        const run = (await write(api, held, { state })).must(200).json<RunState>();
        expect(run.state).toBe(state);
      }
      for (const state of refused)
        (await write(api, held, { state })).mustBe(409, 'illegal_transition');
      (await write(api, held)).mustBe(409, 'illegal_transition');
      expect(await read(api, held.runId)).toMatchObject({
        ...{ state: walk.at(-1), seq: walk.length, leaseExpiresAt: null, renewAfterMs: null },
      });
    }
    const { held } = await openOwn(api);
    for (const state of ['queued', 'lost'])
      (await write(api, held, { state })).mustBe(409, 'illegal_transition');
  });

  flow('is made once for each idempotency key', NEEDS, async (api) => {
    const headers = { 'idempotency-key': `open ${api.unique}` };
    const sending = { as: 'agent', headers } as const;
    const first = (await api.post(PATH, { name: 'once' }, sending)).must(201);
    const again = (await api.post(PATH, { name: 'once' }, sending)).must(201);
    expect(again.text).toBe(first.text);
    expect(again.header('idempotency-replayed')).toBe('true');
    (await api.post(PATH, { name: 'twice' }, sending)).mustBe(422, 'idempotency_mismatch');
  });
});

describe('writes to a run [PQRS-48]', () => {
  flow('renew its lease, and change what they name alone', NEEDS, async (api) => {
    const { run, held } = await openOwn(api, { leaseMs: 60_000 });
    const say = async (said: object) => (await write(api, held, said)).must(200).json<RunState>();
    expect(await say({ progress: { done: 1, total: 3, current: 'a' } })).toMatchObject({
      ...{ seq: 1, message: null, progress: { done: 1, total: 3, current: 'a' }, version: 2 },
    });
    expect(await say({ message: 'half' })).toMatchObject({
      progress: { done: 1 },
      message: 'half',
    });
    await Bun.sleep(20);
    const beat = await say({});
    expect(beat).toMatchObject({
      ...{ seq: 3, progress: { done: 1 }, message: 'half', state: 'running' },
    });
    expect(Date.parse(beat.leaseExpiresAt!)).toBeGreaterThan(Date.parse(run.leaseExpiresAt!));
    const until = Date.parse(beat.heartbeatAt!) + 60_000;
    expect(Date.parse(beat.leaseExpiresAt!)).toBe(until);
    expect(await say({ progress: { done: 2 } })).toMatchObject({
      progress: { done: 2, total: null, current: null },
    });
    expect(await say({ progress: null, message: null })).toMatchObject({
      ...{ progress: null, message: null, seq: 5, version: 6 },
    });
    expect(await read(api, held.runId)).toMatchObject({ seq: 5, version: 6 });
  });

  flow('go up in their numbers; the same one is a replay of the same alone', NEEDS, async (api) => {
    const { held } = await openOwn(api);
    const { runId, attempt, lease } = held;
    const send = (seq: number, said: object) =>
      api.post(PATH, { runId, attempt, lease, seq, ...said }, { as: 'agent' });
    const progress = { done: 1, total: 2 };
    const first = (await send(7, { progress, message: 'm' })).must(200);
    const again = (await send(7, { message: 'm', progress: { total: 2, done: 1 } })).must(200);
    expect(again.text).toBe(first.text);
    expect(again.header('etag')).toBe(first.header('etag'));
    for (const [seq, said] of [
      [7, { progress, message: 'other' }],
      [7, { progress }],
      [7, {}],
      [7, { progress, message: 'm', state: 'failed' }],
      [6, { progress, message: 'm' }],
      [1, {}],
    ] as const)
      (await send(seq, said)).mustBe(409, 'stale_sequence');
    (await send(100, { state: 'failed' })).must(200);
    (await send(100, { state: 'failed' })).must(200);
    (await send(99, { state: 'failed' })).mustBe(409, 'stale_sequence');
    expect(await read(api, runId)).toMatchObject({ seq: 100, state: 'failed', message: 'm' });
    for (const seq of [0, -1, 1.5, 2 ** 53]) (await send(seq, {})).mustBe(422, 'invalid');
  });

  flow('are for who holds the run alone', NEEDS, async (api) => {
    const { held } = await openOwn(api);
    const { held: strange } = await openOwn(api);
    const { runId, attempt, lease } = held;
    const body = { runId, attempt, lease, seq: 1 };
    const refusals: [object, 'agent' | 'owner' | 'other'][] = [
      [{ ...body, lease: strange.lease }, 'agent'],
      [{ ...body, lease: { ...lease, id: strange.lease.id } }, 'agent'],
      [{ ...body, lease: { ...lease, token: strange.lease.token } }, 'agent'],
      [{ ...body, lease: { ...lease, token: 'x' } }, 'agent'],
      [{ ...body, runId: strange.runId }, 'agent'],
      [{ ...body, runId: 'run_unknown' }, 'agent'],
      [body, 'owner'],
      [body, 'other'],
      [{ ...body, attempt: 2, lease: strange.lease }, 'agent'],
    ];
    for (const [sent, as] of refusals) {
      const refused = (await api.post(PATH, sent, { as })).mustBe(404, 'not_found');
      expect(refused.text).not.toContain(lease.token);
    }
    (await api.post(PATH, { ...body, attempt: 2 }, { as: 'agent' })).mustBe(409, 'conflict');
    for (const name of ['attempt', 'lease', 'seq'] as const) {
      const { [name]: _, ...rest } = body;
      const refused = await api.post(PATH, rest, { as: 'agent' });
      expect(refused.mustBe(422, 'invalid').text).toContain(`"pointer":"/${name}"`);
    }
    for (const name of ['name', 'commandId', 'leaseMs']) {
      const value = name === 'leaseMs' ? 1000 : 'x';
      const refused = await api.post(PATH, { ...body, [name]: value }, { as: 'agent' });
      expect(refused.mustBe(422, 'invalid').text).toContain(`"pointer":"/${name}"`);
    }
    expect(await read(api, runId)).toMatchObject({ seq: 0, version: 1 });
    (await api.get(PATH, { query: { runId }, as: 'other' })).mustBe(404, 'not_found');
    (await api.get(PATH, { query: { runId }, as: 'widget' })).mustBe(403, 'forbidden');
  });

  flow('of a claimed run neither pass nor fail it: that is its report', NEEDS, async (api) => {
    const { planId } = await makePlan(api, [{}, {}, {}]);
    const { held } = await claim(api, { planId });
    const [one, two, three] = held as [Held, Held, Held];
    (await write(api, one, { state: 'running' })).must(200);
    one.seq -= 1;
    for (const state of ['passed', 'failed']) {
      one.seq += 1;
      (await write(api, one, { state })).mustBe(409, 'illegal_transition');
    }
    expect((await runNow(api, one.runId)).state).toBe('running');
    (await report(api, one, 'failed')).must(201);
    expect(await read(api, one.runId)).toMatchObject({ state: 'failed', leaseExpiresAt: null });
    (await write(api, one)).mustBe(409, 'illegal_transition');
    (await write(api, two, { state: 'broken', message: 'no display' })).must(200);
    (await write(api, three, { state: 'cancelled' })).must(200);
    const late = (await report(api, two)).must(202).json<{ late: boolean }>();
    expect(late.late).toBe(true);
    const done = (await askSuite(api, { planId })).must(200).json<object>();
    expect(done).toEqual({ planId, items: [], done: true, retryAfterMs: 0 });
  });
});

describe('what a widget opens [PQRS-48]', () => {
  flow('tells it what it sent, and counts for nothing', NEEDS, async (api) => {
    const sent = { name: 'By hand', message: 'm' };
    const made = (await api.post(PATH, sent, { as: 'widget' })).must(201);
    const { lease, ...run } = made.json<RunState & { lease: { id: string; token: string } }>();
    expect(Object.keys(run).sort()).toEqual(
      ['name', 'message', 'runId', 'attempt', 'seq', 'state', 'leaseExpiresAt']
        .concat(['renewAfterMs', 'cancelRequested'])
        .sort(),
    );
    expect(made.headers.get('etag')).toBeNull();
    const { runId } = run;
    const held: Held = { runId, attempt: 1, lease, as: 'widget', seq: 0 };
    const { id, token } = lease;
    held.lease = { id, token };
    const beat = (await write(api, held, { progress: { done: 1 } })).must(200);
    expect(beat.json<object>()).toMatchObject({ runId, seq: 1, progress: { done: 1 } });
    expect(beat.text).not.toContain('By hand');
    expect(beat.text).not.toContain(token);
    expect(await read(api, runId)).toMatchObject({
      ...{ fromWidget: true, untrusted: true, message: 'm' },
    });
    (await write(api, held, { state: 'passed' })).must(200);
    const { id: commandId } = await addCommand(api);
    const refused = await api.post(PATH, { commandId }, { as: 'widget' });
    expect(refused.mustBe(403, 'forbidden').text).toContain('"pointer":"/commandId"');
    (await api.get(PATH, { as: 'widget' })).mustBe(403, 'forbidden');
    (await api.post('/test-runs', { results: [] }, { as: 'widget' })).mustBe(403, 'forbidden');
  });
});

describe('the list of runs [PQRS-47]', () => {
  flow('is the newest first, by what they are and in pages', NEEDS, async (api) => {
    const { planId, commandIds } = await makePlan(api, [{}, {}, {}]);
    const { suite, held } = await claim(api, { planId });
    const ids = suite.items.map(({ runId }) => runId);
    (await write(api, held[1]!, { state: 'running' })).must(200);
    (await report(api, held[0]!)).must(201);
    const list = async (query: Record<string, string | string[] | number>, as = 'agent') =>
      (await api.get(PATH, { query, as: as as 'agent' })).must(200).json<Page<RunState>>();
    const idsOf = async (query: Record<string, string | string[] | number>) =>
      (await list(query)).items.map(({ runId }) => runId);
    expect(await idsOf({ planId })).toEqual([...ids].reverse());
    expect(await idsOf({ suiteId: suite.id })).toEqual([...ids].reverse());
    expect(await idsOf({ suiteId: suite.id, state: 'running' })).toEqual([ids[1]!]);
    expect(await idsOf({ planId, state: 'running,passed' })).toEqual([ids[1]!, ids[0]!]);
    expect(await idsOf({ planId, state: ['queued', 'passed'] })).toEqual([ids[2]!, ids[0]!]);
    expect(await idsOf({ commandId: commandIds.slice(0, 2) })).toEqual([ids[1]!, ids[0]!]);
    const first = await list({ planId, limit: 2 });
    expect(first.items.map(({ runId }) => runId)).toEqual([ids[2]!, ids[1]!]);
    const rest = await list({ planId, limit: 2, cursor: first.nextCursor! });
    expect([rest.items.map(({ runId }) => runId), rest.nextCursor]).toEqual([[ids[0]!], null]);
    const elsewhere = { planId, limit: 2, cursor: first.nextCursor!, state: 'queued' };
    (await api.get(PATH, { query: elsewhere })).mustBe(422, 'invalid');
    expect(
      (await api.get(PATH, { query: { planId }, as: 'other' })).json<Page<object>>().items,
    ).toEqual([]);
    for (const query of [
      { limit: 0 },
      { limit: 201 },
      { state: 'done' },
      { nonsense: 1 },
      { cursor: 'x' },
      { planId: Array.from({ length: 101 }, (_, at) => `p${at}`) },
    ])
      (await api.get(PATH, { query })).mustBe(422, 'invalid');
    (await api.get(PATH, { query: { runId: 'run_unknown' } })).mustBe(404, 'not_found');
  });

  flow('has views of plans and of suites', { ...NEEDS, compare: false }, async (api) => {
    const { planId } = await makePlan(api, [{}, {}, {}, {}]);
    const { suite, held } = await claim(api, { planId, maxItems: 2 });
    (await report(api, held[0]!, 'failed')).must(201);
    const view = async (name: string) =>
      (await api.get(PATH, { query: { view: name, limit: 200 }, as: 'srs' }))
        .must(200)
        .json<Page<{ id: string }>>().items;
    expect((await view('plans')).find(({ id }) => id === planId)).toMatchObject({
      ...{ origin: 'submitted', done: false },
      items: { total: 4, open: 2, claimed: 1, failed: 1, passed: 0, broken: 0, cancelled: 0 },
    });
    expect((await view('suites')).find(({ id }) => id === suite.id)).toMatchObject({
      ...{ planId, agent: AGENT, runs: { queued: 1, failed: 1, lost: 0 }, endedAt: null },
      lease: { endedAt: null, endedWhy: null },
    });
    (await report(api, held[1]!)).must(201);
    expect((await view('suites')).find(({ id }) => id === suite.id)).toMatchObject({
      ...{ runs: { failed: 1, passed: 1 }, endedAt: expect.any(String) },
      lease: { endedWhy: 'done' },
    });
    for (const query of [
      { view: 'plans', state: 'queued' },
      { view: 'suites', planId },
      { view: 'all' },
    ])
      (await api.get(PATH, { query })).mustBe(422, 'invalid');
  });
});
