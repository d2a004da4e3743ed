// Route candidates: what was seen and is in no catalog.
import { describe, expect } from 'bun:test';
import type { Client, Sending } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import type { Candidate, Page } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };
const PATH = '/route-candidates';

const OPENAPI = `openapi: 3.1.0
info: { title: Users, version: "1" }
paths:
  /users/{id}:
    get: {}
`;

async function begin(api: Client) {
  const project = await makeRequirementProject(api);
  const list = async (query: Sending['query'] = {}) =>
    (await project.get<Page<Candidate>>(PATH, query)).items;
  const texts = async (query: Sending['query'] = {}) =>
    (await list(query)).map(({ method, template }) => `${method} ${template}`);
  const issue = async (over: object) =>
    (await api.post('/issues', { title: 'Seen', ...over }, project.as)).must(201).id;
  const log = async (...entries: object[]) =>
    (
      await api.post(
        '/system-logs',
        entries.map((entry) => ({ message: 'seen', ...entry })),
        project.as,
      )
    ).must(201);
  return { ...project, list, texts, issue, log };
}

describe('GET /route-candidates [PQRS-54]', () => {
  flow('answers what issues name and no template takes', OWN, async (api) => {
    const { bring, issue, list, texts } = await begin(api);
    expect(await list()).toEqual([]);
    await bring({ 'users.yaml': OPENAPI });
    await issue({ route: '/users/12' });
    const [one, two] = ['2026-01-01T10:00:00.000Z', '2026-01-02T10:00:00.000Z'];
    await issue({ url: 'https://shop.example/orders/8', occurredAt: two, storyIds: ['US-2'] });
    await issue({ route: '/orders/7?token=hush', occurredAt: one, storyIds: ['US-1'] });
    expect(await list()).toEqual([
      {
        ...{ method: 'GET', template: '/orders/{id}', examples: ['/orders/7', '/orders/8'] },
        ...{ observations: 2, firstSeen: one, lastSeen: two, origins: ['issue'] },
        ...{ confidence: 0.95, params: [{ name: 'id', type: 'integer' }] },
        ...{ storyIds: ['US-1', 'US-2'], untrusted: false },
      },
    ]);
    // Once the catalog has it, it is none.
    await bring({ 'users.yaml': `${OPENAPI}  /orders/{number}:\n    get: {}\n` });
    expect(await texts()).toEqual([]);
  });

  flow('takes the requests of a page to its own site', OWN, async (api) => {
    const { issue, texts, list } = await begin(api);
    const network = [
      { method: 'post', url: 'https://shop.example/api/carts/9/items?session=hush', status: 500 },
      { method: 'GET', url: 'https://api.shop.example/prices' },
      { method: 'GET', url: '/api/status;jsessionid=hush#x' },
      { method: 'GET', url: 'https://tracker.example/collect' },
      { method: 'GET', url: '/assets/app.3f9.js' },
      { method: 'GET', url: 'data:text/plain,hush' },
      { url: 17 },
    ];
    const page = { url: 'https://shop.example/checkout', route: '/checkout' };
    await issue({ context: { page, network: network.slice(0, -1) } });
    expect((await texts()).sort()).toEqual([
      ...['GET /api/status', 'GET /checkout', 'GET /prices', 'POST /api/carts/{id}/items'],
    ]);
    expect(JSON.stringify(await list())).not.toContain('hush');
  });

  flow('takes the routes of log entries, and no other words', OWN, async (api) => {
    const { log, texts, list } = await begin(api);
    await log(
      { route: '/reports/2026-01-31' },
      { route: '/reports/2026-02-01' },
      { route: 'DELETE /reports/2026-02-01?key=hush' },
      { route: 'checkout page' },
      { route: 'Page /checkout' },
      { route: null },
    );
    expect(await texts()).toEqual(['GET /reports/{date}', 'DELETE /reports/{date}']);
    const [first] = await list();
    expect(first).toMatchObject({ origins: ['log'], observations: 2 });
    await log({ route: '/reports/2026-02-01' }, { route: '/x' });
    expect(await list({ origins: 'log', method: 'get' })).toMatchObject([
      { template: '/reports/{date}', observations: 3 },
      { template: '/x', observations: 1 },
    ]);
  });

  flow('takes what stories and scenarios name with a method', OWN, async (api) => {
    const { bring, list, as } = await begin(api);
    const stories = `# Shop

## US-1: Reading an invoice

As a clerk I read an invoice by \`GET /invoices/{number}\`, or at /somewhere.

Acceptance criteria:

- **DELETE /invoices/7** is refused.
`;
    const feature = `Feature: Invoices

  @US-2
  Scenario Outline: Invoices
    When I GET /invoices/<number>?secret=hush
    And I send a "PUT" request to "/invoices/<number>/note"
    And I look at /elsewhere

    Examples:
      | number |
      | 1      |
`;
    await bring({ 'stories.md': stories, 'a.feature': feature });
    const steps = [{ keyword: 'When', text: 'I POST /drafts' }];
    (await api.post('/project-scenarios', { key: 'k', steps }, as)).must(201);
    const told = (await list()).map(({ method, template, origins, storyIds }) =>
      [method, template, ...origins, ...storyIds].join(' '),
    );
    expect(told.sort()).toEqual([
      'DELETE /invoices/{number} story US-1',
      ...['GET /invoices/{number} scenario story US-1 US-2', 'POST /drafts scenario'],
      'PUT /invoices/{number}/note scenario US-2',
    ]);
    expect(JSON.stringify(await list())).not.toContain('hush');
  });

  flow('filters by method, origin and story, and pages', OWN, async (api) => {
    const { as, log, issue, list, texts } = await begin(api);
    await log(...Array.from({ length: 9 }, (_, at) => ({ route: `/a/${at}` })));
    await log({ route: 'POST /b' }, { route: 'POST /b' });
    await issue({ route: '/c', storyIds: ['US-4'] });
    expect(await texts()).toEqual(['GET /a/{id}', 'POST /b', 'GET /c']);
    expect(await texts({ method: ['post', 'PUT'] })).toEqual(['POST /b']);
    expect(await texts({ origins: 'issue,run' })).toEqual(['GET /c']);
    expect(await texts({ storyIds: 'US-4' })).toEqual(['GET /c']);
    const seen: Candidate[] = [];
    let cursor: string | undefined;
    do {
      const page = (await api.get(PATH, { ...as, query: { limit: 1, cursor } })).must(200);
      const { items, nextCursor } = page.json<Page<Candidate>>();
      seen.push(...items);
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(await list());
    (await api.get(PATH, { ...as, query: { id: 'x' } })).mustBe(422, 'invalid');
  });

  flow('follows an issue that says something else by now', OWN, async (api) => {
    const { as, issue, list, texts } = await begin(api);
    const id = await issue({ route: '/old' });
    await issue({ route: '/other' });
    expect(await texts()).toEqual(['GET /old', 'GET /other']);
    const changed = { route: '/new', storyIds: ['US-6'] };
    (await api.patch(`/issues/${id}`, changed, as)).must(200);
    expect(await texts()).toEqual(['GET /new', 'GET /other']);
    expect((await list())[0]?.storyIds).toEqual(['US-6']);
  });
});
