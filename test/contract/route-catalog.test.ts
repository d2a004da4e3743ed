// The catalog of routes: from API documents, scenarios and commands.
import { describe, expect } from 'bun:test';
import type { Client, Sending } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import type { Page, Route } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };
const PATH = '/route-catalog';
const STEPS = [{ keyword: 'When', text: 'it is tried' }];

const SWAGGER = JSON.stringify({
  swagger: '2.0',
  info: { title: 'Shop', version: '1' },
  basePath: '/v1',
  paths: {
    '/orders': {
      get: { operationId: 'listOrders', summary: 'Lists orders', tags: ['orders'] },
      post: { 'x-story': 'US-1', summary: 'Places an order', tags: ['orders', 'US-2'] },
    },
    '/orders/{id}': {
      parameters: [{ name: 'trace', in: 'header', type: 'string' }],
      get: { operationId: 'getOrder' },
      delete: {},
    },
    '/orders/mine': { get: {} },
  },
});

const OPENAPI = `openapi: 3.1.0
info: { title: Users, version: "1" }
paths:
  /users/{name}:
    get: { summary: One user }
  /users/{other}:
    get: { summary: The same in other words }
`;

const FEATURE = `Feature: Orders

  @US-3
  Scenario: An order is read
    When I send a "GET" request to "/v1/orders/17?token=hush"
    Then GET /v1/orders/mine is answered too

  @GET:/reports/{year}
  Scenario: A report
    When it is read
`;

async function begin(api: Client) {
  const project = await makeRequirementProject(api);
  const list = async (query: Sending['query'] = {}) =>
    (await project.get<Page<Route>>(PATH, query)).items;
  const texts = async (query: Sending['query'] = {}) =>
    (await list(query)).map(({ method, template }) => `${method} ${template}`);
  const route = async (path: string, method = 'GET') => (await list({ path, method }))[0]!;
  const command = async (key: string, over: object) =>
    (
      await api.post('/test-commands', { key, argv: ['true'], kind: 'shell', ...over }, project.as)
    ).must(201).id;
  const scenario = async (key: string, over: object) =>
    (await api.post('/project-scenarios', { key, steps: STEPS, ...over }, project.as))
      .must(201)
      .json<{ items: { scenario: { id: string } }[] }>().items[0]!.scenario.id;
  return { ...project, list, texts, route, command, scenario };
}

