// Test commands: registering, reading and changing them, quarantine, and who sees what.
import { describe, expect, test } from 'bun:test';

import type { Client, Sending } from '../support/client.ts';
import { flow, invalidBody, scenarios } from '../support/flow.ts';
import { openInstance } from '../support/instance.ts';
import { authorShown } from '../support/roles.ts';
import type { Command, Page } from '../support/shapes.ts';

const AGENT = { as: 'agent' } as const;
const NEEDS = { needs: ['agent'] } as const;

async function register(api: Client, over: object = {}, sending: Sending = {}): Promise<Command> {
  const body = { key: `k-${api.unique}`, argv: ['true'], ...over };
  return (await api.post('/test-commands', body, sending)).must(201).json<Command>();
}

const change = (api: Client, id: string, patch: object, sending: Sending = {}) =>
  api.patch('/test-commands', { id, ...patch }, sending);

const read = async (api: Client, id: string, sending: Sending = {}) =>
  (await api.get('/test-commands', { query: { id }, ...sending })).must(200).json<Command>();

const list = async (api: Client, query: Sending['query']) =>
  (await api.get('/test-commands', { query })).must(200).json<Page<Command>>();

function pointers(answer: { json<T>(): T }): string[] {
  return answer.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer);
}

const QUARANTINE = { owner: 'Ada', reason: 'Flaky', until: '2999-01-31T12:00:00.000Z' };

