// Reports of runs that an agent holds: what they end, who may send them, those that come too late,
// and what was lent to the agent and must not be stored.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { form } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { AGENT, JUNIT, PASSED, PATH, type Run, readOne, sendJson } from '../support/test-runs.ts';

interface Claimed {
  id: string;
  planId: string;
  items: { runId: string; attempt: number; commandId: string }[];
  lease: { id: string; token: string };
  credentials: Record<string, string>;
}

interface Claim {
  runId: string;
  attempt: number;
  lease: { id: string; token: string };
}

const SECRET = 'tr0ub4dor&3 "quoted" <tag>';
const LENT = { credentials: ['PASSWORD'], secrets: { PASSWORD: SECRET } };
const RANDOM = { ...AGENT, compare: false };

async function addCommand(api: Client, over: object = {}): Promise<string> {
  const body = { key: `k-${api.unique}-${Math.random()}`, argv: ['true'], ...over };
  return (await api.post('/test-commands', body)).must(201).id;
}

/** Claims a command for an agent. */
async function claim(api: Client, commandId: string): Promise<{ suite: Claimed; held: Claim }> {
  const body = { commandIds: [commandId], agent: { name: 'robot', version: '7' } };
  const suite = (await api.post('/agent/suite', body, { as: 'agent' })).must(201).json<Claimed>();
  const { runId, attempt } = suite.items[0]!;
  const { id, token } = suite.lease;
  return { suite, held: { runId, attempt, lease: { id, token } } };
}

const stateOf = async (api: Client, runId: string) =>
  (await api.get('/run-state', { query: { runId } })).must(200).json<{ state: string }>().state;

const runsOf = async (api: Client, id: string) =>
  (await api.get('/test-commands', { query: { id } }))
    .must(200)
    .json<{ stats: { runs: number; lastRunId: string } }>().stats;