describe('GET /route-catalog [PQRS-53]', () => {
  flow('holds the routes of the API documents by template', OWN, async (api) => {
    const { bring, list, texts } = await begin(api);
    expect(await list()).toEqual([]);
    await bring({ 'a/shop.json': SWAGGER, 'b/users.yaml': OPENAPI });
    expect(await texts()).toEqual([
      ...['GET /users/{name}', 'GET /v1/orders', 'POST /v1/orders', 'GET /v1/orders/mine'],
      ...['DELETE /v1/orders/{id}', 'GET /v1/orders/{id}'],
    ]);
    const [, first, second] = await list();
    expect(first).toMatchObject({
      ...{ operationId: 'listOrders', summary: 'Lists orders', origin: 'openapi' },
      ...{ source: { path: 'a/shop.json', line: 1 } },
      ...{ storyIds: [], scenarioIds: [], commandIds: [] },
      ...{ status: 'untested', lastExercisedAt: null },
    });
    expect(first?.id).toMatch(/^rte_[0-9a-z]{26}$/);
    expect(second?.storyIds).toEqual(['US-1', 'US-2']);
  });

  flow('joins what scenarios and commands declare to the routes there are', OWN, async (api) => {
    const { bring, command, scenario, list, texts, route } = await begin(api);
    await bring({ 'shop.json': SWAGGER, 'orders.feature': FEATURE });
    const stored = await scenario('stored', {
      routes: ['GET /v1/orders/:orderId', 'put /v1/orders/{id}', '/v1/orders'],
      storyIds: ['US-8'],
    });
    const first = await command('a', {
      routes: ['GET /v1/orders/4711', 'DELETE /v1/orders/4?x=1', '/health'],
      storyIds: ['US-9'],
    });
    const second = await command('b', { routes: ['GET /files/{name}.pdf', 'GET /files/a.pdf'] });
    expect(await texts()).toEqual([
      ...['GET /files/{name}.pdf', 'GET /health', 'GET /reports/{year}', 'GET /v1/orders'],
      ...['POST /v1/orders', 'GET /v1/orders/mine', 'DELETE /v1/orders/{id}'],
      ...['GET /v1/orders/{id}', 'PUT /v1/orders/{id}'],
    ]);
    const one = await route('/v1/orders/5');
    expect(one).toMatchObject({ operationId: 'getOrder', commandIds: [first] });
    expect(one.scenarioIds).toEqual([stored]);
    expect(one.storyIds.sort()).toEqual(['US-8', 'US-9']);
    expect(await route('/v1/orders')).toMatchObject({ scenarioIds: [stored] });
    expect(await route('/files/z.pdf')).toMatchObject({ origin: 'command', commandIds: [second] });
    expect(await route('/health')).toMatchObject({ origin: 'command', source: null, summary: '' });
    expect(await route('/reports/2026')).toMatchObject({
      ...{ origin: 'scenario', operationId: null },
      source: { path: 'orders.feature', line: 9 },
    });
    expect(JSON.stringify(await list())).not.toContain('hush');
  });

  flow('finds the template that a concrete URL matches best', OWN, async (api) => {
    const { bring, texts } = await begin(api);
    await bring({ 'shop.json': SWAGGER });
    expect(await texts({ path: 'https://shop.example/v1/orders/17?x=1#y' })).toEqual([
      ...['DELETE /v1/orders/{id}', 'GET /v1/orders/{id}'],
    ]);
    expect(await texts({ path: '/v1/orders/mine', method: 'get' })).toEqual([
      'GET /v1/orders/mine',
    ]);
    expect(await texts({ path: '/v1/orders/mine/x' })).toEqual([]);
  });

  flow('filters and pages', OWN, async (api) => {
    const { as, bring, command, list, texts } = await begin(api);
    await bring({ 'shop.json': SWAGGER });
    await command('a', { routes: ['GET /health', 'GET /v1/orders/mine'], storyIds: ['US-5'] });
    expect(await texts({ method: 'DELETE' })).toEqual(['DELETE /v1/orders/{id}']);
    expect(await texts({ method: ['delete', 'post'] })).toEqual([
      ...['POST /v1/orders', 'DELETE /v1/orders/{id}'],
    ]);
    expect(await texts({ origin: 'command' })).toEqual(['GET /health']);
    expect(await texts({ storyIds: 'US-5' })).toEqual(['GET /health', 'GET /v1/orders/mine']);
    expect(await texts({ status: 'covered,failing' })).toEqual([]);
    expect((await texts({ status: 'untested' })).length).toBe(6);
    const seen: Route[] = [];
    let cursor: string | undefined;
    do {
      const page = (await api.get(PATH, { ...as, query: { limit: 4, cursor } })).must(200);
      const { items, nextCursor } = page.json<Page<Route>>();
      seen.push(...items);
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(await list());
    (await api.get(PATH, { ...as, query: { status: 'gone' } })).mustBe(422, 'invalid');
    (await api.get(PATH, { ...as, query: { cursor: 'x' } })).mustBe(422, 'invalid');
  });

  flow('answers one bare, with an id that stays', OWN, async (api) => {
    const { as, bring, list, command } = await begin(api);
    await bring({ 'shop.json': SWAGGER });
    await command('a', { routes: ['GET /health'] });
    const before = await list();
    for (const { id } of before) {
      const answer = (await api.get(PATH, { ...as, query: { id } })).must(200);
      expect(answer.json<Route>()).toEqual(before.find((one) => one.id === id)!);
      const headers = { ...as.headers, 'if-none-match': answer.header('etag') ?? '' };
      (await api.get(PATH, { headers, query: { id } })).must(304);
      (await api.get(PATH, { query: { id } })).mustBe(404, 'not_found');
    }
    await bring({ 'moved/api.json': SWAGGER.replace('/orders/{id}', '/orders/{orderId}') });
    expect((await list()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const id = 'rte_00000000000000000000000000';
    (await api.get(PATH, { ...as, query: { id } })).mustBe(404, 'not_found');
  });

  flow('no longer holds what nobody declares any more', OWN, async (api) => {
    const { as, command, scenario, texts } = await begin(api);
    const id = await command('a', { routes: ['GET /a', 'GET /both'] });
    await scenario('s', { routes: ['GET /b', 'GET /both'] });
    expect(await texts()).toEqual(['GET /a', 'GET /b', 'GET /both']);
    (await api.patch('/test-commands', { id, state: 'archived' }, as)).must(200);
    expect(await texts()).toEqual(['GET /b', 'GET /both']);
    const archived = { key: 's', steps: STEPS, state: 'archived' };
    (await api.post('/project-scenarios', archived, as)).must(200);
    expect(await texts()).toEqual([]);
  });
});
