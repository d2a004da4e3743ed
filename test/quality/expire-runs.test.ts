// Runs past the retention of their project: they go whole, and what is newest of its kind stays.
import { afterAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { expireRuns } from '../../src/quality/runs/batches.ts';
import { openInstance } from '../support/instance.ts';

const DAY_MS = 24 * 3600 * 1000;

const instance = await openInstance();
const { database } = instance.evidence;
const { token } = await instance.makeProject('short', { retentionDays: 30 });
const kept = await instance.makeProject('kept');

afterAll(() => instance.close());

async function post(path: string, body: object | FormData, as = token): Promise<{ id: string }> {
  const form = body instanceof FormData;
  const answer = await instance.fetch(path, {
    ...{ method: 'POST', token: as, body: form ? body : JSON.stringify(body) },
    ...(form ? {} : { headers: { 'content-type': 'application/json' } }),
  });
  expect([200, 201]).toContain(answer.status);
  return (await answer.json()) as { id: string };
}

function report(name: string): object {
  return { name, results: [{ name: `${name} works`, status: 'passed' }] };
}

async function count(table: string): Promise<number> {
  const [row] = await database.read.values<[number]>(
    sql`select count(*) from ${sql.identifier(table)}`,
  );
  return Number(row?.[0]);
}

test('old runs go with results, pins and attachments; the newest of a command or linked test stays', async () => {
  const command = await post('/api/test-commands', { key: 'unit', argv: ['true'] });
  await post('/api/test-runs', report('plain'));
  await post('/api/test-runs', { ...report('first'), commandId: command.id });
  const newest = await post('/api/test-runs', { ...report('second'), commandId: command.id });
  const linked = await post('/api/test-runs', report('linked [US-1]'));
  await post('/api/projects', {
    slug: 'short',
    sources: [{ path: 'a.md', content: '## US-2: Traced\n\nIt is.\n' }],
  });
  await post('/api/test-runs', report('traced'));
  const traced = await post('/api/test-runs', { ...report('traced'), name: 'again' });
  const run = await instance.fetch(`/api/test-runs?id=${traced.id}`, { token });
  const { results } = (await run.json()) as { results: { items: { testKey: string }[] } };
  const target = { kind: 'test', id: results.items[0]?.testKey };
  const add = [{ storyId: 'US-2', type: 'verifies', target }];
  await post('/api/project-traceability', { add });
  const form = new FormData();
  form.set('run', JSON.stringify({ name: 'with a file' }));
  form.set('report', new File([JSON.stringify(report('attached'))], 'report.json'));
  form.set('log', new File(['what happened'], 'log.txt'));
  await post('/api/test-runs', form);
  await post('/api/test-runs', report('elsewhere'), kept.token);
  expect(await count('attachments')).toBe(1);
  expect(await expireRuns(instance.evidence)).toBe(0);

  instance.pass(29 * DAY_MS);
  const young = await post('/api/test-runs', report('young'));
  instance.pass(2 * DAY_MS);
  expect(await expireRuns(instance.evidence)).toBe(4);
  const answer = await instance.fetch('/api/test-runs', { token });
  const { items } = (await answer.json()) as { items: { id: string }[] };
  expect(items.map(({ id }) => id)).toEqual([young.id, traced.id, linked.id, newest.id]);
  for (const table of ['test_runs', 'run_pins', 'test_results', 'tests']) {
    expect([table, await count(table)]).toEqual([table, 5]);
  }
  expect(await count('attachments')).toBe(0);
  expect(await count('run_batches')).toBe(0);
  expect(await expireRuns(instance.evidence)).toBe(0);
});

test('the newest of a test that a link means by its name stays [PQRS-30]', async () => {
  const target = { kind: 'test', id: 'suite > called' };
  await post('/api/project-traceability', { add: [{ storyId: 'US-2', type: 'verifies', target }] });
  const called = { results: [{ name: 'called', path: ['suite'], status: 'passed' }] };
  const before = await post('/api/test-runs', called);
  const { id } = await post('/api/test-runs', { ...called, name: 'again' });
  instance.pass(31 * DAY_MS);
  await expireRuns(instance.evidence);
  expect((await instance.fetch(`/api/test-runs?id=${before.id}`, { token })).status).toBe(404);
  expect((await instance.fetch(`/api/test-runs?id=${id}`, { token })).status).toBe(200);
});
