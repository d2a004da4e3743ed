// Filing issues: what is kept, what is refused.
import { describe, expect } from 'bun:test';
import { Issue as IssueSchema } from '../../src/evidence/issues/model.ts';
import type { Client } from '../support/client.ts';
import { flow, invalidBody, scenarios } from '../support/flow.ts';
import { issueOf } from '../support/samples.ts';
import type { Issue } from '../support/shapes.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const create = async (api: Client, body: object): Promise<Issue> =>
  (await api.post('/issues', { title: `Seen ${api.unique}`, ...body })).must(201).json<Issue>();

describe('POST /issues [PQRS-55]', () => {
  flow('a title is enough', {}, async (api) => {
    const answer = (await api.post('/issues', { title: `Seen ${api.unique}` })).must(201);
    const issue = answer.json<Issue>();
    expect(Object.keys(issue).sort()).toEqual(Object.keys(IssueSchema.properties).sort());
    expect(issue).toMatchObject({
      ...{ title: `Seen ${api.unique}`, description: null, severity: 'major', priority: null },
      ...{ status: 'open', resolution: null, duplicateOf: null, storyIds: [], labels: [] },
      ...{ assignee: null, reporter: null, context: null, runId: null, resolvedAt: null },
      ...{ fixedInBuild: null, fingerprint: null, occurrences: 1, possibleRegression: false },
      ...{ attachments: [], duplicates: [], version: 1 },
    });
    expect(issue.id).toMatch(/^iss_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(issue.number).toBeInteger();
    for (const at of [issue.occurredAt, issue.createdAt, issue.updatedAt]) expect(at).toMatch(TIME);
    expect(issue.occurredAt).toBe(issue.createdAt);
    expect(answer.header('location')).toBe(`/api/issues?id=${issue.id}`);
    expect(answer.header('etag')).toMatch(/^"1-[\w-]+"$/);
  });

  flow('everything that it may have is kept as it came', {}, async (api) => {
    const sent = {
      ...{ title: `Ünïcödé ✓ 𝒳 ${api.unique}`, description: 'Line one\nline two\ttabbed  \u00e9' },
      ...{ severity: 'blocker', priority: 'P1', storyIds: ['US-12', 'US-3'] },
      ...{ labels: ['payment', 'a,b'], assignee: 'grace', reporter: 'Ada' },
      ...{ url: 'https://shop.example/checkout?step=2#pay', build: '2026.1.31' },
      ...{ environment: 'staging', runId: 'run_1' },
    };
    const issue = await create(api, sent);
    expect(issue).toMatchObject(sent);
    const { duplicates, history, ...read } = await issueOf(api, issue.id);
    expect(read).toMatchObject(sent);
    expect(duplicates).toEqual([]);
    expect(history).toMatchObject([{ event: 'created', by: issue.author, changes: [] }]);
  });

  flow('what it answers is what reading it answers, to the entity tag', {}, async (api) => {
    const made = (
      await api.post('/issues', { title: `Same ${api.unique}`, route: `/${api.unique}` })
    ).must(201);
    const read = (await api.get('/issues', { query: { id: made.json<Issue>().id } })).must(200);
    expect(read.json()).toEqual(made.json());
    expect(read.header('etag')).toBe(made.header('etag'));
  });

  flow('the author is the token; the reporter is whoever the caller says', {}, async (api) => {
    const issue = await create(api, { reporter: 'Mallory' });
    expect(issue.reporter).toBe('Mallory');
    expect(issue.author.tokenId).toMatch(/^tok_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(api.target.token('owner')).toContain(issue.author.tokenId.slice(4));
    for (const author of ['me', { tokenId: 'tok_1', label: 'x' }]) {
      const refused = await api.post('/issues', { title: 'x', author });
      expect(refused.mustBe(422, 'invalid').json()).toMatchObject({
        errors: [{ pointer: '/author' }],
      });
    }
  });

  flow('a time with an offset is told in UTC', {}, async (api) => {
    for (const [sent, kept] of [
      ['2026-01-31T13:00:00+01:00', '2026-01-31T12:00:00.000Z'],
      ['2026-01-31t12:00:00.1z', '2026-01-31T12:00:00.100Z'],
      ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
      ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ]) {
      expect((await create(api, { occurredAt: sent })).occurredAt).toBe(kept!);
    }
  });

  flow('what is yet to come occurred now at the latest', {}, async (api) => {
    const issue = await create(api, { occurredAt: '2999-01-01T00:00:00Z' });
    expect(issue.occurredAt).toBe(issue.createdAt);
  });

  flow('numbers go on by one, and each finds its issue', { compare: false }, async (api) => {
    const [first, second] = [await create(api, {}), await create(api, {})];
    expect(second.number).toBeGreaterThan(first.number);
    if (api.target.own) expect(second.number).toBe(first.number + 1);
    const byNumber = (await api.get('/issues', { query: { number: first.number } })).must(200);
    expect(byNumber.json<Issue>().id).toBe(first.id);
  });

  const refused = (name: string, body: object, pointer: string) =>
    invalidBody('POST', '/issues', name, { title: 'Refused', ...body }, pointer);
  const context = (part: object) => ({ context: part });
  const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);

  scenarios(
    'refuses',
    {},
    [
      refused('no title', { title: undefined }, '/title'),
      refused('an empty title', { title: '' }, '/title'),
      refused('a blank title', { title: ' \t\u00a0' }, '/title'),
      refused('null for a title', { title: null }, '/title'),
      refused('a number for a title', { title: 1 }, '/title'),
      refused('a title of 301 characters', { title: 'x'.repeat(301) }, '/title'),
      refused('a description over 64 KiB', { description: 'x'.repeat(65_537) }, '/description'),
      refused('a severity that there is none of', { severity: 'huge' }, '/severity'),
      refused('a severity in capitals', { severity: 'Major' }, '/severity'),
      refused('an unknown field', { titel: 'x' }, '/titel'),
      refused('a field of the server: id', { id: 'iss_1' }, '/id'),
      refused('a field of the server: number', { number: 7 }, '/number'),
      refused('a field of the server: status', { status: 'closed' }, '/status'),
      refused('a field of the server: version', { version: 9 }, '/version'),
      refused('a field of the server: occurrences', { occurrences: 9 }, '/occurrences'),
      refused('a field of the server: fingerprint', { fingerprint: 'i1:x' }, '/fingerprint'),
      refused('a field of the server: history', { history: [] }, '/history'),
      refused('a field of the server: attachments', { attachments: [] }, '/attachments'),
      refused(
        'a field of the server: createdAt',
        { createdAt: '2026-01-01T00:00:00Z' },
        '/createdAt',
      ),
      refused('101 labels', { labels: many(101, 'x') }, '/labels'),
      refused('an empty label', { labels: [''] }, '/labels/0'),
      refused('a label that is no text', { labels: ['a', 1] }, '/labels/1'),
      refused('labels that are no list', { labels: 'a' }, '/labels'),
      refused('101 stories', { storyIds: many(101, 'x') }, '/storyIds'),
      refused('a time without an offset', { occurredAt: '2026-01-31T12:00:00' }, '/occurredAt'),
      refused('a date alone', { occurredAt: '2026-01-31' }, '/occurredAt'),
      refused('a number for a time', { occurredAt: 1769860800000 }, '/occurredAt'),
      refused('a day that does not exist', { occurredAt: '2026-02-30T12:00:00Z' }, '/occurredAt'),
      refused('a leap day in another year', { occurredAt: '2026-02-29T12:00:00Z' }, '/occurredAt'),
      refused('a month that does not exist', { occurredAt: '2026-13-01T12:00:00Z' }, '/occurredAt'),
      refused('an hour that does not exist', { occurredAt: '2026-01-01T24:00:00Z' }, '/occurredAt'),
      refused('an unknown part of the context', context({ cookies: 'a=b' }), '/context/cookies'),
      refused(
        '101 console lines',
        context({ console: many(101, { message: 'x' }) }),
        '/context/console',
      ),
      refused('51 requests', context({ network: many(51, { url: '/' }) }), '/context/network'),
      refused('51 actions', context({ actions: many(51, { type: 'click' }) }), '/context/actions'),
      refused('51 errors', context({ errors: many(51, { message: 'x' }) }), '/context/errors'),
      refused(
        'a long console line',
        context({ console: [{ message: 'x'.repeat(2049) }] }),
        '/context/console/0/message',
      ),
      ...[
        { body: { a: 1 } },
        { body: 'password=hunter2' },
        { requestBody: 'x' },
        { responseBody: null },
        { headers: 'Cookie: a=b' },
        { payload: 1 },
      ].map((own) => {
        const [[field, value]] = Object.entries(own) as [[string, unknown]];
        return refused(
          `of a request what is not told: ${field} ${JSON.stringify(value)}`,
          context({ network: [{ url: '/' }, { url: '/login', ...own }] }),
          `/context/network/1/${field}`,
        );
      }),
      refused(
        'a part of 31 values',
        context({ page: Object.fromEntries(many(31, 0).map((_, at) => [`v${at}`, at])) }),
        '/context/page',
      ),
      invalidBody('POST', '/issues', 'a list', [], ''),
      invalidBody('POST', '/issues', 'a text', '"title"', ''),
      invalidBody('POST', '/issues', 'null', 'null', ''),
    ].map((row) =>
      typeof row.body === 'string'
        ? { ...row, headers: { 'content-type': 'application/json' } }
        : row,
    ),
  );

  flow('its bounds are the last that are taken', {}, async (api) => {
    const names = Array.from({ length: 100 }, (_, at) => `n${at}`);
    await create(api, {
      title: api.unique.padEnd(300, 'x'),
      description: 'x'.repeat(65_536),
      labels: names,
      storyIds: names,
      context: {
        console: names.map((message) => ({ message, level: 'warn', at: '2026-01-31T12:00:00Z' })),
        network: names.slice(0, 50).map((url) => ({ url, status: 500, durationMs: 1.5 })),
        actions: names.slice(0, 50).map((selector) => ({ type: 'click', selector })),
        errors: names.slice(0, 50).map((message) => ({ message, type: 'Error' })),
      },
    });
  });

  flow('a request of the page is told without what it carried', {}, async (api) => {
    const network = [
      {
        ...{ at: '2026-01-31T12:00:00Z', type: 'fetch', method: 'POST', url: '/login' },
        ...{ status: 500, durationMs: 12.5, requestId: 'r-1', error: 'Failed to fetch' },
      },
    ];
    const { id } = await create(api, { context: { network } });
    expect((await issueOf(api, id)).context).toEqual({ network });
  });

  flow('a title of 300 characters is counted in characters', {}, async (api) => {
    // Outside the basic plane a character has two units of UTF-16.
    await create(api, { title: 'é'.repeat(300) });
    await create(api, { title: '🙂'.repeat(300) });
    const longer = await api.post('/issues', { title: '🙂'.repeat(301) });
    longer.mustBe(422, 'invalid');
  });

  flow('tells each wrong field at once', {}, async (api) => {
    const answer = await api.post('/issues', { severity: 'huge', labels: 'x', nonsense: 1 });
    const { errors } = answer.mustBe(422, 'invalid').json<{ errors: { pointer: string }[] }>();
    expect(errors.map((error) => error.pointer).sort()).toEqual([
      ...['/labels', '/nonsense', '/severity', '/title'],
    ]);
  });
});
