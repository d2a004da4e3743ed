// Headers that somebody might send to be taken for somebody else, or to bring the service down.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { rawOrNothing } from '../support/raw-status.ts';
import type { Issue, Page } from '../support/shapes.ts';

describe('headers', () => {
  const OWN = { ownBecause: 'what stands before it may answer for it' };
  const authorization = (api: Client) => `Authorization: Bearer ${api.target.token('owner')}`;

  flow('that are huge or many end in a refusal alone', OWN, async (api) => {
    const start = `GET {prefix}/health HTTP/1.1\r\nHost: localhost\r\n${authorization(api)}`;
    for (const more of [
      `\r\nX-A: ${'a'.repeat(100_000)}`,
      `\r\n${'X-A: a\r\n'.repeat(5000)}X-B: b`,
      `\r\nCookie: ${'a=b; '.repeat(20_000)}`,
      `\r\n${'x'.repeat(70_000)}: a`,
    ]) {
      const status = await rawOrNothing(api, start + more);
      if (status !== undefined) expect([200, 400, 413, 414, 431]).toContain(status);
    }
    (await api.get('/health')).must(200);
  });

  flow('that contradict each other are refused or taken once', OWN, async (api) => {
    const title = '{"title": "smuggled"}';
    const start = `POST {prefix}/issues HTTP/1.1\r\nHost: localhost\r\n${authorization(api)}\r\nContent-Type: application/json\r\n`;
    const bodies: [string, string][] = [
      [`Content-Length: ${title.length}\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${title}`],
      [`Content-Length: ${title.length}\r\nContent-Length: 3`, title],
      ['Content-Length: -1', title],
      ['Content-Length: 0x10', title],
      ['Content-Length: 1e3', title],
      ['Transfer-Encoding: gzip', title],
      ['Transfer-Encoding: chunked, identity', title],
      ['Transfer-Encoding: xchunked', title],
    ];
    for (const [headers, body] of bodies) {
      const status = await rawOrNothing(api, start + headers, body);
      if (status !== undefined) expect([400, 411, 413, 501], headers).toContain(status);
    }
    (await api.get('/health')).must(200);
  });

  flow(
    'of two tokens open no more than one [PQRS-66]',
    { ...OWN, needs: ['other', 'revoked'] },
    async (api) => {
      const two = (a: string, b: string) =>
        `GET {prefix}/projects HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${a}\r\nAuthorization: Bearer ${b}`;
      const [own, other, revoked] = (['owner', 'other', 'revoked'] as const).map((role) =>
        api.target.token(role),
      );
      for (const head of [two(own!, other!), two(revoked!, own!), two(own!, revoked!)]) {
        expect([200, 400, 401]).toContain((await api.raw({ head })).status);
      }
      expect((await api.raw({ head: two(revoked!, 'x') })).status).not.toBe(200);
    },
  );

  flow('of the client come back only where they are safe [PQRS-75]', {}, async (api) => {
    for (const id of [
      'a',
      'A-z_0.9~:@+/=',
      'r'.repeat(128),
      '00000000-0000-0000-0000-000000000000',
    ]) {
      expect(
        (await api.get('/health', { headers: { 'x-request-id': id } })).header('x-request-id'),
      ).toBe(id);
      const failed = await api.get('/no-such-path', { headers: { 'x-request-id': id } });
      expect(failed.json().requestId).toBe(id);
    }
    for (const id of [
      '',
      'r'.repeat(129),
      ...['a b', '<script>', 'a"b', "a'b", 'a\u00e9', '{"a":1}', 'a;b', 'a,b'],
    ]) {
      const answer = await api.get('/health', { headers: { 'x-request-id': id } });
      expect(answer.header('x-request-id')).not.toBe(id);
    }
  });

  flow('of a proxy that is not trusted say nothing [PQRS-71]', {}, async (api) => {
    const headers = {
      ...{ 'x-forwarded-for': '10.0.0.1', 'x-forwarded-host': 'evil.example' },
      ...{ 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/evil' },
      ...{ 'x-original-url': '/metrics', 'x-rewrite-url': '/metrics' },
      forwarded: 'for=10.0.0.1;host=evil.example',
    };
    (await api.post('/issues', { title: 'x', labels: [api.unique] })).must(201);
    (await api.post('/issues', { title: 'x', labels: [api.unique] })).must(201);
    const answer = (await api.get(`/issues?limit=1&labels=${api.unique}`, { headers })).must(200);
    expect(answer.json<Page<Issue>>().items).toHaveLength(1);
    expect(answer.header('link')).toStartWith('</api/issues?');
    (await api.get('/no-such-path', { headers })).must(404);
  });
});

describe('cookies [PQRS-66]', () => {
  flow('are not looked at, whatever they are called', {}, async (api) => {
    for (const cookie of [
      ...['__proto__=x', 'constructor=x', '__proto__[polluted]=1', '=', ';;;', 'a', 'a=%zz'],
      `a=${'b'.repeat(3000)}`,
    ]) {
      (await api.get('/health', { headers: { cookie } })).must(200);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('long texts', () => {
  // Whoever reads them in more than linear time does not end within the test's.
  flow('are refused in every field', {}, async (api) => {
    const long = 900_000;
    const texts = ['a', ' ', '0', '-', '/', '2026-01-31T12:00:00.', 'a@', '\u0301'].map((text) =>
      text.repeat(long / Buffer.byteLength(text)),
    );
    const refused = async (work: () => ReturnType<typeof api.get>) => {
      const { status } = await work();
      expect([403, 404, 413, 422]).toContain(status);
    };
    for (const text of api.target.own ? texts : texts.slice(0, 2)) {
      for (const field of ['title', 'occurredAt', 'severity', 'url', 'labels', 'context']) {
        await refused(() => api.post('/issues', { title: 'x', [field]: text }));
      }
      for (const field of ['message', 'at', 'source', 'level']) {
        await refused(() => api.post('/system-logs', { message: 'x', [field]: text }));
      }
      await refused(() => api.post('/projects', { slug: text }));
    }
  });
});
