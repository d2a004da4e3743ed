// Plans over HTTP: produced, submitted, refused.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow, scenarios } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import { addCommand } from '../support/samples.ts';
import type { Plan, PlanProgress } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project of its own' };
const PATH = '/agent/plan';

const STORIES = `# Shop

## US-1: Paying

As a customer I pay.

Priority: high

## US-2: A receipt

As a customer I have a receipt.

## US-3: A refund

As a customer I have my money back.
`;

interface Suite {
  items: { runId: string; attempt: number }[];
  lease: { id: string; token: string };
}

/** A project of its own with three stories, and commands by their keys. */
async function begin(api: Client) {
  const project = await makeRequirementProject(api);
  await project.bring({ 'stories.md': STORIES });
  const ids: Record<string, string> = {};
  const add = async (key: string, over: object) => {
    const body = { key, argv: ['true'], ...over };
    const made = (await api.post('/test-commands', body, project.as)).must(201);
    ids[key] = made.id;
  };
  await add('pay', { storyIds: ['US-1'], tags: ['smoke'], routes: ['POST /orders'] });
  await add('receipt', { storyIds: ['US-2'], routes: ['GET /orders/{id}/receipt'] });
  await add('both', { storyIds: ['US-1', 'US-2'] });
  await add('old', { storyIds: ['US-3'], state: 'archived' });
  return { project, ids };
}

const ask = async (api: Client, { as }: RequirementProject, body: object) =>
  (await api.post(PATH, body, as)).must(201).json<Plan>();

const keysOf = ({ items }: Plan, ids: Record<string, string>) =>
  items.map(({ commandId }) => Object.keys(ids).find((key) => ids[key] === commandId));

