// Rates: who is counted by what, what a refusal says, and that no header moves a caller into
// another bucket.
import { describe, expect, test } from 'bun:test';
import { type Asking, askerOf } from '../support/asker.ts';
import { openInstance } from '../support/instance.ts';

interface PeerAsking extends Asking {
  /** The address of the connection. */
  peer?: string;
}

/** An instance, a project in it with a widget, and a way to call it from several addresses. */
async function open(flags: Record<string, string | boolean> = {}) {
  const instance = await openInstance(flags);
  instance.evidence.connection.peerOf = (request) =>
    request.headers.get('x-test-peer') ?? '192.0.2.1';
  const main = await instance.makeProject('default', { demo: true });
  const make = async (capability: string) => (await instance.makeToken(main.id, [capability])).text;

  const asker = askerOf(instance);
  const ask = (path: string, { peer, ...asking }: PeerAsking = {}) =>
    asker(path, {
      ...{ ...asking, headers: { ...asking.headers, ...(peer && { 'x-test-peer': peer }) } },
    });

  async function times(count: number, path: string, asking: PeerAsking): Promise<number[]> {
    const statuses: number[] = [];
    for (let each = 0; each < count; each += 1) statuses.push((await ask(path, asking)).status);
    return statuses;
  }

  return { instance, owner: main.token, widget: await make('widget:write'), make, ask, times };
}

const only = (statuses: number[]): number[] => [...new Set(statuses)];

describe('a widget token [PQRS-71]', () => {
  test('has bursts of 20 and a call a second', async () => {
    const { instance, widget, ask, times } = await open();
    expect(only(await times(20, '/api/health', { token: widget }))).toEqual([200]);
    const refused = (await ask('/api/v1/health', { token: widget })).mustBe(429, 'rate_limited');
    expect(refused.header('retry-after')).toBe('1');
    expect(refused.header('ratelimit-policy')).toBe('"widget";q=20;w=20');
    expect(refused.header('ratelimit')).toMatch(/^"widget";r=0;t=(?:19|20)$/);
    instance.pass(1000);
    expect(await times(2, '/api/health', { token: widget })).toEqual([200, 429]);
    instance.pass(60_000);
    expect(only(await times(20, '/api/health', { token: widget }))).toEqual([200]);
    expect(await times(1, '/api/health', { token: widget })).toEqual([429]);
    await instance.close();
  });

  test('is told how much is left with every answer', async () => {
    const { instance, widget, owner, ask } = await open();
    for (const left of [19, 18, 17]) {
      const answer = await ask('/api/health', { token: widget });
      expect(answer.header('ratelimit')).toMatch(new RegExp(`^"widget";r=${left};t=\\d+$`));
      expect(answer.header('ratelimit-policy')).toBe('"widget";q=20;w=20');
    }
    const invalid = await ask('/api/health?nonsense=1', { token: widget });
    expect(invalid.must(422).header('ratelimit')).toContain('r=16');
    expect((await ask('/api/health', { token: owner })).headers.get('ratelimit')).toBeNull();
    await instance.close();
  });

  test('is counted apart for each address, and each token apart', async () => {
    const { instance, widget, make, times } = await open();
    const [a, b] = [
      { token: widget, peer: '192.0.2.1' },
      { token: widget, peer: '192.0.2.2' },
    ];
    expect((await times(21, '/api/health', a)).at(-1)).toBe(429);
    expect(only(await times(20, '/api/health', b))).toEqual([200]);
    const another = { token: await make('widget:write'), peer: '192.0.2.1' };
    expect(only(await times(20, '/api/health', another))).toEqual([200]);
    await instance.close();
  });

  test('has 600 a minute from all addresses together', async () => {
    const { instance, widget, make, ask, times } = await open();
    for (let at = 0; at < 30; at += 1) {
      expect(
        only(await times(20, '/api/health', { token: widget, peer: `192.0.2.${at}` })),
      ).toEqual([200]);
    }
    const another = (at: number) => ask('/api/health', { token: widget, peer: `192.0.2.${at}` });
    let refused = await another(30);
    // What has flowed in meanwhile is used up first.
    for (let at = 31; refused.status === 200; at += 1) refused = await another(at);
    refused.mustBe(429, 'rate_limited');
    expect(refused.header('ratelimit')).toStartWith('"widget-token";r=0;');
    (await ask('/api/health', { token: await make('widget:write'), peer: '192.0.2.99' })).must(200);
    await instance.close();
  });

  test('is refused before its body is looked at, and after whether it may call at all', async () => {
    const { instance, widget, ask, times } = await open();
    await times(20, '/api/health', { token: widget });
    const broken = {
      method: 'POST',
      headers: { 'content-type': 'text/csv', 'content-encoding': 'gzip' },
      body: '{',
    };
    (await ask('/api/issues', { token: widget, ...broken })).mustBe(429, 'rate_limited');
    (await ask('/api/issues', { token: widget })).mustBe(403, 'forbidden');
    (await ask('/api/health', { token: widget, method: 'POST' })).mustBe(405, 'method_not_allowed');
    (await ask('/api/no-such-path', { token: widget })).mustBe(404, 'not_found');
    await instance.close();
  });

  test('that may do more is not held to it where something else allows the call', async () => {
    const { instance, make, ask } = await open();
    const { id } = instance.evidence.tokens.projects()[0]!;
    const mixed = (await instance.makeToken(id, ['srs:edit', 'widget:write'])).text;
    for (let each = 0; each < 25; each += 1) (await ask('/api/health', { token: mixed })).must(200);
    const filing = {
      token: mixed,
      json: { title: 'x' },
    };
    for (let each = 0; each < 20; each += 1) (await ask('/api/issues', filing)).must(201);
    (await ask('/api/issues', filing)).mustBe(429, 'rate_limited');
    (await ask('/api/health', { token: await make('srs:edit') })).must(200);
    await instance.close();
  });

  test('may send so many bytes a day', async () => {
    const { instance, widget, owner, ask } = await open({ 'widget-token-bytes-per-day': '100' });
    const filing = (token: string) => ({
      token,
      json: { title: 'x' },
    });
    const issue = (await ask('/api/issues', filing(widget))).must(201).id;
    const upload = (token: string, bytes: number) =>
      ask(`/api/issues/${issue}/attachments`, {
        token,
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename=a' },
        body: 'x'.repeat(bytes),
      });
    (await upload(widget, 60)).must(201);
    const refused = (await upload(widget, 60)).mustBe(429, 'rate_limited');
    expect(Number(refused.header('retry-after'))).toBeGreaterThan(3600);
    (await upload(widget, 40)).must(201);
    (await upload(owner, 200)).must(201);
    instance.pass(24 * 3600 * 1000);
    (await upload(widget, 100)).must(201);
    await instance.close();
  });
});

