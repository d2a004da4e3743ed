// Tokens that an owner makes, lists and ends over the API.
import { describe, expect } from 'bun:test';
import type { Client, Sending } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import type { Page, Project } from '../support/shapes.ts';

const OWN = { ownBecause: 'it would make a project and tokens' };

interface Shown {
  id: string;
  label: string | null;
  capabilities: string[];
  readOnly: boolean;
  instance: boolean;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

interface Asked {
  caller?: Omit<Shown, 'id'> & { tokenId: string; operations: string[] };
  tokens?: Shown[];
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** A project of its own, with what its owner does to its tokens. */
async function makeProject(api: Client) {
  const slug = `t-${api.unique}`;
  const made = await api.post('/projects', { slug, name: 't' }, { tokenShown: true });
  const { token } = made.must(201).json<{ token: string }>();
  const change = (tokens: object, as: Sending = bearer(token)) =>
    api.post('/projects', { slug, tokens }, { ...as, tokenShown: true });
  return {
    ...{ slug, token, change },
    create: async (input: object) =>
      (await change({ create: input })).must(200).json<{ token: string; tokenId: string }>(),
    list: async () => (await asked(api, bearer(token))).tokens ?? [],
  };
}

async function asked(api: Client, as: Sending, include = 'caller,tokens') {
  const query = { include };
  const answer = (await api.get('/projects', { ...as, query })).must(200);
  return answer.json<Page<Project & Asked>>().items[0]!;
}

describe('a token over the API [PQRS-69]', () => {
  flow('is made, used, listed and ended by an owner', OWN, async (api) => {
    const { create, change, list } = await makeProject(api);
    const wanted = { capabilities: ['srs:edit', 'agent:execute'], label: 'ci' };
    const { token, tokenId } = await create(wanted);
    const [owner, before] = await list();
    expect(owner).toMatchObject({ label: 'owner', lastUsedAt: expect.any(String) });
    const rest = { readOnly: false, instance: false, expiresAt: null, revokedAt: null };
    expect(before).toMatchObject({ id: tokenId, ...wanted, ...rest, lastUsedAt: null });
    (await api.get('/issues', bearer(token))).must(200);
    (await api.post('/system-logs', { message: 'x' }, bearer(token))).must(201);
    expect((await list())[1]?.lastUsedAt).toEqual(expect.any(String));
    const ended = (await change({ revoke: [tokenId] })).must(200);
    expect(Object.keys(ended.json())).toEqual(['project']);
    (await api.get('/issues', bearer(token))).mustBe(401, 'unauthorized');
    expect((await list())[1]?.revokedAt).toEqual(expect.any(String));
    (await change({ revoke: [tokenId] })).must(200);
  });

  flow('is on record, made and ended', OWN, async (api) => {
    const { token, create, change, list } = await makeProject(api);
    const { tokenId } = await create({ capabilities: ['srs:edit'], readOnly: true });
    for (const _ of [1, 2]) (await change({ revoke: [tokenId] })).must(200);
    const [owner] = await list();
    const query = { source: 'pqrs' };
    const logs = (await api.get('/system-logs', { ...bearer(token), query })).must(200);
    const entries = logs.json<Page<{ message: string; fields: object }>>().items;
    const by = { tokenId: owner!.id, label: 'owner' };
    expect(entries.slice(0, 2)).toMatchObject([
      { message: 'token.revoked', fields: { tokenId, by } },
      { message: 'token.created', fields: { tokenId, by, readOnly: true } },
    ]);
    expect(entries.map(({ message }) => message).slice(2)).toContain('project.created');
  });

  flow('is read-only, or ends by itself, where that is asked for', OWN, async (api) => {
    const { create, list } = await makeProject(api);
    const expiresAt = '2999-01-31T12:00:00.000Z';
    const input = { capabilities: ['project:owner'], readOnly: true, expiresAt };
    const { token } = await create(input);
    expect((await list())[1]).toMatchObject(input);
    expect((await asked(api, bearer(token))).tokens).toHaveLength(2);
    (await api.post('/issues', { title: 'x' }, bearer(token))).mustBe(403, 'forbidden');
  });

  flow('that is ended has its streams ended', { ...OWN, compare: false }, async (api) => {
    const { create, change } = await makeProject(api);
    const { token, tokenId } = await create({ capabilities: ['agent:execute'] });
    const stream = await api.target.fetch(`${api.prefix}/run-state`, {
      headers: { ...bearer(token).headers, accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    (await change({ revoke: [tokenId] })).must(200);
    expect(await stream.text()).toContain('retry:');
  });

  flow('is answered again under the same key, and made once', OWN, async (api) => {
    const { token, change, list } = await makeProject(api);
    const headers = { ...bearer(token).headers, 'idempotency-key': api.unique };
    const tokens = { create: { capabilities: ['srs:edit'] } };
    const [one, two] = [await change(tokens, { headers }), await change(tokens, { headers })];
    expect(two.must(200).json<object>()).toEqual(one.must(200).json<object>());
    expect(two.header('idempotency-replayed')).toBe('true');
    expect(await list()).toHaveLength(2);
  });

  flow('is refused, and nothing is changed', OWN, async (api) => {
    const { slug, token, change, create, list } = await makeProject(api);
    const { tokenId } = await create({ capabilities: ['srs:edit'] });
    const before = (await list()).map(({ lastUsedAt: _, ...one }) => one);
    const [own] = before;
    const capabilities = ['srs:edit'];
    const revoke = (id: string) => ({ create: { capabilities }, revoke: [tokenId, id] });
    const cases: [object, number, string, string][] = [
      [{ create: {} }, 422, 'invalid', '/tokens/create/capabilities'],
      [{ create: { capabilities: [] } }, 422, 'invalid', '/tokens/create/capabilities'],
      [{ create: { capabilities: ['all'] } }, 422, 'invalid', '/tokens/create/capabilities/0'],
      [{ create: { capabilities, label: 'a\nb' } }, 422, 'invalid', '/tokens/create/label'],
      [{ create: { capabilities, label: ' ' } }, 422, 'invalid', '/tokens/create/label'],
      [{ create: { capabilities, instance: true } }, 422, 'invalid', '/tokens/create/instance'],
      [
        { create: { capabilities, expiresAt: '2020-01-31T12:00:00Z' } },
        ...([422, 'invalid', '/tokens/create/expiresAt'] as const),
      ],
      [revoke(own!.id), 409, 'conflict', '/tokens/revoke/1'],
      [revoke('tok_00000000000000000000000000'), 404, 'not_found', '/tokens/revoke/1'],
    ];
    for (const [tokens, status, code, pointer] of cases) {
      (await change(tokens)).mustBe(status, code, pointer);
    }
    expect((await list()).map(({ lastUsedAt: _, ...one }) => one)).toEqual(before);
    const unmade = { slug: `${slug}-2`, tokens: { create: { capabilities } } };
    (await api.post('/projects', unmade)).mustBe(422, 'invalid');
    (await api.post('/projects', { slug, tokens: {} }, bearer(token))).must(200);
  });

  flow(
    'of another project or the instance is out of reach',
    {
      ...{ needs: ['plain', 'other'], ...OWN },
    },
    async (api) => {
      const { change } = await makeProject(api);
      const { caller } = await asked(api, { as: 'owner' }, 'caller');
      (await change({ revoke: [caller!.tokenId] })).mustBe(404, 'not_found');
      const { slug } = await asked(api, { as: 'plain' }, 'caller');
      const json = { slug, tokens: { revoke: [caller!.tokenId] } };
      (await api.send('POST', '/projects', { json, as: 'plain' })).mustBe(403, 'forbidden');
      (await api.get('/projects')).must(200);
    },
  );

  flow('is the business of owners', { needs: ['srs'], ...OWN }, async (api) => {
    const { slug, caller, tokens } = await asked(api, { as: 'srs' });
    expect(tokens).toBeUndefined();
    const body = { slug, tokens: { revoke: [caller!.tokenId] } };
    (await api.post('/projects', body, { as: 'srs' })).mustBe(403, 'forbidden', '/tokens');
  });
});

describe('include=caller [PQRS-1]', () => {
  flow('says who asks and what it may', { needs: ['agent', 'auditor'], ...OWN }, async (api) => {
    const { caller } = await asked(api, { as: 'agent' });
    expect(caller).toMatchObject({
      ...{ tokenId: expect.stringMatching(/^tok_/), label: 'agent', readOnly: false },
      ...{ capabilities: ['agent:execute'], instance: false },
    });
    expect(caller!.operations).toContain('createIssue');
    expect(caller!.operations).not.toContain('createProject');
    const auditor = await asked(api, { as: 'auditor' });
    expect(auditor.caller!.operations).toContain('listIssues');
    expect(auditor.caller!.operations).not.toContain('createIssue');
  });

  flow('is part of the entity tag', { needs: ['srs', 'agent'], ...OWN }, async (api) => {
    const { id } = await asked(api, { as: 'srs' });
    const query = { id, include: 'caller' };
    const etag = (await api.get('/projects', { as: 'srs', query })).must(200).header('etag');
    const headers = { 'if-none-match': etag };
    (await api.get('/projects', { as: 'srs', query, headers })).must(304);
    (await api.get('/projects', { as: 'agent', query, headers })).must(200);
  });
});

describe('an editor that was made for a pipeline [PQRS-4]', () => {
  flow('sends sources to its project', OWN, async (api) => {
    const { slug, create } = await makeProject(api);
    const { token } = await create({ capabilities: ['srs:edit'] });
    const sources = [{ path: 'a.md', content: '# US-1: One\n\nText.\n' }];
    const body = { slug, mode: 'replace', baseRevision: 0, sources };
    const answer = (await api.post('/projects', body, bearer(token))).must(200);
    expect(answer.json<{ project: Project }>().project.revision).toBe(1);
  });
});
