// System logs: listed, searched, settled, and what the service notes itself.
import { describe, expect } from 'bun:test';
import type { Sending } from '../support/client.ts';
import { asking, flow, invalidBody, scenarios } from '../support/flow.ts';
import { listLogs, NO_LOG, readLog, writeLogs } from '../support/logs.ts';
import { until } from '../support/running-agent.ts';

describe('GET /system-logs [PQRS-64]', () => {
  flow('filters by each field', {}, async (api) => {
    const { unique } = api;
    const ids = await writeLogs(api, [
      {
        ...{ message: 'a', source: unique, level: 'error', route: '/a', runId: 'run_a' },
        issueId: 'iss_a',
      },
      {
        ...{ message: 'b', source: unique, level: 'warn', route: '/b', runId: 'run_b' },
        issueId: 'iss_b',
      },
    ]);
    const found = async (query: Sending['query']) => {
      const items = await listLogs(api, { source: unique, ...query });
      return items.map((entry) => entry.message).join('');
    };
    expect(await found({})).toBe('ba');
    for (const query of [
      { level: 'error' },
      { route: '/a' },
      { runId: 'run_a' },
      { issueId: 'iss_a' },
    ]) {
      expect(await found(query)).toBe('a');
    }
    expect(await found({ level: 'error,warn' })).toBe('ba');
    expect(await found({ level: ['error', 'warn'] })).toBe('ba');
    expect(await found({ route: ['/a', '/b'] })).toBe('ba');
    expect(await found({ route: '/a,/b' })).toBe('');
    expect(await found({ level: 'error', route: '/b' })).toBe('');
    (await api.patch('/system-logs', { id: ids[0], state: 'resolved' })).must(200);
    expect(await found({ state: 'resolved' })).toBe('a');
    expect(await found({ state: ['open', 'acknowledged'] })).toBe('b');
  });

  flow('searches message and fields', { compare: false }, async (api) => {
    const { unique } = api;
    const word = unique.slice(0, 10);
    await writeLogs(api, [
      { message: `the card was declined ${unique}` },
      { message: `something else ${api.unique}`, fields: { [unique]: 'declined by bank' } },
    ]);
    const count = async (q: string) => (await listLogs(api, { q })).length;
    expect(await count(unique)).toBe(2);
    expect(await count(`${unique} declined`)).toBe(2);
    expect(await count(`${unique} card`)).toBe(1);
    expect(await count(`${unique} "was declined"`)).toBe(1);
    expect(await count(`${unique} "declined was"`)).toBe(0);
    expect(await count(`${word}* bank`)).toBe(1);
    expect(await count(`${unique} bank*`)).toBe(1);
    expect(await count('***')).toBe(0);
    expect(await count(' ')).toBe(await count(''));
    expect(await count('')).toBeGreaterThanOrEqual(2);
  });

  flow('says what a search lacks while many entries wait', { compare: false }, async (api) => {
    const { unique } = api;
    const search = async () =>
      (await api.get('/system-logs', { query: { q: unique, limit: 1, count: true } }))
        .must(200)
        .json() as { items: { message: string }[]; total: number; indexedTo?: string };
    let written = 0;
    let first: Awaited<ReturnType<typeof search>>;
    // The index may be there as soon as the search is.
    do {
      const messages = Array.from({ length: 2000 }, (_, at) => `${unique} ${written + at}`);
      await writeLogs(
        api,
        messages.map((message) => ({ message })),
      );
      written += messages.length;
      first = await search();
      expect(first.items[0]?.message).toBe(`${unique} ${written - 1}`);
    } while (first.indexedTo === undefined && written < 8000);
    expect(first.total).toBeWithin(1000, written);
    expect(Date.parse(first.indexedTo ?? '')).toBeLessThanOrEqual(Date.now());
    let last = first;
    for (const end = Date.now() + 20_000; last.indexedTo && Date.now() < end; last = await search())
      await Bun.sleep(100);
    expect([last.total, last.indexedTo]).toEqual([written, undefined]);
  });

  scenarios('answers', {}, [
    asking('404 for an unknown id', `/system-logs?id=${NO_LOG}`, 404, 'not_found'),
    asking('422 for another view', '/system-logs?view=trend', 422, 'invalid'),
    asking('422 for groups of a filter', '/system-logs?view=groups&level=error', 422, 'invalid'),
    asking('422 for a state there is none of', '/system-logs?state=open,closed', 422, 'invalid'),
    asking('200 for a source that nobody has', '/system-logs?source=nobody-at-all', 200),
  ]);
});