describe('POST /test-commands [PQRS-38]', () => {
  flow('registers a command by its key and argv alone', NEEDS, async (api) => {
    const body = { key: `k ${api.unique}`, argv: ['npm', 'test'] };
    const answer = (await api.post('/test-commands', body, AGENT)).must(201);
    const command = answer.json<Command>();
    expect(command as object).toMatchObject({
      ...{ key: body.key, name: body.key, kind: 'shell', argv: ['npm', 'test'], cwd: null },
      ...{ env: {}, timeoutMs: 600_000, report: { format: 'none', path: null } },
      ...{ storyIds: [], routes: [], tags: [], credentials: [] },
      ...{ onLeaseLost: 'retry', maxAttempts: 3, state: 'active', quarantine: null, version: 1 },
      stats: {
        ...{ runs: 0, passRate: null, flakeRate: null, p50Ms: null, p95Ms: null },
        ...{ lastStatus: null, lastRunId: null, lastAt: null },
      },
      author: authorShown(api.target),
    });
    expect(command.id).toMatch(/^cmd_[0-9a-z]{26}$/);
    expect(command.fingerprint).toMatch(/^c1:[0-9a-f]{64}$/);
    expect(answer.header('location')).toBe(`/api/test-commands?id=${command.id}`);
    const again = await api.get('/test-commands', { query: { id: command.id } });
    expect(again.must(200).header('etag')).toBe(answer.header('etag'));
    expect(again.json<object>()).toEqual(command);
  });

  flow('keeps all that is said, lists as sets', {}, async (api) => {
    const said = {
      ...{ name: 'Checkout', kind: 'playwright', cwd: 'web', timeoutMs: 5000 },
      ...{ argv: ['npx', 'playwright', 'test', ''], env: { CI: '1', EMPTY: '' } },
      ...{ report: { format: 'junit', path: 'out/junit.xml' }, onLeaseLost: 'fail' },
      ...{ maxAttempts: 1, state: 'disabled' },
    };
    const lists = { storyIds: ['US-1', 'US-2', 'US-1'], routes: ['POST /orders', '/', '/'] };
    const command = await register(api, { ...said, ...lists, tags: ['a', 'a', 'b'] });
    expect(command as object).toMatchObject({
      ...said,
      ...{ storyIds: ['US-1', 'US-2'], routes: ['POST /orders', '/'], tags: ['a', 'b'] },
    });
  });

  flow('a key is taken once in a project', { needs: ['other'] }, async (api) => {
    const { id, key } = await register(api);
    const answer = await api.post('/test-commands', { key, argv: ['false'] });
    answer.mustBe(409, 'conflict');
    expect(pointers(answer)).toEqual(['/key']);
    expect(answer.json<{ detail: string }>().detail).toContain(id);
    await register(api, { key }, { as: 'other' });
  });

  flow('the same request again is the same command', {}, async (api) => {
    const sending = { headers: { 'idempotency-key': `once ${api.unique}` } };
    const first = await register(api, {}, sending);
    expect((await register(api, {}, sending)) as object).toEqual(first);
    expect((await list(api, { key: first.key })).items).toHaveLength(1);
  });

  const body = { key: 'refused', argv: ['true'] };
  const aside = (over: object) => ({
    ...{ ...body, state: 'quarantined', quarantine: { ...QUARANTINE, ...over } },
  });
  const wrong: [string, object, string][] = [
    ['no key', { argv: ['true'] }, '/key'],
    ['a blank key', { ...body, key: ' ' }, '/key'],
    ['a key with white space at its end', { ...body, key: 'a ' }, '/key'],
    ['a key of two lines', { ...body, key: 'a\nb' }, '/key'],
    ['a key that looks like an id', { ...body, key: `cmd_${'0'.repeat(26)}` }, '/key'],
    ['an unknown kind', { ...body, kind: 'make' }, '/kind'],
    ['no argv for shell', { key: 'refused' }, '/argv'],
    ['no argv for bun-test', { key: 'refused', kind: 'bun-test' }, '/argv'],
    ['no argv for playwright', { key: 'refused', kind: 'playwright', argv: [] }, '/argv'],
    ['no program', { ...body, argv: [' ', 'x'] }, '/argv/0'],
    ['a number in argv', { ...body, argv: ['a', 1] }, '/argv/1'],
    ['too long an argv', { ...body, argv: Array(101).fill('a') }, '/argv'],
    ['a variable with a hyphen', { ...body, env: { 'A-B': 'x' } }, '/env/A-B'],
    ['a variable that is a number', { ...body, env: { A: 1 } }, '/env/A'],
    ['too long a value', { ...body, env: { A: 'x'.repeat(65_537) } }, '/env/A'],
    ['a timeout of nothing', { ...body, timeoutMs: 0 }, '/timeoutMs'],
    ['a timeout with a fraction', { ...body, timeoutMs: 1.5 }, '/timeoutMs'],
    ['a report without a path', { ...body, report: { format: 'tap' } }, '/report/path'],
    ['a path without a report', { ...body, report: { format: 'none', path: 'x' } }, '/report/path'],
    ['an unknown format', { ...body, report: { format: 'html', path: 'x' } }, '/report/format'],
    ['a route that is none', { ...body, routes: ['orders'] }, '/routes/0'],
    ['too many tags', { ...body, tags: Array(101).fill('a') }, '/tags'],
    ['no attempt', { ...body, maxAttempts: 0 }, '/maxAttempts'],
    ['another way out', { ...body, onLeaseLost: 'wait' }, '/onLeaseLost'],
    ['an unknown state', { ...body, state: 'paused' }, '/state'],
    ['quarantine without its terms', { ...body, state: 'quarantined' }, '/quarantine'],
    ['terms without quarantine', { ...body, quarantine: QUARANTINE }, '/quarantine'],
    ['a quarantine that is over', aside({ until: '2020-01-01T00:00:00Z' }), '/quarantine/until'],
    ['one until no day', aside({ until: '2999-02-30T00:00:00Z' }), '/quarantine/until'],
    ['a quarantine of nobody', aside({ owner: '' }), '/quarantine/owner'],
    ['an unknown field', { ...body, stats: {} }, '/stats'],
    ['a credential that no variable can have', { ...body, credentials: ['A B'] }, '/credentials/0'],
    [
      'a variable that is a credential too',
      { ...body, env: { A: '1' }, credentials: ['A'] },
      '/env/A',
    ],
    ['a secret that it does not name', { ...body, secrets: { A: 'hidden' } }, '/secrets/A'],
    ['a secret of nothing', { ...body, credentials: ['A'], secrets: { A: '' } }, '/secrets/A'],
  ];
  scenarios(
    'refuses',
    {},
    wrong.map(([name, sent, pointer]) =>
      invalidBody('POST', '/test-commands', name, sent, pointer),
    ),
  );

  flow('http and manual need no argv', {}, async (api) => {
    for (const kind of ['http', 'manual']) {
      const body = { key: `${kind}-${api.unique}`, kind };
      const made = (await api.post('/test-commands', body)).must(201).json<Command>();
      expect(made.argv).toEqual([]);
    }
  });
});