describe('other tokens [PQRS-71]', () => {
  test('have no limit unless set', async () => {
    const { instance, owner, make, times } = await open({ demo: true });
    for (const token of [
      owner,
      await make('srs:edit'),
      await make('agent:execute'),
      await make('read:demo'),
    ]) {
      expect(only(await times(300, '/api/health', { token }))).toEqual([200]);
    }
    await instance.close();
  });

  for (const [flag, capability] of [
    ['owner-per-minute', 'project:owner'],
    ['editor-per-minute', 'srs:edit'],
    ['agent-per-minute', 'agent:execute'],
    ['demo-per-minute', 'read:demo'],
  ] as const) {
    test(`${capability} has the one that is set`, async () => {
      const { instance, make, ask, times } = await open({ [flag]: '3', demo: true });
      const [token, second] = [await make(capability), await make(capability)];
      expect(await times(4, '/api/health', { token })).toEqual([200, 200, 200, 429]);
      const refused = await ask('/api/health', { token, peer: '192.0.2.77' });
      expect(refused.mustBe(429, 'rate_limited').header('retry-after')).toBe('20');
      expect(await times(1, '/api/health', { token: second })).toEqual([200]);
      instance.pass(20_000);
      expect(await times(2, '/api/health', { token })).toEqual([200, 429]);
      await instance.close();
    });
  }
});

describe('failed authentication [PQRS-71]', () => {
  test('is 429 instead of 401 after 300 from an address, and good tokens are not held up', async () => {
    const bad = { token: 'nonsense' };
    const usual = await open();
    const answers = await usual.times(310, '/api/issues', bad);
    expect([only(answers.slice(0, 300)), answers.includes(429)]).toEqual([[401], true]);
    await usual.instance.close();
    // So few that none comes back while the test asks.
    const { instance, owner, ask, times } = await open({ 'failed-auth-per-minute': '3' });
    expect(await times(3, '/api/issues', bad)).toEqual([401, 401, 401]);
    const refused = (await ask('/api/issues', bad)).mustBe(429, 'rate_limited');
    expect(refused.headers.get('www-authenticate')).toBeNull();
    expect(refused.header('ratelimit')).toStartWith('"failed-auth";r=0;');
    for (const path of ['/api/v1/projects', '/metrics'])
      (await ask(path, bad)).mustBe(429, 'rate_limited');
    (await ask('/api/health', {})).mustBe(429, 'rate_limited');
    (await ask('/api/files/x', {})).mustBe(429, 'rate_limited');
    (await ask('/api/health', { token: owner })).must(200);
    (await ask('/api/health', { ...bad, peer: '192.0.2.2' })).mustBe(401, 'unauthorized');
    instance.pass(20_000);
    expect(await times(2, '/api/issues', bad)).toEqual([401, 429]);
    await instance.close();
  });

  test('a right guess is not told from a wrong one once the limit is reached, but by its answer', async () => {
    const { instance, owner, ask } = await open({ 'failed-auth-per-minute': '1' });
    (await ask('/api/health', { token: 'x' })).must(401);
    (await ask('/api/health', { token: 'x' })).must(429);
    (await ask('/api/health', { token: owner })).must(200);
    await instance.close();
  });
});

