// Filters and search of lists. Said of issues, which have all of it.
import { describe, expect } from 'bun:test';
import type { Client, Sending } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { fileMany, issuePage as page } from '../support/samples.ts';

const idsOf = async (api: Client, query: Sending['query']) =>
  (await page(api, { labels: api.unique, ...query })).items.map((item) => item.id);

describe('filters [PQRS-58]', () => {
  flow('find exactly what they name', {}, async (api) => {
    const [a, b] = await fileMany(api, [
      {
        ...{ severity: 'blocker', priority: 'P1', assignee: 'ann', reporter: 'rob' },
        ...{ url: 'https://a.example/?x=1,2', route: `/a/${api.unique}`, build: '1' },
        ...{ environment: 'live', runId: 'run_a', storyIds: ['US-1', 'US-2'] },
      },
      {
        ...{ severity: 'minor', priority: 'P2', assignee: 'bob', reporter: 'rae' },
        ...{ url: 'https://b.example/', route: `/b/${api.unique}`, build: '2' },
        ...{ environment: 'test', runId: 'run_b', storyIds: ['US-2'] },
      },
    ]);
    (
      await api.patch(`/issues/${b}`, {
        status: 'resolved',
        resolution: 'wont_fix',
        fixedInBuild: '3',
      })
    ).must(200);
    const fingerprint = (await page(api, { labels: api.unique, severity: 'blocker' })).items[0]!
      .fingerprint!;
    for (const query of [
      ...[
        { severity: 'blocker' },
        { priority: 'P1' },
        { assignee: 'ann' },
        { reporter: 'rob' },
        { status: 'open' },
      ],
      ...[
        { url: 'https://a.example/?x=1,2' },
        { route: `/a/${api.unique}` },
        { build: '1' },
        { environment: 'live' },
      ],
      ...[{ runId: 'run_a' }, { storyIds: 'US-1' }, { fingerprint }],
    ] as Record<string, string>[]) {
      expect(await idsOf(api, query)).toEqual([a!]);
    }
    for (const query of [
      { status: 'resolved' },
      { resolution: 'wont_fix' },
      { fixedInBuild: '3' },
    ] as Record<string, string>[]) {
      expect(await idsOf(api, query)).toEqual([b!]);
    }
    expect(await idsOf(api, { storyIds: 'US-2' })).toEqual([b!, a!]);
    expect(await idsOf(api, { severity: 'blocker', assignee: 'bob' })).toEqual([]);
    expect(await idsOf(api, { build: '' })).toEqual([]);
  });

  flow('repeated mean any of; a comma does so for enumerations alone', {}, async (api) => {
    const [a, b] = await fileMany(api, [
      { severity: 'blocker', assignee: 'ann', labels: [api.unique, 'x,y'] },
      { severity: 'minor', assignee: 'bob' },
    ]);
    expect(await idsOf(api, { severity: ['blocker', 'minor'] })).toEqual([b!, a!]);
    expect(await idsOf(api, { severity: 'blocker,minor' })).toEqual([b!, a!]);
    expect(await idsOf(api, { assignee: ['ann', 'bob'] })).toEqual([b!, a!]);
    expect(await idsOf(api, { assignee: 'ann,bob' })).toEqual([]);
    expect((await page(api, { labels: 'x,y', q: api.unique })).items.map(({ id }) => id)).toEqual([
      a!,
    ]);
    for (const severity of ['blocker,', ',', 'blocker,huge', '']) {
      (await api.get('/issues', { query: { severity } })).mustBe(422, 'invalid');
    }
  });

  flow('are values, not patterns', {}, async (api) => {
    await fileMany(api, [{ assignee: 'ann' }]);
    for (const assignee of ['a%', '_nn', '*', "' or '1'='1", 'ANN', 'ann ']) {
      expect(await idsOf(api, { assignee })).toEqual([]);
    }
  });
});