describe('GET /test-commands [PQRS-38]', () => {
  flow(
    'shows variables to owners and agents alone',
    { needs: ['srs', 'agent', 'demo'] },
    async (api) => {
      const { id } = await register(api, { env: { URL: 'https://lab.example', CI: '1' } });
      for (const as of ['owner', 'agent'] as const)
        expect((await read(api, id, { as })).env).toEqual({ URL: 'https://lab.example', CI: '1' });
      for (const as of ['srs', 'demo'] as const) {
        const answer = await api.get('/test-commands', { query: { id }, as });
        expect(answer.must(200).json<Command>().env).toEqual({ URL: null, CI: null });
        const page = await api.get('/test-commands', { query: { key: `k-${api.unique}` }, as });
        expect(page.must(200).text).not.toContain('lab.example');
      }
    },
  );

  flow('finds by every filter, exactly, and by several at once', {}, async (api) => {
    const key = (name: string) => `${name}-${api.unique}`;
    const tag = api.unique;
    await register(api, {
      ...{ key: key('one'), name: key('n'), kind: 'bun-test', storyIds: [key('US-1'), 'US-2'] },
      tags: [tag, 'x'],
    });
    await register(api, { key: key('two'), routes: [`GET /${tag}`], tags: [tag, 'y'] });
    await register(api, {
      ...{ key: key('three'), state: 'quarantined', quarantine: QUARANTINE, tags: [tag] },
      credentials: [`C_${tag}`],
    });
    await register(api, { key: key('four'), state: 'archived', tags: [tag, 'x'] });
    const found = async (query: Sending['query']) =>
      (await list(api, { tags: tag, ...query })).items.map((one) => one.key.split('-')[0]);
    expect(await found({})).toEqual(['four', 'three', 'two', 'one']);
    expect(await found({ key: [key('two'), key('one')] })).toEqual(['two', 'one']);
    expect(await found({ name: key('n') })).toEqual(['one']);
    expect(await found({ kind: 'bun-test,http' })).toEqual(['one']);
    expect(await found({ state: 'active' })).toEqual(['two', 'one']);
    expect(await found({ state: 'quarantined,archived' })).toEqual(['four', 'three']);
    expect(await found({ storyIds: key('US-1') })).toEqual(['one']);
    expect(await found({ storyIds: key('US') })).toEqual([]);
    expect(await found({ routes: `GET /${tag}` })).toEqual(['two']);
    expect(await found({ credentials: `C_${tag}` })).toEqual(['three']);
    expect(await found({ tags: ['x', 'y'], key: key('two') })).toEqual(['two']);
    expect(await found({ state: 'active', kind: 'bun-test', storyIds: 'US-2' })).toEqual(['one']);
    const wrong = await api.get('/test-commands', { query: { state: 'gone' } });
    expect(pointers(wrong.mustBe(422, 'invalid'))).toEqual(['/state/0']);
    (await api.get('/test-commands', { query: { argv: 'x' } })).mustBe(422, 'invalid');
  });

  flow('pages by a cursor that belongs to its filters', {}, async (api) => {
    for (let at = 1; at <= 5; at += 1)
      await register(api, { key: `p${at}-${api.unique}`, tags: [api.unique] });
    const keys: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const at: Sending['query'] = cursor === '' ? {} : { cursor };
      const page: Page<Command> = await list(api, { tags: api.unique, limit: 2, ...at });
      keys.push(...page.items.map(({ key }) => key.split('-')[0] ?? ''));
      if (page.nextCursor !== null) {
        const other = { tags: 'other', cursor: page.nextCursor };
        (await api.get('/test-commands', { query: other })).mustBe(422, 'invalid');
      }
      cursor = page.nextCursor;
    }
    expect(keys).toEqual(['p5', 'p4', 'p3', 'p2', 'p1']);
  });

  flow('answers 304 for its tag, 404 to another project', { needs: ['other'] }, async (api) => {
    const { id } = await register(api);
    const etag = (await api.get('/test-commands', { query: { id } })).header('etag') ?? '';
    (await api.get('/test-commands', { query: { id }, headers: { 'if-none-match': etag } })).must(
      304,
    );
    const hidden = await api.get('/test-commands', { query: { id }, as: 'other' });
    hidden.mustBe(404, 'not_found');
    const none = { id: `cmd_${'0'.repeat(26)}` };
    (await api.get('/test-commands', { query: none })).mustBe(404, 'not_found');
  });
});

