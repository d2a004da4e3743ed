// Issues: read, changed, and the history that tells of it.
import { describe, expect } from 'bun:test';
import { IssueSummary } from '../../src/evidence/issues/model.ts';
import type { Client } from '../support/client.ts';
import { asking, flow, scenarios } from '../support/flow.ts';
import { fileIssue, issueOf } from '../support/samples.ts';
import type { Issue, Page } from '../support/shapes.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const create = async (api: Client, body: object): Promise<Issue> =>
  (await api.post('/issues', { title: `Seen ${api.unique}`, ...body })).must(201).json<Issue>();

describe('GET /issues?id= [PQRS-58]', () => {
  scenarios('answers', {}, [
    asking('404 for an unknown id', '/issues?id=iss_00000000000000000000000000', 404, 'not_found'),
    asking('404 for what is no id', '/issues?id=%27%20or%201=1', 404, 'not_found'),
    asking('404 for an unknown number', '/issues?number=999999999', 404, 'not_found'),
    asking('422 for a number that is none', '/issues?number=one', 422, 'invalid'),
    asking('422 for a number below one', '/issues?number=0', 422, 'invalid'),
    asking('422 for two ids', '/issues?id=a&id=b', 422, 'invalid'),
  ]);

  flow('every reader sees the same', { needs: ['srs', 'agent'] }, async (api) => {
    const id = await fileIssue(api, 'owner');
    const own = await issueOf(api, id);
    for (const as of ['srs', 'agent'] as const) {
      expect((await api.get('/issues', { as, query: { id } })).must(200).json<Issue>()).toEqual(
        own,
      );
    }
  });
});

