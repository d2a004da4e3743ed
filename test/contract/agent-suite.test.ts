// Suites: claimed from a plan without overlaps, or an agent's own; what is lent with them.
import { describe, expect } from 'bun:test';
import {
  AGENT,
  askSuite,
  claim,
  makePlan,
  type RunState,
  report,
  type Suite,
  write,
} from '../support/claims.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import type { Role } from '../support/roles.ts';
import { addCommand } from '../support/samples.ts';
import type { Page, ProblemDocument } from '../support/shapes.ts';

const NEEDS = { needs: ['agent', 'srs', 'demo', 'widget', 'other'] } as const;
const PATH = '/agent/suite';

const positions = ({ items }: Suite) => items.map(({ position }) => position);

const leaseOf = async (api: Client, runId: string) =>
  Date.parse(
    (await api.get('/run-state', { query: { runId } })).must(200).json<RunState>().leaseExpiresAt!,
  );

describe('a suite of a plan [PQRS-50]', () => {
  flow('holds what an agent must know to run its items', NEEDS, async (api) => {
    const command = {
      ...{ name: 'Checkout', kind: 'playwright', argv: ['npx', 'playwright', 'test'], cwd: 'web' },
      ...{ env: { CI: '1' }, timeoutMs: 9000, storyIds: ['US-1'] },
      report: { format: 'junit', path: 'out/report.xml' },
    };
    const { planId, commandIds } = await makePlan(api, [command, {}]);
    const asked = { planId, agent: { name: 'robot', version: null }, leaseMs: 10_000 };
    const answer = (await askSuite(api, asked)).must(201);
    const suite = answer.json<Suite>();
    expect(answer.header('location')).toBe(`/api/run-state?suiteId=${suite.id}`);
    expect(suite).toEqual({
      id: expect.stringMatching(/^ste_/),
      planId,
      items: [
        {
          ...{ position: 1, runId: expect.stringMatching(/^run_/), attempt: 1 },
          ...{ commandId: commandIds[0]!, ...command },
        },
        expect.objectContaining({ position: 2, commandId: commandIds[1]!, argv: ['true'] }),
      ],
      lease: {
        ...{ id: expect.stringMatching(/^lse_/), token: expect.stringMatching(/^\w{52}$/) },
        ...{ expiresAt: expect.any(String), renewAfterMs: 2000 },
      },
      credentials: {},
    });
    const { items } = (await api.get('/run-state', { query: { suiteId: suite.id } }))
      .must(200)
      .json<Page<RunState>>();
    for (const run of items)
      expect(run).toMatchObject({
        ...{ state: 'queued', seq: 0, planId, agent: { name: 'robot', version: null } },
        ...{ heartbeatAt: null, leaseExpiresAt: suite.lease.expiresAt, renewAfterMs: 2000 },
      });
    expect(JSON.stringify(items)).not.toContain(suite.lease.token);
  });

  flow('holds what no other has, until all is done', NEEDS, async (api) => {
    const { planId } = await makePlan(api, [{}, {}, {}, {}, {}]);
    const first = await claim(api, { planId, maxItems: 2 });
    const second = await claim(api, { planId, maxItems: 2 }, 'owner');
    const third = await claim(api, { planId });
    expect([first, second, third].map(({ suite }) => positions(suite))).toEqual([
      [1, 2],
      [3, 4],
      [5],
    ]);
    const empty = (await askSuite(api, { planId })).must(200).json<object>();
    expect(empty).toEqual({ planId, items: [], done: false, retryAfterMs: 5000 });
    for (const one of [...first.held, ...second.held, ...third.held])
      (await report(api, one)).must(201);
    const done = (await askSuite(api, { planId })).must(200).json<object>();
    expect(done).toEqual({ planId, items: [], done: true, retryAfterMs: 0 });
  });

  flow('never overlaps with another that is claimed at the same time', NEEDS, async (api) => {
    const { planId } = await makePlan(
      api,
      Array.from({ length: 40 }, () => ({})),
    );
    const roles: Role[] = ['agent', 'owner'];
    const send = (index: number) =>
      api.target.fetch(`${api.prefix}${PATH}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${api.target.token(roles[index % 2]!)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ planId, agent: AGENT, maxItems: 3 }),
      });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => (await send(index)).json() as Promise<Suite>),
    );
    const claimed = answers.flatMap(positions);
    expect(claimed.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(new Set(answers.filter(({ items }) => items.length > 0).map(({ id }) => id)).size).toBe(
      14,
    );
  });

  flow('holds kinds that the agent can run, and no command that is off', NEEDS, async (api) => {
    const kinds = [{ kind: 'manual' }, { kind: 'shell' }, { kind: 'http' }, {}, {}];
    const { planId, commandIds } = await makePlan(api, kinds);
    for (const [index, state] of [
      [0, 'archived'],
      [3, 'disabled'],
    ] as const)
      (await api.patch('/test-commands', { id: commandIds[index], state })).must(200);
    const agent = { ...AGENT, kinds: ['http', 'manual'] };
    expect(positions((await claim(api, { planId, agent })).suite)).toEqual([3]);
    const none = (await askSuite(api, { planId, agent })).must(200).json<object>();
    expect(none).toMatchObject({ items: [], done: false });
    expect(positions((await claim(api, { planId })).suite)).toEqual([2, 5]);
  });

  flow('is one lease: a write to any of its runs renews it for all', NEEDS, async (api) => {
    const { planId } = await makePlan(api, [{}, {}]);
    const { held } = await claim(api, { planId, leaseMs: 60_000 });
    const [one, other] = held;
    const before = await leaseOf(api, other!.runId);
    await Bun.sleep(20);
    (await write(api, one!, { state: 'running' })).must(200);
    expect(await leaseOf(api, other!.runId)).toBeGreaterThan(before);
    expect(await leaseOf(api, other!.runId)).toBe(await leaseOf(api, one!.runId));
  });
});

describe('a suite of commands [PQRS-50]', () => {
  flow('stores a plan of them, of which others claim too', NEEDS, async (api) => {
    const ids = [(await addCommand(api)).id, (await addCommand(api)).id];
    const commandIds = [ids[1]!, ids[0]!];
    const { suite } = await claim(api, { commandIds, maxItems: 1 });
    expect(suite.items.map(({ commandId }) => commandId)).toEqual([commandIds[0]!]);
    const other = await claim(api, { planId: suite.planId! }, 'owner');
    expect(other.suite.items.map(({ commandId }) => commandId)).toEqual([commandIds[1]!]);
    (await askSuite(api, { commandIds: [ids[0], ids[0]] })).mustBe(422, 'invalid');
    (await askSuite(api, { commandIds: ids }, 'other')).mustBe(404, 'not_found');
  });

  flow('takes their keys as well as their ids', NEEDS, async (api) => {
    const [one, other] = [await addCommand(api), await addCommand(api)];
    const { suite } = await claim(api, { commandIds: [other.key, one.id] });
    expect(suite.items.map(({ commandId }) => commandId)).toEqual([other.id, one.id]);
    const twice = await askSuite(api, { commandIds: [one.id, other.id, one.key] });
    expect(twice.mustBe(422, 'invalid').json<ProblemDocument>().errors).toEqual([
      { pointer: '/commandIds/2', detail: 'is the command that /commandIds/0 names' },
    ]);
  });

  flow('says which of them there are not, or are not to be run', NEEDS, async (api) => {
    const [on, off, old] = [await addCommand(api), await addCommand(api), await addCommand(api)];
    (await api.patch('/test-commands', { id: off.id, state: 'disabled' })).must(200);
    (await api.patch('/test-commands', { id: old.id, state: 'archived' })).must(200);
    const errorsOf = (answer: Awaited<ReturnType<typeof askSuite>>) =>
      answer.json<ProblemDocument>().errors;
    const unknown = await askSuite(api, { commandIds: [off.id, 'cmd_unknown', on.id, 'none'] });
    expect(errorsOf(unknown.mustBe(404, 'not_found'))).toEqual([
      { pointer: '/commandIds/1', detail: 'there is no test command cmd_unknown in this project' },
      { pointer: '/commandIds/3', detail: 'there is no test command none in this project' },
    ]);
    const refused = await askSuite(api, { commandIds: [off.id, on.id, old.key] });
    expect(errorsOf(refused.mustBe(409, 'conflict'))).toEqual([
      { pointer: '/commandIds/0', detail: `the test command ${off.key} is disabled` },
      { pointer: '/commandIds/2', detail: `the test command ${old.key} is archived` },
    ]);
  });
});

describe("a suite of the agent's own [PQRS-50]", () => {
  flow('is taken as it is, with what a command says of the rest', NEEDS, async (api) => {
    const name = `C_${api.unique}`;
    const command = {
      argv: ['a'],
      env: { A: '1' },
      credentials: [name],
      secrets: { [name]: 'xyz!' },
    };
    const { id: commandId, key } = await addCommand(api, { ...command, storyIds: ['US-1'] });
    const items = [
      { commandId },
      { commandId, name: 'Renamed', argv: ['b'], report: { format: 'tap' } },
      { name: 'Bare', argv: ['c'], storyIds: ['US-2'], timeoutMs: 5, cwd: 'x', env: { B: '2' } },
      {},
    ];
    const { suite, held } = await claim(api, { suite: { items } });
    expect(suite).toMatchObject({ planId: null, credentials: {} });
    expect(suite.items).toMatchObject([
      { position: 1, attempt: 1, commandId, name: key, argv: ['a'], env: { A: '1' } },
      { commandId, name: 'Renamed', argv: ['b'], report: { format: 'tap', path: null } },
      {
        ...{ position: 3, commandId: null, name: 'Bare', kind: 'shell', argv: ['c'] },
        ...{ storyIds: ['US-2'], timeoutMs: 5, cwd: 'x', env: { B: '2' } },
      },
      { position: 4, name: 'Item 4', argv: [], report: { format: 'none', path: null } },
    ]);
    (await write(api, held[2]!, { state: 'running' })).must(200);
    (await write(api, held[2]!, { state: 'passed' })).mustBe(409, 'illegal_transition');
    for (const one of held) (await report(api, one)).must(201);
    const { items: runs } = (await api.get('/run-state', { query: { suiteId: suite.id } }))
      .must(200)
      .json<Page<RunState>>();
    expect(runs.map(({ state }) => state)).toEqual(['passed', 'passed', 'passed', 'passed']);
    const byKey = await claim(api, { suite: { items: [{ commandId: key }] } });
    expect(byKey.suite.items).toMatchObject([{ commandId, name: key, argv: ['a'] }]);
    const pointer = '"pointer":"/suite/items/1/commandId"';
    const unknown = { suite: { items: [{}, { commandId: 'cmd_unknown' }] } };
    expect((await askSuite(api, unknown)).mustBe(404, 'not_found').text).toContain(pointer);
    (await api.patch('/test-commands', { id: commandId, state: 'disabled' })).must(200);
    const off = await askSuite(api, { suite: { items: [{}, { commandId }] } });
    expect(off.mustBe(409, 'conflict').text).toContain(pointer);
  });

  flow('may be long', { ...NEEDS, compare: false }, async (api) => {
    const items = Array.from({ length: 3000 }, (_, at) => ({ name: `n ${at}` }));
    const { suite } = await claim(api, { suite: { items } });
    expect(suite.items.map(({ name }) => name)).toEqual(items.map(({ name }) => name));
    expect(new Set(suite.items.map(({ runId }) => runId)).size).toBe(3000);
  });
});

describe('what is refused [PQRS-50]', () => {
  flow('says where it is wrong', NEEDS, async (api) => {
    const { planId, commandIds } = await makePlan(api, [{}]);
    const suite = { items: [{ argv: ['true'] }] };
    for (const [body, pointer] of [
      [{}, '/planId'],
      [{ planId, commandIds }, '/commandIds'],
      [{ planId, suite }, '/suite'],
      [{ commandIds: [] }, '/commandIds'],
      [{ suite: { items: [] } }, '/suite/items'],
      [{ suite, maxItems: 1 }, '/maxItems'],
      [{ suite, agent: { ...AGENT, kinds: ['shell'] } }, '/agent/kinds'],
      [{ suite: { items: [{ env: { 'a=b': '1' } }] } }, '/suite/items/0/env/a=b'],
      [{ suite: { items: [{ argv: [] }] } }, '/suite/items/0/argv'],
      [{ suite: { items: [{ credentials: ['A'] }] } }, '/suite/items/0/credentials'],
      [{ planId, maxItems: 0 }, '/maxItems'],
      [{ planId, maxItems: 1001 }, '/maxItems'],
      [{ planId, leaseMs: 999 }, '/leaseMs'],
      [{ planId, leaseMs: 3_600_001 }, '/leaseMs'],
      [{ planId, agent: {} }, '/agent/name'],
      [{ planId, agent: { ...AGENT, kinds: ['robot'] } }, '/agent/kinds/0'],
      [{ planId, nonsense: 1 }, '/nonsense'],
    ] as const) {
      (await askSuite(api, body)).mustBe(422, 'invalid', pointer);
    }
    const unknown = (await askSuite(api, { planId: 'pln_unknown' })).mustBe(404, 'not_found');
    expect(unknown.json<ProblemDocument>().errors).toEqual([
      { pointer: '/planId', detail: 'there is no plan pln_unknown in this project' },
    ]);
    (await askSuite(api, { planId }, 'other')).mustBe(404, 'not_found');
    for (const as of ['srs', 'demo', 'widget'] as const)
      (await askSuite(api, { planId }, as)).mustBe(403, 'forbidden');
    expect(positions((await claim(api, { planId })).suite)).toEqual([1]);
  });
});

describe('credentials of a suite [PQRS-40] [PQRS-50]', () => {
  flow('are lent while its lease lives, to a repeated request too', NEEDS, async (api) => {
    const name = `C_${api.unique}`;
    const [one, other] = [`${name}_1`, `${name}_2`];
    const secrets = { [one]: 'value of one', [other]: 'value of the other' };
    const { planId } = await makePlan(api, [
      { credentials: [one, other], secrets },
      { credentials: [one] },
      {},
    ]);
    const headers = { 'idempotency-key': `suite ${api.unique}` };
    const body = { planId, agent: AGENT };
    const ask = async () => (await api.post(PATH, body, { as: 'agent', headers })).must(201);
    const first = await ask();
    const suite = first.json<Suite>();
    expect(suite.credentials).toEqual(secrets);
    const again = await ask();
    expect(again.header('idempotency-replayed')).toBe('true');
    expect(again.json<Suite>()).toEqual(suite);
    const { id, token } = suite.lease;
    for (const { runId, attempt } of suite.items) {
      const held = { runId, attempt, lease: { id, token }, as: 'agent', seq: 0 } as const;
      expect((await report(api, held)).must(201).text).not.toContain('value of');
    }
    expect((await ask()).json<Suite>()).toEqual({ ...suite, credentials: {} });
  });

  flow('that nobody set are a conflict, and nothing is claimed', NEEDS, async (api) => {
    const name = `C_${api.unique}`;
    const { planId } = await makePlan(api, [{ credentials: [name] }]);
    const refused = (await askSuite(api, { planId })).mustBe(409, 'conflict');
    expect(refused.text).toContain(name);
    const { id } = await addCommand(api, { credentials: [name], secrets: { [name]: 'set now' } });
    expect(id).toStartWith('cmd_');
    const { suite } = await claim(api, { planId });
    expect(suite).toMatchObject({ credentials: { [name]: 'set now' }, items: [{ attempt: 1 }] });
  });
});