describe('PATCH /test-commands [PQRS-38]', () => {
  flow('merges, and leaves alone what it does not name', NEEDS, async (api) => {
    const before = await register(api, { env: { A: '1', B: '2' }, tags: ['x'], cwd: 'web' });
    const patch = { env: { A: null, C: '3' }, cwd: null, report: { format: 'tap', path: 'o.tap' } };
    const after = (await change(api, before.id, patch, AGENT)).must(200).json<Command>();
    expect(after as object).toMatchObject({
      ...{ env: { B: '2', C: '3' }, cwd: null, report: patch.report, tags: ['x'], version: 2 },
    });
    expect(after.fingerprint).not.toBe(before.fingerprint);
    const none = (await change(api, before.id, { report: { format: 'none' } })).must(200);
    expect(none.json<Command>().report).toEqual({ format: 'none', path: null });
    expect((await read(api, before.id)) as object).toEqual(none.json());
  });

  flow('that changes nothing leaves the version; null is what is usual', {}, async (api) => {
    const { id, fingerprint, ...rest } = await register(api, { timeoutMs: 7, maxAttempts: 9 });
    const same = (await change(api, id, { argv: rest.argv, tags: [], timeoutMs: 7 })).must(200);
    expect(same.json<Command>().version).toBe(1);
    const back = { timeoutMs: null, maxAttempts: null, name: null, env: null };
    const usual = (await change(api, id, back)).must(200).json<Command>();
    expect(usual as object).toMatchObject({ timeoutMs: 600_000, maxAttempts: 3, name: rest.key });
    expect(usual.fingerprint).toBe(fingerprint);
  });

  flow('takes the media type of a merge patch, and needs an id', {}, async (api) => {
    const { id } = await register(api);
    const headers = { 'content-type': 'application/merge-patch+json' };
    (await change(api, id, { tags: ['m'] }, { headers })).must(200);
    const none = await api.patch('/test-commands', { tags: [] });
    expect(pointers(none.mustBe(422, 'invalid'))).toEqual(['/id']);
    (await change(api, `cmd_${'0'.repeat(26)}`, { tags: [] })).mustBe(404, 'not_found');
  });

  flow('with a stale If-Match is 412', {}, async (api) => {
    const { id } = await register(api);
    const etag = (await change(api, id, { tags: ['a'] })).must(200).header('etag') ?? '';
    const stale = await change(api, id, { tags: ['b'] }, { headers: { 'if-match': '"1-x"' } });
    stale.mustBe(412, 'precondition_failed');
    (await change(api, id, { tags: ['b'] }, { headers: { 'if-match': etag } })).must(200);
    expect((await read(api, id)).tags).toEqual(['b']);
  });

  flow('refuses what does not go together with what is there', {}, async (api) => {
    const { id } = await register(api);
    const second = await register(api, { key: `second-${api.unique}` });
    const refused = async (patch: object, pointer: string, status = 422) => {
      const answer = await change(api, id, patch);
      answer.mustBe(status, status === 409 ? 'conflict' : 'invalid');
      expect(pointers(answer)).toContain(pointer);
    };
    await refused({ argv: null }, '/argv');
    await refused({ key: null }, '/key');
    await refused({ key: second.key }, '/key', 409);
    await refused({ report: { format: 'junit' } }, '/report/path');
    await refused({ report: { path: 'x' } }, '/report/path');
    await refused({ state: 'quarantined' }, '/quarantine');
    await refused({ quarantine: QUARANTINE }, '/quarantine');
    await refused({ env: Object.fromEntries(named(101)) }, '/env');
    await refused({ stats: null }, '/stats');
    await change(api, id, { env: Object.fromEntries(named(60)) });
    await refused({ env: Object.fromEntries(named(60, 'V')) }, '/env');
    expect((await read(api, id)).version).toBe(2);
  });

  const named = (count: number, letter = 'A') =>
    Array.from({ length: count }, (_, at) => [`${letter}${at}`, 'x']);
});

