// Lists: pages and cursors. Said of issues, which have all of it.
import { describe, expect } from 'bun:test';
import { flow, type Scenario, scenarios } from '../support/flow.ts';
import { fileMany, issuePage as page } from '../support/samples.ts';
import type { Issue, Page } from '../support/shapes.ts';

describe('pages [PQRS-76]', () => {
  flow('come newest first and end', {}, async (api) => {
    const ids = (await fileMany(api, Array(7).fill({}))).reverse();
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const query: Record<string, string | number> = { labels: api.unique, limit: 3 };
      if (cursor !== null) query.cursor = cursor;
      const answer = (await api.get('/issues', { query })).must(200);
      const { items, nextCursor } = answer.json<Page<Issue>>();
      seen.push(...items.map((item) => item.id));
      const link = answer.headers.get('link');
      if (nextCursor === null) expect(link).toBeNull();
      else expect(link).toMatch(/^<\/api\/issues\?[^>]*>; rel="next"$/);
      cursor = nextCursor;
      pages += 1;
    } while (cursor !== null);
    expect(seen).toEqual(ids);
    expect(pages).toBe(3);
  });

  flow('follow one another by their links', {}, async (api) => {
    const ids = (await fileMany(api, Array(5).fill({ storyIds: ['US/1 & 2'] }))).reverse();
    const seen: string[] = [];
    let next: string | undefined =
      `/api/issues?labels=${api.unique}&limit=2&storyIds=US%2F1+%26+2&status=open,triaged`;
    while (next !== undefined) {
      const answer = (await api.follow(next, { as: 'owner' })).must(200);
      seen.push(...answer.json<Page<Issue>>().items.map((item) => item.id));
      next = /<([^>]*)>/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids);
  });

  flow('that fit exactly have no next one', {}, async (api) => {
    await fileMany(api, [{}, {}]);
    expect(await page(api, { labels: api.unique, limit: 2 })).toMatchObject({ nextCursor: null });
  });

  flow('do not shift when something is filed in between', {}, async (api) => {
    const ids = (await fileMany(api, Array(4).fill({}))).reverse();
    const first = await page(api, { labels: api.unique, limit: 2 });
    await fileMany(api, [{}]);
    const second = await page(api, { labels: api.unique, limit: 2, cursor: first.nextCursor! });
    expect([...first.items, ...second.items].map((item) => item.id)).toEqual(ids);
  });

  flow('may grow and shrink on the way', {}, async (api) => {
    const ids = (await fileMany(api, Array(4).fill({}))).reverse();
    const first = await page(api, { labels: api.unique, limit: 1 });
    const second = await page(api, { labels: api.unique, limit: 200, cursor: first.nextCursor! });
    expect([...first.items, ...second.items].map((item) => item.id)).toEqual(ids);
  });

  flow(
    'have 50 entries unless told',
    { ownBecause: 'it would have to keep 51 entries' },
    async (api) => {
      await fileMany(api, Array(51).fill({}));
      expect((await page(api, { labels: api.unique })).items).toHaveLength(50);
    },
  );

  flow('of a search go on where they ended', {}, async (api) => {
    const ids = (await fileMany(api, Array(5).fill({}))).reverse();
    const first = await page(api, { q: api.unique, limit: 3 });
    const second = await page(api, { q: api.unique, limit: 3, cursor: first.nextCursor! });
    expect([...first.items, ...second.items].map((item) => item.id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
  });

  flow('of logs and of their groups go on too', { compare: false }, async (api) => {
    const words = ['one', 'two', 'three', 'four', 'five'];
    const entries = words.map((word) => ({ message: `${word} ${api.unique}`, source: api.unique }));
    (await api.post('/system-logs', entries)).must(201);
    for (const query of [{ source: api.unique }, { view: 'groups' }]) {
      const first = (await api.get('/system-logs', { query: { ...query, limit: 2 } })).must(200);
      const { nextCursor } = first.json<Page<{ message: string }>>();
      const second = (
        await api.get('/system-logs', { query: { ...query, limit: 3, cursor: nextCursor! } })
      ).must(200);
      const seen = [first, second].flatMap(
        (answer) => answer.json<Page<{ message: string }>>().items,
      );
      if (api.target.own)
        expect(seen.map((item) => item.message.split(' ')[0]!)).toEqual([...words].reverse());
    }
  });
});

describe('limits and cursors [PQRS-76]', () => {
  const refused = (query: string, pointer: string): Scenario[] =>
    ['/issues', '/system-logs', '/projects'].map((path) => ({
      ...{ name: `${path}?${query}`, method: 'GET', path: `${path}?${query}`, status: 422 },
      code: 'invalid',
      contains: [`"pointer":"/${pointer}"`],
    }));

  scenarios('refused', {}, [
    ...['0', '201', '-1', '1.5', 'many', '', '1e2', '0x10', '%201', '99999999999999999999'].flatMap(
      (value) => refused(`limit=${value}`, 'limit'),
    ),
    ...refused('limit=1&limit=2', 'limit'),
    ...[
      '',
      'nonsense',
      'e30',
      'bnVsbA',
      'WzFd',
      'WzEsIngiLDFd',
      'WzIsIngiLDFd',
      '..',
      '%00',
    ].flatMap((value) => refused(`cursor=${value}`, 'cursor')),
    ...refused('colour=red', 'colour'),
    ...[
      'authorToken',
      'author',
      'fromWidget',
      'projectId',
      'seq',
      'title',
      'createdAt',
      'sort',
      'order',
    ].flatMap((name) => refused(`${name}=x`, name)),
    ...refused('Limit=1', 'Limit'),
    ...refused('limit%5B%5D=1', 'limit[]'),
    ...refused('__proto__=1', '__proto__'),
    ...refused('constructor=1', 'constructor'),
    ...refused('=1', ''),
  ]);

  flow('a cursor goes with its filters, its list and its place', {}, async (api) => {
    await fileMany(api, [{}, {}, {}]);
    const { nextCursor } = await page(api, { labels: api.unique, limit: 1 });
    const cursor = nextCursor!;
    for (const query of [
      { cursor },
      { labels: 'other', cursor },
      { labels: api.unique, status: 'open', cursor },
      { labels: [api.unique, 'b'], cursor },
      { q: api.unique, cursor },
    ]) {
      (await api.get('/issues', { query })).mustBe(422, 'invalid');
    }
    (await api.get('/system-logs', { query: { cursor } })).mustBe(422, 'invalid');
    const [version, filters, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [
      number,
      string,
      number,
    ];
    for (const forged of [
      [version, filters, String(key)],
      [version, filters, key + 0.5],
      [version, filters, null],
      [version, filters],
      [version + 1, filters, key],
      { 0: version },
      [version, filters, 1e300],
    ]) {
      const query = {
        labels: api.unique,
        cursor: Buffer.from(JSON.stringify(forged)).toString('base64url'),
      };
      (await api.get('/issues', { query })).mustBe(422, 'invalid');
    }
    for (const place of [-1, 0, Number.MAX_SAFE_INTEGER]) {
      const query = {
        labels: api.unique,
        cursor: Buffer.from(JSON.stringify([version, filters, place])).toString('base64url'),
      };
      expect((await page(api, query)).items).toHaveLength(place > 0 ? 3 : 0);
    }
  });

  flow("another project's cursor shows nothing of it", { needs: ['other'] }, async (api) => {
    await fileMany(api, [{}, {}]);
    const { nextCursor } = await page(api, { labels: api.unique, limit: 1 });
    const theirs = await api.get('/issues', {
      as: 'other',
      query: { labels: api.unique, cursor: nextCursor! },
    });
    expect(theirs.must(200).json()).toEqual({ items: [], nextCursor: null });
  });
});