describe('the report of a claimed run [PQRS-48]', () => {
  flow('ends it, and is the run that was claimed', RANDOM, async (api) => {
    const commandId = await addCommand(api, { name: 'Checkout' });
    const { suite, held } = await claim(api, commandId);
    const sent = await sendJson(api, { ...held, results: [PASSED] });
    const run = sent.must(201).json<Run>();
    expect(run).toMatchObject({
      ...{ id: held.runId, attempt: 1, commandId, suiteId: suite.id, planId: suite.planId },
      ...{ name: 'Checkout', agent: { name: 'robot', version: '7' } },
      ...{ status: 'passed', late: false, counts: true },
    });
    expect(await stateOf(api, held.runId)).toBe('passed');
    expect(await runsOf(api, commandId)).toMatchObject({ runs: 1, lastRunId: run.id });
    for (const text of [sent.text, (await api.get(PATH, { query: { id: run.id } })).text]) {
      expect(text).not.toContain(held.lease.token);
    }
  });

  flow('comes in a form as well, with the lease in the part run', RANDOM, async (api) => {
    const { held } = await claim(api, await addCommand(api));
    const parts = [
      { name: 'run', value: JSON.stringify({ ...held, execution: { exitCode: 1 } }) },
      { name: 'report', value: JUNIT, type: 'application/xml' },
    ];
    const sent = await api.send('POST', PATH, form(parts, { as: 'agent' }));
    expect(sent.must(201).json<Run>()).toMatchObject({ id: held.runId, status: 'failed' });
    expect(await stateOf(api, held.runId)).toBe('failed');
  });

  flow('that is no report breaks it', RANDOM, async (api) => {
    const { held } = await claim(api, await addCommand(api));
    const sent = await sendJson(api, { ...held, execution: { exitCode: 127 } });
    expect(sent.must(201).json<Run>()).toMatchObject({ id: held.runId, status: 'broken' });
    expect(await stateOf(api, held.runId)).toBe('broken');
  });

  flow('sent again is the same run; another one comes too late', RANDOM, async (api) => {
    const commandId = await addCommand(api);
    const { held } = await claim(api, commandId);
    const body = { ...held, results: [PASSED] };
    const first = (await sendJson(api, body)).must(201).json<Run>();
    expect((await sendJson(api, body)).must(200).json<Run>()).toEqual(first);
    const other = { ...held, results: [{ ...PASSED, status: 'failed' }] };
    const late = (await sendJson(api, other)).must(202).json<Run>();
    expect(late).toMatchObject({ late: true, counts: false, status: 'failed', commandId });
    expect(late.id).not.toBe(first.id);
    expect((await readOne(api, late.id)).results.items).toHaveLength(1);
    expect((await readOne(api, first.id)).status).toBe('passed');
    expect(await stateOf(api, held.runId)).toBe('passed');
    expect(await runsOf(api, commandId)).toMatchObject({ runs: 1, lastRunId: first.id });
  });

  flow('comes too late where an owner has cancelled the run', RANDOM, async (api) => {
    const commandId = await addCommand(api);
    const { held } = await claim(api, commandId);
    const { runId, attempt, lease } = held;
    (await api.post('/run-state', { runId, state: 'cancelled' })).must(200);
    const end = { runId, attempt, lease, seq: 1, state: 'cancelled' };
    (await api.post('/run-state', end, { as: 'agent' })).must(200);
    const body = { ...held, results: [PASSED] };
    const late = (await sendJson(api, body)).must(202).json<Run>();
    expect(late).toMatchObject({ late: true, counts: false, status: 'passed' });
    expect((await sendJson(api, body)).must(202).json<Run>().id).toBe(late.id);
    expect(await stateOf(api, runId)).toBe('cancelled');
    expect((await runsOf(api, commandId)).runs).toBe(0);
  });

  flow('needs the lease under the token that claimed, and its attempt', RANDOM, async (api) => {
    const commandId = await addCommand(api);
    const { held } = await claim(api, commandId);
    const send = (over: object, as: 'agent' | 'owner' = 'agent') =>
      sendJson(api, { ...held, ...over, results: [PASSED] }, { as });
    (await send({}, 'owner')).mustBe(404, 'not_found');
    (await send({ runId: 'run_none' })).mustBe(404, 'not_found');
    (await send({ lease: { ...held.lease, token: 'x' } })).mustBe(404, 'not_found');
    (await send({ lease: { ...held.lease, id: 'lse_none' } })).mustBe(404, 'not_found');
    (await send({ attempt: 2 })).mustBe(409, 'conflict');
    const other = await send({ commandId: await addCommand(api) });
    expect(other.mustBe(422, 'invalid').text).toContain('/commandId');
    expect(await stateOf(api, held.runId)).toBe('queued');
    (await send({ commandId })).must(201);
  });

  flow('is that of a run that the agent opened itself', RANDOM, async (api) => {
    const commandId = await addCommand(api);
    const opened = (await api.post('/run-state', { commandId }, { as: 'agent' }))
      .must(201)
      .json<{ runId: string; attempt: number; lease: { id: string; token: string } }>();
    const { runId, attempt, lease } = opened;
    const held = { runId, attempt, lease: { id: lease.id, token: lease.token } };
    const run = (await sendJson(api, { ...held, results: [PASSED] })).must(201).json<Run>();
    expect(run).toMatchObject({ id: runId, commandId, suiteId: null, counts: true });
    expect(await stateOf(api, runId)).toBe('passed');
  });
});

