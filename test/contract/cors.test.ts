// Calls from pages of other origins: none unless configured, and then those origins alone.
import { describe, expect, test } from 'bun:test';
import { flow } from '../support/flow.ts';
import { openInstance } from '../support/instance.ts';

const ORIGIN = 'https://app.example';
const FOREIGN = [
  ...['https://evil.example', 'https://app.example.evil.example', 'https://evilapp.example'],
  ...['http://app.example', 'https://app.example:444', 'https://APP.example'],
  ...['https://app.example/', 'https://sub.app.example', 'null', '*', ''],
];

describe('without configured origins [PQRS-72]', () => {
  flow('no answer says anything of origins', { ownBecause: 'it may have origins' }, async (api) => {
    for (const origin of [ORIGIN, 'null', 'http://localhost']) {
      const answer = (await api.get('/health', { headers: { origin } })).must(200);
      for (const [name] of answer.headers) expect(name).not.toStartWith('access-control-');
      const preflight = await api.send('OPTIONS', '/issues', {
        as: null,
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      preflight.mustBe(405, 'method_not_allowed');
      expect(preflight.header('allow')).toBe('GET, POST');
    }
  });
});

describe('with configured origins [PQRS-72]', () => {
  const open = async () => {
    const instance = await openInstance({ 'cors-origins': `${ORIGIN},https://other.example` });
    const { token } = await instance.makeProject('default');
    return { instance, token };
  };
  const preflight = (origin: string, method: string | null = 'POST'): RequestInit => ({
    method: 'OPTIONS',
    headers: {
      origin,
      ...(method === null
        ? {}
        : {
            'access-control-request-method': method,
            'access-control-request-headers': 'authorization,content-type',
          }),
    },
  });

  test('a preflight of one of them is answered, without a token', async () => {
    const { instance } = await open();
    for (const path of ['/api/issues', '/api/v1/issues', '/api/issues/iss_1/attachments']) {
      const answer = await instance.fetch(path, preflight(ORIGIN));
      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, PATCH, DELETE');
      const headers = answer.headers.get('access-control-allow-headers')!.toLowerCase();
      for (const name of ['authorization', 'content-type', 'if-match', 'idempotency-key'])
        expect(headers).toContain(name);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(answer.headers.get('vary')).toContain('Origin');
      expect(await answer.text()).toBe('');
    }
    await instance.close();
  });

  test('a preflight of any other, or what is none, is 405 like any OPTIONS', async () => {
    const { instance } = await open();
    for (const origin of FOREIGN) {
      const answer = await instance.fetch('/api/issues', preflight(origin));
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET, POST');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('vary')).toBe('Origin');
    }
    expect((await instance.fetch('/api/issues', preflight(ORIGIN, null))).status).toBe(405);
    expect(
      (await instance.fetch('/api/no-such-path', preflight('https://evil.example'))).status,
    ).toBe(404);
    await instance.close();
  });

  test('answers to them may be read, errors too, and say what they exposed', async () => {
    const { instance, token } = await open();
    for (const [path, status, as] of [
      ['/api/health', 200, token],
      ['/api/v1/issues?id=none', 404, token],
      ['/api/issues', 401, undefined],
      ['/api/no-such-path', 404, token],
    ] as const) {
      const answer = await instance.fetch(path, {
        headers: { origin: ORIGIN },
        ...(as ? { token: as } : {}),
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(answer.headers.get('vary')).toBe('Origin');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      const exposed = answer.headers.get('access-control-expose-headers')!;
      for (const name of ['ETag', 'Link', 'Retry-After', 'RateLimit', 'RateLimit-Policy'])
        expect(exposed.split(', ')).toContain(name);
    }
    await instance.close();
  });

  test('answers to others say nothing but that they vary', async () => {
    const { instance, token } = await open();
    for (const origin of [...FOREIGN, undefined]) {
      const headers: Record<string, string> = origin === undefined ? {} : { origin };
      const answer = await instance.fetch('/api/health', { token, headers });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('vary')).toBe('Origin');
    }
    await instance.close();
  });
});