describe('PATCH /issues/:id [PQRS-77]', () => {
  flow('sets what is given, takes away what is null, leaves the rest', {}, async (api) => {
    const issue = await create(api, {
      ...{ description: 'a', priority: 'P1', labels: ['a', 'b'], assignee: 'x', build: '1' },
    });
    const patch = { description: null, priority: 'P2', labels: ['c'], storyIds: ['US-1'] };
    const answer = (await api.patch(`/issues/${issue.id}`, patch)).must(200);
    const changed = answer.json<Issue>();
    expect(changed).toMatchObject({
      ...patch,
      ...{ title: issue.title, assignee: 'x', build: '1', version: 2, number: issue.number },
      createdAt: issue.createdAt,
    });
    expect(answer.header('etag')).toStartWith('"2-');
    expect(changed.updatedAt >= issue.updatedAt).toBe(true);
    const read = (await api.get('/issues', { query: { id: issue.id } })).must(200);
    expect(read.json()).toEqual(answer.json());
    expect(read.header('etag')).toBe(answer.header('etag'));
  });

  flow('answers what it made, whoever writes right after it', { compare: false }, async (api) => {
    const { id } = await create(api, { description: 'first' });
    const words = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(
      words.map((description) => api.patch(`/issues/${id}`, { description })),
    );
    const made = answers.map((answer) => answer.must(200).json<Issue>());
    expect(made.map((issue) => issue.description)).toEqual(words);
    expect(made.map((issue) => issue.version).sort()).toEqual([2, 3, 4, 5]);
    for (const [index, { version, history }] of made.entries()) {
      expect(answers[index]!.header('etag')).toStartWith(`"${version}-`);
      expect(history).toHaveLength(version);
    }
    const last = answers.find((answer) => answer.json<Issue>().version === 5)!;
    const read = (await api.get('/issues', { query: { id } })).must(200);
    expect(read.text).toBe(last.text);
    expect(read.header('etag')).toBe(last.header('etag'));
  });

  flow('null empties a list', {}, async (api) => {
    const issue = await create(api, { labels: ['a'], storyIds: ['b'] });
    const changed = (await api.patch(`/issues/${issue.id}`, { labels: null, storyIds: null })).must(
      200,
    );
    expect(changed.json()).toMatchObject({ labels: [], storyIds: [] });
  });

  flow('every field that it takes is kept', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const patch = {
      ...{ title: `Changed ${api.unique}`, description: 'd', severity: 'trivial', priority: 'P3' },
      ...{ storyIds: ['US-9'], labels: ['l'], assignee: 'a', reporter: 'r' },
      ...{ url: 'https://a.example/', route: '/a', build: '2', environment: 'e', runId: 'run_2' },
    };
    expect((await api.patch(`/issues/${id}`, patch)).must(200).json()).toMatchObject(patch);
    expect(await issueOf(api, id)).toMatchObject(patch);
  });

  flow('what changes nothing leaves version, history and tag as they are', {}, async (api) => {
    const issue = await create(api, { labels: ['a'] });
    const tag = (await api.get('/issues', { query: { id: issue.id } })).header('etag');
    for (const patch of [
      {},
      { title: issue.title },
      { labels: ['a'], severity: 'major' },
      { status: 'open' },
    ]) {
      const answer = (await api.patch(`/issues/${issue.id}`, patch)).must(200);
      expect(answer.json()).toMatchObject({
        version: 1,
        history: [{ event: 'created' }],
        updatedAt: issue.updatedAt,
      });
      expect(answer.header('etag')).toBe(tag);
    }
  });

  flow('the history tells who, when, what and from what', { needs: ['plain'] }, async (api) => {
    const issue = await create(api, { labels: ['a'] });
    (
      await api.patch(`/issues/${issue.id}`, { labels: ['b'], priority: 'P1' }, { as: 'plain' })
    ).must(200);
    (await api.patch(`/issues/${issue.id}`, { status: 'triaged' })).must(200);
    const { history } = await issueOf(api, issue.id);
    expect(history).toMatchObject([
      { event: 'created', by: issue.author, at: issue.createdAt },
      { by: { label: 'plain' } },
      { by: issue.author, changes: [{ field: 'status', from: 'open', to: 'triaged' }] },
    ]);
    expect(history[1]!.changes.sort((a, b) => a.field.localeCompare(b.field))).toEqual([
      { field: 'labels', from: ['a'], to: ['b'] },
      { field: 'priority', from: null, to: 'P1' },
    ]);
    for (const { at } of history) expect(at).toMatch(TIME);
  });

  const REFUSED: [name: string, body: unknown, pointer: string][] = [
    ['an unknown field', { nonsense: 1 }, '/nonsense'],
    ['a field of the server: number', { number: 1 }, '/number'],
    ['a field of the server: version', { version: 1 }, '/version'],
    ['a field of the server: author', { author: {} }, '/author'],
    ['a field of the server: history', { history: [] }, '/history'],
    ['a field of the server: occurrences', { occurrences: 2 }, '/occurrences'],
    ['what was seen: context', { context: {} }, '/context'],
    ['what was seen: occurredAt', { occurredAt: '2026-01-31T12:00:00Z' }, '/occurredAt'],
    ['no title', { title: null }, '/title'],
    ['no severity', { severity: null }, '/severity'],
    ['no status', { status: null }, '/status'],
    ['a status that there is none of', { status: 'done' }, '/status'],
    ['a resolution that there is none of', { resolution: 'done' }, '/resolution'],
    ['a list', [], ''],
    ['attachments that are not there', { removeAttachments: ['att_1'] }, '/removeAttachments/0'],
  ];
  for (const [name, body, pointer] of REFUSED) {
    flow(`refuses ${name}`, {}, async (api) => {
      const id = await fileIssue(api, 'owner');
      (await api.patch(`/issues/${id}`, body)).mustBe(422, 'invalid', pointer);
      expect(await issueOf(api, id)).toMatchObject({ version: 1, status: 'open' });
    });
  }

  flow('an id that is not there is told after a body that is wrong', {}, async (api) => {
    const path = '/issues/iss_00000000000000000000000000';
    (await api.patch(path, { nonsense: 1 })).mustBe(422, 'invalid');
    (await api.patch(path, { severity: 'minor' })).mustBe(404, 'not_found');
    (await api.patch(path, { severity: 'minor' }, { headers: { 'if-match': '"9"' } })).mustBe(
      404,
      'not_found',
    );
  });

  flow('a list shows the change at once', {}, async (api) => {
    const issue = await create(api, { labels: [api.unique] });
    (await api.patch(`/issues/${issue.id}`, { title: `Renamed ${api.unique}` })).must(200);
    const list = (await api.get('/issues', { query: { labels: api.unique } })).must(200);
    const { items } = list.json<Page<Issue>>();
    expect(items).toHaveLength(1);
    const fields = [...Object.keys(IssueSummary.properties), 'attachments'];
    expect(Object.keys(items[0]!).sort()).toEqual(fields.sort());
    expect(items[0]).toMatchObject({ title: `Renamed ${api.unique}`, version: 2 });
  });
});