describe('a plan that is produced [PQRS-49]', () => {
  flow('is read again by its id, with how far its items are', OWN, async (api) => {
    const { project } = await begin(api);
    const plan = await ask(api, project, {});
    const path = `/run-state?view=plans&id=${plan.id}`;
    const read = async () => (await api.get(path, project.as)).must(200).json<PlanProgress>();
    expect(await read()).toMatchObject({
      ...{ id: plan.id, origin: 'produced', done: false, items: { total: 3, open: 3 } },
    });
    const agent = { name: 'a' };
    const body = { planId: plan.id, agent, maxItems: 1 };
    const suite = (await api.post('/agent/suite', body, project.as)).must(201).json<Suite>();
    const [{ runId, attempt }] = suite.items as [Suite['items'][0]];
    expect((await read()).items).toMatchObject({ open: 2, claimed: 1 });
    const { id, token } = suite.lease;
    const run = {
      runId,
      attempt,
      lease: { id, token },
      results: [{ name: 'x', status: 'passed' }],
    };
    (await api.post('/test-runs', run, project.as)).must(201);
    expect((await read()).items).toMatchObject({ total: 3, open: 2, passed: 1 });
    (await api.get(`${path}&limit=2`, project.as)).mustBe(422, 'invalid');
    (await api.get(path)).mustBe(404, 'not_found');
  });

  flow('holds what is to run, in its order, and says why', OWN, async (api) => {
    const { project, ids } = await begin(api);
    const answer = (await api.post(PATH, {}, project.as)).must(201);
    const plan = answer.json<Plan>();
    expect(answer.header('location')).toBe(`/api/run-state?view=plans&id=${plan.id}`);
    expect(plan.id).toStartWith('pln_');
    expect(plan).toMatchObject({ revision: 1, strategy: 'full', covered: ['US-1', 'US-2'] });
    expect(plan.uncovered).toEqual([{ storyId: 'US-3', why: 'disabled' }]);
    expect(keysOf(plan, ids)).toEqual(['both', 'pay', 'receipt']);
    expect(plan.items[0]).toMatchObject({
      ...{ position: 1, storyIds: ['US-1', 'US-2'], estimateMs: 10_000 },
      reasons: [
        { code: 'never_ran', detail: 'It never ran.' },
        { code: 'gap' },
        { code: 'priority' },
        { code: 'first_cover', detail: 'It is the first to cover US-1, US-2.' },
      ],
    });
    expect(plan.estimateMs).toBe(30_000);
    expect(plan).not.toHaveProperty('evaluation');
    const again = await ask(api, project, { strategy: 'full' });
    expect({ ...again, id: plan.id }).toEqual(plan);
  });

  flow('is tried without being stored, with what its budget cuts', OWN, async (api) => {
    const { project, ids } = await begin(api);
    const body = { strategy: 'risk', budgetMs: 19_999, dryRun: true, curve: true };
    const draft = (await api.post(PATH, body, project.as)).must(200).json<Plan>();
    const kept = await ask(api, project, { strategy: 'risk', budgetMs: 19_999 });
    expect(keysOf(draft, ids)).toEqual(['both', 'pay', 'receipt']);
    expect(draft.items.map(({ position, cut, key }) => [position, cut, key])).toEqual([
      [1, false, 'both'],
      [2, true, 'pay'],
      [3, true, 'receipt'],
    ]);
    const { items, id: _id, ...figures } = kept;
    expect(draft).toMatchObject({ ...figures, id: null as never, curve: null });
    expect(draft.items[0]).toMatchObject(items[0]!);
    expect(draft.items[0]?.reasons.find(({ code }) => code === 'gap')?.storyIds).toEqual([
      ...['US-1', 'US-2'],
    ]);
    const plans = await project.get<{ items: unknown[] }>('/run-state', { view: 'plans' });
    expect(plans.items.length).toBe(1);
  });

  flow('shows how the failures of the newest cycle are found by and by', OWN, async (api) => {
    const { project, ids } = await begin(api);
    for (const commit of ['c1', 'c2'])
      for (const key of ['pay', 'receipt', 'both']) {
        const status = key === 'receipt' ? 'failed' : 'passed';
        const run = { commandId: ids[key], commit, results: [{ name: 'x', status }] };
        const times = { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:02Z' };
        (await api.post('/test-runs', { ...run, ...times }, project.as)).must(201);
      }
    const { curve } = await ask(api, project, { curve: true });
    const found = [
      { costMs: 2000, found: 1 },
      { costMs: 4000, found: 1 },
      { costMs: 6000, found: 1 },
    ];
    expect(curve).toEqual({ planned: found, optimal: found });
  });

  flow('is what was asked for, within its budget', OWN, async (api) => {
    const { project, ids } = await begin(api);
    const keys = async (body: object) => keysOf(await ask(api, project, body), ids);
    expect(await keys({ tags: ['smoke'] })).toEqual(['pay']);
    expect(await keys({ storyIds: ['US-2'] })).toEqual(['both', 'receipt']);
    expect(await keys({ routes: ['GET /orders/{key}/receipt'] })).toEqual(['receipt']);
    expect(await keys({ strategy: 'failures' })).toEqual([]);
    expect((await keys({ strategy: 'changed', sinceRevision: 1 })).length).toBe(3);
    const tight = await ask(api, project, { strategy: 'risk', budgetMs: 19_999 });
    expect(keysOf(tight, ids)).toEqual(['both']);
    expect(tight.estimateMs).toBe(10_000);
    const named = await ask(api, project, { maxItems: 1, storyIds: ['US-3', 'US-1', 'US-9'] });
    expect(named).toMatchObject({
      covered: ['US-1'],
      uncovered: [
        { storyId: 'US-3', why: 'disabled' },
        { storyId: 'US-9', why: 'unknown_story' },
      ],
    });
  });

  flow('is evaluated on the past of the project, if it has one', OWN, async (api) => {
    const { project } = await begin(api);
    const { evaluation } = await ask(api, project, { evaluate: true });
    const none = { planned: null, random: null, optimal: null };
    const figures = { cycles: 0, apfd: none, apfdc: none };
    expect(evaluation).toEqual({ runs: 0, raw: figures, withoutFlaky: figures });
  });

  flow('is made once for one idempotency key', OWN, async (api) => {
    const { project } = await begin(api);
    const headers = { ...project.as.headers, 'idempotency-key': api.unique };
    const first = (await api.post(PATH, { tags: ['smoke'] }, { headers })).must(201);
    const second = (await api.post(PATH, { tags: ['smoke'] }, { headers })).must(201);
    expect(second.json<Plan>()).toEqual(first.json<Plan>());
    expect(second.header('idempotency-replayed')).toBe('true');
  });
});

describe('a plan that is submitted [PQRS-49]', () => {
  flow('is taken as it is', OWN, async (api) => {
    const { project, ids } = await begin(api);
    const items = [{ commandId: ids.receipt }, { commandId: ids.pay, storyIds: ['US-3', 'US-1'] }];
    const plan = await ask(api, project, { plan: { items } });
    expect(plan).toMatchObject({
      ...{ revision: 1, strategy: null, covered: ['US-1', 'US-2', 'US-3'], uncovered: [] },
      items: [
        { position: 1, commandId: ids.receipt, storyIds: ['US-2'], score: null, reasons: [] },
        { position: 2, commandId: ids.pay, storyIds: ['US-3', 'US-1'], score: null, reasons: [] },
      ],
    });
    const part = await ask(api, project, { plan: { items: items.slice(0, 1) } });
    expect(part.uncovered).toEqual([
      { storyId: 'US-1', why: 'not_selected' },
      { storyId: 'US-3', why: 'disabled' },
    ]);
  });

  flow('names commands and stories that there are, each command once', OWN, async (api) => {
    const { project, ids } = await begin(api);
    const { id: foreign } = await addCommand(api);
    const cases = [
      [foreign, 404, '/plan/items/1/commandId'],
      [ids.old, 409, '/plan/items/1/commandId'],
      [ids.pay, 422, '/plan/items/1/commandId'],
      [ids.receipt, 422, '/plan/items/1/storyIds/1'],
    ] as const;
    for (const [commandId, status, pointer] of cases) {
      const items = [{ commandId: ids.pay }, { commandId, storyIds: ['US-1', 'US-9'] }];
      const refused = await api.post(PATH, { plan: { items } }, project.as);
      const { errors } = refused.must(status).json<{ errors: { pointer: string }[] }>();
      expect(errors.map((error) => error.pointer)).toEqual([pointer]);
    }
  });
});

scenarios(
  'a request for a plan [PQRS-49]',
  {},
  (
    [
      ['with an unknown strategy', { strategy: 'fast' }, '/strategy'],
      ['without time', { budgetMs: 0 }, '/budgetMs'],
      ['with half a millisecond', { budgetMs: 0.5 }, '/budgetMs'],
      ['without items', { maxItems: 0 }, '/maxItems'],
      ['with too many items', { maxItems: 100_001 }, '/maxItems'],
      ['with no stories', { storyIds: [] }, '/storyIds'],
      ['with no tags', { tags: [] }, '/tags'],
      ['since no revision', { sinceRevision: 0 }, '/sinceRevision'],
      ['with an unknown field', { cycles: 1 }, '/cycles'],
      ['for an empty plan', { plan: { items: [] } }, '/plan/items'],
      ['for a plan without a command', { plan: { items: [{}] } }, '/plan/items/0/commandId'],
      [
        'for a plan and a strategy',
        { strategy: 'full', plan: { items: [{ commandId: 'cmd_1' }] } },
        '/strategy',
      ],
    ] as const
  ).map(([name, body, pointer]) => ({
    ...{ name: `${name} is refused`, method: 'POST', path: PATH, body, as: 'agent' as const },
    ...{ status: 422, code: 'invalid', contains: [`"pointer":"${pointer}"`] },
  })),
);

flow('a plan since a revision that there is not is not found', OWN, async (api) => {
  const { project } = await begin(api);
  const refused = await api.post(PATH, { sinceRevision: 7 }, project.as);
  expect(refused.mustBe(404, 'not_found').json<{ errors: object[] }>().errors).toEqual([
    { pointer: '/sinceRevision', detail: 'there is no revision 7 in this project' },
  ]);
});