describe('a quarantine [PQRS-39]', () => {
  flow('has an owner, a reason and an end; another state ends it', NEEDS, async (api) => {
    const { id } = await register(api);
    const set = {
      state: 'quarantined',
      quarantine: { ...QUARANTINE, until: '2999-01-31T13:00:00+01:00' },
    };
    const aside = (await change(api, id, set, AGENT)).must(200).json<Command>();
    expect(aside as object).toMatchObject({ state: 'quarantined', quarantine: QUARANTINE });
    const longer = { quarantine: { until: '2999-03-31T12:00:00.000Z' } };
    const later = (await change(api, id, longer)).must(200).json<Command>();
    expect(later.quarantine).toEqual({ ...QUARANTINE, ...longer.quarantine });
    const half = await change(api, id, { quarantine: null });
    expect(pointers(half.mustBe(422, 'invalid'))).toEqual(['/quarantine']);
    const back = (await change(api, id, { state: 'active' })).must(200).json<Command>();
    expect(back as object).toMatchObject({ state: 'active', quarantine: null });
  });

  test('is over when its time is up: the command is active, and may be set aside again', async () => {
    const instance = await openInstance();
    const { token } = await instance.makeProject('default');
    const send = async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method, token, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      const answer = await instance.fetch(`/api/test-commands${path}`, init);
      return { status: answer.status, etag: answer.headers.get('etag'), body: await answer.json() };
    };
    const until = new Date(Date.now() + 60_000).toISOString();
    const sent = { key: 'k', argv: ['true'], state: 'quarantined' };
    const made = await send('POST', '', { ...sent, quarantine: { ...QUARANTINE, until } });
    const { id } = made.body as Command;
    expect(made.body).toMatchObject({ state: 'quarantined', version: 1 });
    expect((await send('GET', '?state=quarantined')).body).toMatchObject({ items: [{ id }] });
    instance.pass(60_001);
    const over = await send('GET', `?id=${id}`);
    expect(over.body).toMatchObject({ state: 'active', quarantine: { until }, version: 1 });
    expect(over.etag).not.toBe(made.etag);
    expect((await send('GET', '?state=active')).body).toMatchObject({ items: [{ id }] });
    expect((await send('GET', '?state=quarantined')).body).toMatchObject({ items: [] });
    expect((await send('PATCH', '', { id, tags: ['a'] })).status).toBe(200);
    expect((await send('PATCH', '', { id, state: 'quarantined' })).status).toBe(422);
    const again = { state: 'quarantined', quarantine: { until: QUARANTINE.until } };
    const aside = await send('PATCH', '', { id, ...again });
    expect(aside.body).toMatchObject({ state: 'quarantined', quarantine: QUARANTINE });
    await instance.close();
  });
});