describe('search [PQRS-58]', () => {
  flow('finds words of title and description, and all of them', { compare: false }, async (api) => {
    const { unique } = api;
    const [a, b] = await fileMany(api, [
      { title: `Payment fails ${unique}`, description: 'The button hangs' },
      { title: `Receipt is empty ${unique}`, description: 'After a payment' },
    ]);
    const found = async (q: string) => (await page(api, { q })).items.map((item) => item.id);
    expect(await found(unique)).toEqual([b!, a!]);
    expect(await found(`${unique} payment`)).toEqual([b!, a!]);
    expect(await found(`PAYMENT ${unique.toUpperCase()}`)).toEqual([b!, a!]);
    expect(await found(`payment button ${unique}`)).toEqual([a!]);
    expect(await found(`${unique} pay`)).toEqual([]);
    expect(await found(`${unique} pay*`)).toEqual([b!, a!]);
    expect(await found(`${unique.slice(0, 8)}*`)).toEqual([b!, a!]);
    expect(await found(`"payment fails" ${unique}`)).toEqual([a!]);
    expect(await found(`"fails payment" ${unique}`)).toEqual([]);
    expect(await found(`payment nothing ${unique}`)).toEqual([]);
  });

  flow('knows no operators', {}, async (api) => {
    const { unique } = api;
    const [a] = await fileMany(api, [{ title: `Alpha ${unique} near or not` }]);
    const found = async (q: string) => (await page(api, { q })).items.map((item) => item.id);
    expect(await found(`${unique} OR nothing`)).toEqual([]);
    expect(await found(`nothing OR ${unique}`)).toEqual([]);
    expect(await found(`${unique} NOT alpha`)).toEqual([a!]);
    expect(await found(`${unique} NEAR alpha`)).toEqual([a!]);
    expect(await found(`title:${unique}`)).toEqual([]);
    expect(await found('scope:original')).toEqual([]);
    expect(await found('p1')).not.toContain(a!);
    for (const wordless of ['*', '-', '😀']) expect(await found(wordless)).toEqual([]);
  });

  flow('is none where it is blank', {}, async (api) => {
    const [a] = await fileMany(api, [{ labels: [api.unique] }]);
    for (const q of ['', ' ']) expect(await idsOf(api, { q, labels: api.unique })).toEqual([a!]);
  });

  flow('goes with filters', {}, async (api) => {
    const [a, b] = await fileMany(api, [{ severity: 'minor' }, { severity: 'major' }]);
    expect(await idsOf(api, { q: api.unique, severity: 'minor' })).toEqual([a!]);
    (await api.patch(`/issues/${a}`, { status: 'triaged' })).must(200);
    expect(await idsOf(api, { q: api.unique, status: 'triaged' })).toEqual([a!]);
    expect(await idsOf(api, { q: api.unique, status: 'open' })).toEqual([b!]);
    expect(await idsOf(api, { q: api.unique, status: 'open,triaged' })).toEqual([b!, a!]);
  });

  flow('sees a change at once', {}, async (api) => {
    const [a] = await fileMany(api, [{ title: `Before ${api.unique}` }]);
    expect(await idsOf(api, { q: `before ${api.unique}` })).toEqual([a!]);
    (
      await api.patch(`/issues/${a}`, {
        title: `After ${api.unique}`,
        description: 'thought again',
      })
    ).must(200);
    expect(await idsOf(api, { q: `before ${api.unique}` })).toEqual([]);
    expect(await idsOf(api, { q: `after ${api.unique} thought` })).toEqual([a!]);
  });

  flow('takes any text without falling over', {}, async (api) => {
    const texts = [
      ...['', ' ', '*', '"', '""', '"""', '"a', 'a"b', '(', ')', '( )', 'AND', 'OR', 'NOT'],
      ...['NEAR(a b)', '-a', '+a', '^a', 'a:b', '{a}: b'],
      ...[
        'a*b',
        '**',
        'a**',
        '"a"*',
        "'",
        "';drop table issues;--",
        '\\',
        '%',
        '_',
        '\u200b',
        '\u0301',
        '🙂',
        '漢字',
        'a\u0000b',
        '\ufffd',
        '\ue000',
        '٣',
        '𝟛',
        'ⅷ',
        '²',
        'x'.repeat(500),
      ],
    ];
    for (const q of texts) {
      const { status } = await api.get('/issues', { query: { q, labels: api.unique } });
      expect([200, 422], q).toContain(status);
      const logs = await api.get('/system-logs', { query: { q, source: api.unique } });
      expect([200, 422], q).toContain(logs.status);
    }
    (await api.get('/issues', { query: { q: 'x'.repeat(501) } })).mustBe(422, 'invalid');
  });
});