describe('what was lent [PQRS-40]', () => {
  flow('is stored as *** wherever it turns up', RANDOM, async (api) => {
    const { suite, held } = await claim(api, await addCommand(api, LENT));
    expect(suite.credentials).toEqual({ PASSWORD: SECRET });
    const result = {
      ...{ ...PASSED, name: `logs in with ${SECRET}`, path: [SECRET], status: 'failed' },
      ...{ message: `wrong: ${SECRET}`, trace: `at ${SECRET}\nat ${SECRET}` },
      parameters: { password: SECRET },
      attempts: [{ status: 'failed', message: SECRET }, { status: 'failed' }],
    };
    const own = {
      ...{ ...held, name: `Run with ${SECRET}`, environment: SECRET, branch: SECRET },
      ...{ execution: { exitCode: 1, consoleTail: `$ login ${SECRET}` } },
      results: [result],
    };
    const sent = (await sendJson(api, own)).must(201);
    const shown = await api.get(PATH, { query: { id: held.runId } });
    for (const text of [sent.text, shown.text]) expect(text).not.toContain('tr0ub4dor');
    const { results } = shown.json<Run>();
    expect(results.items[0]).toMatchObject({ name: 'logs in with ***', message: 'wrong: ***' });
    expect(shown.json()).toMatchObject({
      ...{ name: 'Run with ***', environment: '***', branch: '***' },
      ...{ execution: { consoleTail: '$ login ***' } },
    });
  });

  flow('is not in XML, nor in the files beside it', RANDOM, async (api) => {
    const { held } = await claim(api, await addCommand(api, LENT));
    const quoted = SECRET.replace('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
    const report = `<testsuite name="s" tests="1"><testcase name="one" file="a.ts"><failure message="${quoted}">${quoted}</failure></testcase></testsuite>`;
    const parts = [
      { name: 'run', value: JSON.stringify(held) },
      { name: 'report', value: report, type: 'application/xml' },
      { name: 'log', value: `x\n${SECRET}\ny`, fileName: 'run.log', type: 'text/plain' },
      { name: 'bin', value: `\0\x01${SECRET}`, fileName: 'core.bin' },
    ];
    const sent = await api.send('POST', PATH, form(parts, { as: 'agent' }));
    const run = sent.must(201).json<Run>();
    const shown = await api.get(PATH, { query: { id: run.id } });
    for (const text of [sent.text, shown.text]) expect(text).not.toContain('tr0ub4dor');
    expect(shown.json<Run>().results.items[0]!.message).toContain('***');
    const [log, core] = await Promise.all(run.attachments.map(({ url }) => api.follow(url)));
    expect(log!.must(200).text).toBe('x\n***\ny');
    expect(core!.must(200).text).not.toContain('tr0ub4dor');
  });

  flow('is not in what a heartbeat tells', RANDOM, async (api) => {
    const { held } = await claim(api, await addCommand(api, LENT));
    const beat = {
      ...{ ...held, seq: 1, state: 'running', message: `$ login ${SECRET}` },
      progress: { done: 1, total: 2, current: `login ${SECRET}` },
    };
    const told = (await api.post('/run-state', beat, { as: 'agent' })).must(200);
    const again = (await api.post('/run-state', beat, { as: 'agent' })).must(200);
    expect(again.json<{ seq: number }>().seq).toBe(1);
    const shown = await api.get('/run-state', { query: { runId: held.runId } });
    for (const { text } of [told, again, shown.must(200)]) expect(text).not.toContain('tr0ub4dor');
    const progress = { done: 1, total: 2, current: 'login ***' };
    expect(shown.json()).toMatchObject({ message: '$ login ***', progress });
    const other = { ...beat, message: 'something else' };
    (await api.post('/run-state', other, { as: 'agent' })).mustBe(409, 'stale_sequence');
  });

  flow('stays hidden in a late report', RANDOM, async (api) => {
    const { held } = await claim(api, await addCommand(api, LENT));
    (await sendJson(api, { ...held, results: [PASSED] })).must(201);
    const late = { ...held, results: [{ ...PASSED, status: 'failed', message: SECRET }] };
    const { id } = (await sendJson(api, late)).must(202).json<Run>();
    expect((await readOne(api, id)).results.items[0]!.message).toBe('***');
  });
});