describe('PATCH /system-logs [PQRS-64]', () => {
  flow('settles those that are named', {}, async (api) => {
    const ids = await writeLogs(api, [
      { message: `a ${api.unique}` },
      { message: `b ${api.unique}` },
      { message: `c ${api.unique}` },
    ]);
    const patch = { ids: ids.slice(0, 2), state: 'acknowledged', note: 'looked at' };
    expect((await api.patch('/system-logs', patch)).must(200).json()).toEqual({ updated: 2 });
    const states = await Promise.all(ids.map((id) => readLog(api, id)));
    expect(states.map(({ state, note, version }) => [state, note, version])).toEqual([
      ['acknowledged', 'looked at', 2],
      ['acknowledged', 'looked at', 2],
      ['open', null, 1],
    ]);
  });

  flow('settles all that a filter finds', {}, async (api) => {
    const source = api.unique;
    await writeLogs(api, [
      { message: 'a', source, level: 'error' },
      { message: 'b', source, level: 'warn' },
      { message: 'c', source },
    ]);
    const filter = { source, level: ['error', 'warn'] };
    expect(
      (await api.patch('/system-logs', { filter, state: 'resolved' })).must(200).json(),
    ).toEqual({ updated: 2 });
    const open = (await listLogs(api, { source, state: 'open' })).map((entry) => entry.message);
    expect(open).toEqual(['c']);
    const none = { filter: { source: `${source}x` }, state: 'resolved' };
    expect((await api.patch('/system-logs', none)).must(200).json()).toEqual({ updated: 0 });
  });

  flow('any state goes to any, and null takes a note away', {}, async (api) => {
    const [id] = await writeLogs(api, { message: `a ${api.unique}` });
    for (const state of ['resolved', 'open', 'acknowledged', 'resolved', 'acknowledged', 'open']) {
      (await api.patch('/system-logs', { id, state, note: state })).must(200);
      expect(await readLog(api, id!)).toMatchObject({ state, note: state });
    }
    (await api.patch('/system-logs', { id, note: null })).must(200);
    expect(await readLog(api, id!)).toMatchObject({ state: 'open', note: null });
  });

  flow('all of those that are named, or none', { needs: ['other'] }, async (api) => {
    const [own] = await writeLogs(api, { message: `a ${api.unique}` });
    const [foreign] = await writeLogs(api, { message: `b ${api.unique}` }, { as: 'other' });
    for (const id of [foreign, NO_LOG]) {
      (await api.patch('/system-logs', { ids: [own, id], state: 'resolved' })).mustBe(
        404,
        'not_found',
      );
    }
    expect(await readLog(api, own!)).toMatchObject({ state: 'open' });
  });

  flow('a filter stays inside the project', { needs: ['other'] }, async (api) => {
    const source = api.unique;
    const [foreign] = await writeLogs(api, { message: 'b', source }, { as: 'other' });
    expect(
      (await api.patch('/system-logs', { filter: { source }, state: 'resolved' })).must(200).json(),
    ).toEqual({ updated: 0 });
    const read = await api.get('/system-logs', { as: 'other', query: { id: foreign! } });
    expect(read.must(200).json()).toMatchObject({ state: 'open' });
  });

  flow('honours If-Match by the version', {}, async (api) => {
    const [id] = await writeLogs(api, { message: `a ${api.unique}` });
    const patch = (tag: string) =>
      api.patch('/system-logs', { id, state: 'resolved' }, { headers: { 'if-match': tag } });
    (await patch('"2"')).mustBe(412, 'precondition_failed');
    const tag = (await api.get('/system-logs', { query: { id: id! } })).header('etag');
    (await patch(tag)).must(200);
    (await patch(tag)).mustBe(412, 'precondition_failed');
  });

  const refused = (name: string, body: unknown, pointer: string) =>
    invalidBody('PATCH', '/system-logs', name, body, pointer);

  scenarios('refuses', {}, [
    refused('neither id nor filter', { state: 'resolved' }, '/id'),
    refused('nothing at all', {}, '/id'),
    refused('an empty filter', { filter: {}, state: 'resolved' }, '/filter'),
    refused('an unknown filter', { filter: { host: 'a' }, state: 'resolved' }, '/filter/host'),
    refused('a filter of no value', { filter: { level: [] }, state: 'resolved' }, '/filter/level'),
    refused(
      'id and filter together',
      { id: NO_LOG, filter: { level: 'error' }, state: 'resolved' },
      '/filter',
    ),
    refused('no ids', { ids: [], state: 'resolved' }, '/ids'),
    refused('no change', { id: NO_LOG }, '/state'),
    refused('a state there is none of', { id: NO_LOG, state: 'done' }, '/state'),
    refused('no state', { id: NO_LOG, state: null }, '/state'),
    refused('a note over 8 KiB', { id: NO_LOG, note: 'x'.repeat(8193) }, '/note'),
    refused('another field', { id: NO_LOG, state: 'open', message: 'x' }, '/message'),
  ]);
});

describe('what the service notes itself [PQRS-65]', () => {
  flow(
    'is an entry that no demo token sees',
    // The note of the first call may come behind another's, and then the second prefix sees it alone.
    { needs: ['demo', 'widget', 'agent'], tries: 2 },
    async (api) => {
      // A refusal of a known token is noted, once a minute: the walk or this call brings one.
      (await api.get('/system-logs', { as: 'widget' })).mustBe(403, 'forbidden');
      // It may note something else meanwhile: what becomes of leases, for one.
      const listed = () => listLogs(api, { source: 'pqrs', q: 'refused', limit: 1 });
      const before = api.exchanges.length;
      await until(async () => (await listed()).length > 0);
      // How often that was is left to chance.
      api.exchanges.length = before;
      const own = await listed();
      expect(own[0]).toMatchObject({ source: 'pqrs', level: 'warn' });
      if (!api.target.own) return;
      const query = { id: own[0]!.id };
      (await api.get('/system-logs', { as: 'demo', query })).mustBe(404, 'not_found');
      (await api.get('/system-logs', { as: 'agent', query })).must(200);
      expect(await listLogs(api, { source: 'pqrs' }, 'demo')).toEqual([]);
      expect(await listLogs(api, { q: 'refused' }, 'demo')).toEqual([]);
      expect(await listLogs(api, { fingerprint: own[0]!.fingerprint }, 'demo')).toEqual([]);
      const groups = await api.get('/system-logs', { as: 'demo', query: { view: 'groups' } });
      expect(groups.must(200).text).not.toContain('"source":"pqrs"');
      expect((await listLogs(api, { q: 'refused' })).length).toBeGreaterThan(0);
    },
  );
});
