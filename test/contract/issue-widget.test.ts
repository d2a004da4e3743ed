// What a widget may say of an issue, and what it is told.
import { describe, expect } from 'bun:test';
import { flow, type Scenario, scenarios } from '../support/flow.ts';
import { issueOf } from '../support/samples.ts';

describe('a widget [PQRS-59]', () => {
  flow('is answered with the id and what it sent', { needs: ['widget'] }, async (api) => {
    const sent = {
      ...{ title: `From a page ${api.unique}`, description: 'It hangs', severity: 'critical' },
      ...{ url: 'https://shop.example/', build: '1', environment: 'live' },
      occurredAt: '2026-01-31T12:00:00Z',
      context: { page: { url: 'https://shop.example/' }, viewport: { width: 100, height: 200 } },
    };
    const answer = (await api.post('/issues', sent, { as: 'widget' })).must(201);
    const { id, ...rest } = answer.json<{ id: string }>();
    expect(rest as object).toEqual(sent);
    const issue = await issueOf(api, id);
    expect(issue).toMatchObject({
      ...sent,
      occurredAt: '2026-01-31T12:00:00.000Z',
      status: 'open',
      author: { tokenId: expect.any(String) },
    });
  });

  const others = {
    ...{ priority: 'P1', storyIds: ['US-1'], labels: ['x'], assignee: 'me', reporter: 'me' },
    ...{ runId: 'run_1', dedupe: false },
  };
  const why = 'each row costs a call of a widget token';

  scenarios('may not set', { needs: ['widget'], ownBecause: why }, [
    ...Object.entries(others).map(
      ([field, value]): Scenario => ({
        ...{ name: field, method: 'POST', path: '/issues', as: 'widget' },
        body: { title: 'x', [field]: value },
        status: 403,
        code: 'forbidden',
        contains: [`"pointer":"/${field}"`],
        answers: {
          'www-authenticate':
            'Bearer realm="pqrs", error="insufficient_scope", scope="project:owner"',
        },
      }),
    ),
    {
      ...{ name: 'such a field, whatever it holds', method: 'POST', path: '/issues', as: 'widget' },
      ...{ body: { title: '', labels: 7 }, status: 403, code: 'forbidden' },
    },
    ...['id', 'status', 'nonsense', 'constructor', 'toString'].map(
      (field): Scenario => ({
        ...{ name: `a field that nobody may: ${field}`, method: 'POST', path: '/issues' },
        as: 'widget',
        body: { title: 'x', [field]: 1 },
        status: 422,
        code: 'invalid',
        contains: [`"pointer":"/${field}"`],
      }),
    ),
  ]);

  flow('with another capability, may what that allows', { needs: ['mixed'] }, async (api) => {
    const refused = await api.post('/issues', { title: 'x', labels: ['x'] }, { as: 'mixed' });
    refused.mustBe(403, 'forbidden');
    (await api.get(`/issues?labels=${api.unique}`, { as: 'mixed' })).must(200);
  });
});