describe('the address of a client [PQRS-71]', () => {
  const FORGED = [
    { 'x-forwarded-for': '10.1.1.1' },
    { 'x-forwarded-for': '10.1.1.2, 10.1.1.3' },
    { 'x-real-ip': '10.1.1.4' },
    { forwarded: 'for=10.1.1.5' },
    { 'cf-connecting-ip': '10.1.1.6' },
    { 'true-client-ip': '10.1.1.7' },
    { 'x-client-ip': '10.1.1.8' },
  ] as Record<string, string>[];

  test('is that of the connection, whatever headers say', async () => {
    const { instance, widget } = await open({ 'failed-auth-per-minute': '7' });
    const { url } = await instance.listening();
    const call = async (token: string, headers: Record<string, string>) => {
      const answer = await fetch(`${url}/api/health`, {
        headers: { ...headers, authorization: `Bearer ${token}` },
      });
      await answer.body?.cancel();
      return answer.status;
    };
    for (let each = 0; each < 20; each += 1)
      expect(await call(widget, FORGED[each % FORGED.length]!)).toBe(200);
    for (const headers of FORGED) expect(await call(widget, headers)).toBe(429);
    for (const headers of FORGED) expect(await call('nonsense', headers)).toBe(401);
    for (const headers of FORGED) expect(await call('nonsense', headers)).toBe(429);
    await instance.close();
  });

  test('is what a trusted proxy says it is', async () => {
    const { instance, widget, times } = await open({ 'trusted-proxies': '10.0.0.0/8' });
    const via = (peer: string, forwarded: string) => ({
      token: widget,
      peer,
      headers: { 'x-forwarded-for': forwarded },
    });
    expect((await times(21, '/api/health', via('10.0.0.1', '198.51.100.1'))).at(-1)).toBe(429);
    expect(only(await times(20, '/api/health', via('10.0.0.1', '198.51.100.2')))).toEqual([200]);
    // What the client itself has put before the proxy's own entry says nothing.
    expect(await times(1, '/api/health', via('10.0.0.1', '203.0.113.9, 198.51.100.1'))).toEqual([
      429,
    ]);
    expect(await times(1, '/api/health', via('10.0.0.2', '198.51.100.1, 10.0.0.3'))).toEqual([429]);
    // Nor does one that does not come through a trusted proxy.
    expect((await times(21, '/api/health', via('198.51.100.50', '203.0.113.10'))).at(-1)).toBe(429);
    expect(await times(1, '/api/health', via('198.51.100.50', '203.0.113.11'))).toEqual([429]);
    await instance.close();
  });
});

describe('limits that are set [PQRS-83]', () => {
  const json = { 'content-type': 'application/json' };

  test('hold in place of the usual ones', async () => {
    const { instance, owner, ask } = await open({
      ...{ 'json-body-bytes': '100', 'ndjson-bytes': '200', 'log-batch-entries': '2' },
      ...{ 'attachments-per-issue': '1', 'attachment-bytes': '10' },
    });
    const post = (path: string, headers: Record<string, string>, body: string) =>
      ask(path, { token: owner, method: 'POST', headers, body });
    const issue = (await post('/api/issues', json, '{"title":"x"}')).must(201).id;
    (await post('/api/issues', json, `{"title":"${'x'.repeat(100)}"}`)).mustBe(413, 'too_large');
    const lines = { 'content-type': 'application/x-ndjson' };
    (await post('/api/system-logs', lines, '{"message":"x"}\n'.repeat(2))).must(201);
    (await post('/api/system-logs', lines, '{"message":"x"}\n'.repeat(3))).mustBe(422, 'invalid');
    (await post('/api/system-logs', lines, `{"message":"${'x'.repeat(200)}"}\n`)).mustBe(
      413,
      'too_large',
    );
    const file = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename=a' };
    const path = `/api/issues/${issue}/attachments`;
    (await post(path, file, 'x'.repeat(11))).mustBe(413, 'too_large');
    (await post(path, file, 'x'.repeat(10))).must(201);
    (await post(path, file, 'x')).mustBe(409, 'conflict');
    await instance.close();
  });
});
