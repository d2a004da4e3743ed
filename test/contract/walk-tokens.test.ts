// The walk over the access table with every token that does not do, and by every other way than its
// header.
import { describe, expect } from 'bun:test';
import type { AccessRow } from '../../src/access/access.ts';
import { brokenBodies } from '../support/broken-requests.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { GUARDED, pathWithoutId } from '../support/samples.ts';

describe('without a good token [PQRS-66]', () => {
  const good = (api: Client) => api.target.token('owner');
  const BAD: Record<string, (api: Client) => string | null> = {
    'no header': () => null,
    'a scheme alone': () => 'Bearer',
    'a scheme and a space': () => 'Bearer ',
    'the text null': () => 'Bearer null',
    'another scheme': (api) => `Basic ${btoa(`x:${good(api)}`)}`,
    'the token under another scheme': (api) => `Token ${good(api)}`,
    'the token under Basic': (api) => `Basic ${good(api)}`,
    'the token without a scheme': good,
    'the scheme without a space': (api) => `Bearer${good(api)}`,
    'a comma list': (api) => `Bearer ${good(api)}, Bearer ${good(api)}`,
    'a token with more behind it': (api) => `Bearer ${good(api)}x`,
    'a token and a parameter': (api) => `Bearer ${good(api)} realm="pqrs"`,
    'a truncated token': (api) => `Bearer ${good(api).slice(0, -1)}`,
    'its first part alone': (api) => `Bearer ${good(api).slice(0, 31)}`,
    'its secret alone': (api) => `Bearer ${good(api).slice(32)}`,
    capitals: (api) => `Bearer ${good(api).toUpperCase()}`,
    'another secret': (api) => `Bearer ${withOtherEnd(good(api))}`,
    'an unknown id': (api) => `Bearer pqrs_${'0'.repeat(26)}${good(api).slice(31)}`,
    'a path in it': () => 'Bearer pqrs_../../owner.token_',
    'a very long one': () => `Bearer pqrs_${'a'.repeat(6000)}`,
  };

  const authorization = (value: string | null): Record<string, string> =>
    value === null ? {} : { authorization: value };

  for (const [name, header] of Object.entries(BAD)) {
    flow(`${name} is 401 on every operation`, {}, async (api) => {
      const value = header(api);
      // An instance that others use counts failures: one operation of each method is enough there.
      const rows = api.target.own ? GUARDED : GUARDED.slice(0, 2);
      const headers = authorization(value);
      for (const row of rows) await unauthorized(api, row, headers);
    });
  }

  for (const role of ['expired', 'revoked'] as const) {
    flow(`a token that is ${role} is 401 on every operation`, { needs: [role] }, async (api) => {
      for (const row of GUARDED) {
        await unauthorized(api, row, { authorization: `Bearer ${api.target.token(role)}` });
      }
    });
  }

  flow('all of them get one and the same answer', {}, async (api) => {
    const bodies = new Set<string>();
    for (const header of Object.values(BAD).slice(0, api.target.own ? undefined : 4)) {
      const headers = authorization(header(api));
      const answer = await api.send('GET', '/issues', { as: null, headers });
      bodies.add(JSON.stringify(apartFromRequestId(answer.json())));
    }
    expect(bodies.size).toBe(1);
  });

  flow('nobody learns whether a body was valid', {}, async (api) => {
    const rows = api.target.own ? GUARDED : GUARDED.slice(0, 2);
    for (const row of rows) {
      for (const broken of brokenBodies(row)) {
        const path = pathWithoutId(row.path) + (broken.search ?? '');
        (await api.send(row.method, path, { ...broken, as: null })).mustBe(401, 'unauthorized');
      }
    }
  });

  async function unauthorized(api: Client, row: AccessRow, headers: Record<string, string>) {
    const path = pathWithoutId(row.path);
    (await api.send(row.method, path, { as: null, headers })).mustBe(401, 'unauthorized');
  }
});

describe('a token is taken from its header alone [PQRS-66]', () => {
  const CARRIERS: Record<
    string,
    (token: string) => { search?: string; headers?: Record<string, string> }
  > = {
    'the query access_token': (token) => ({ search: `?access_token=${token}` }),
    'the query token': (token) => ({ search: `?token=${token}` }),
    'the query authorization': (token) => ({ search: `?authorization=Bearer%20${token}` }),
    'a cookie': (token) => ({
      headers: { cookie: `token=${token}; authorization=Bearer%20${token}` },
    }),
    'X-Api-Key': (token) => ({ headers: { 'x-api-key': token } }),
    'X-Auth-Token': (token) => ({ headers: { 'x-auth-token': token } }),
    'X-Authorization': (token) => ({ headers: { 'x-authorization': `Bearer ${token}` } }),
    'X-Forwarded-Authorization': (token) => ({
      headers: { 'x-forwarded-authorization': `Bearer ${token}` },
    }),
    'Proxy-Authorization': (token) => ({ headers: { 'proxy-authorization': `Bearer ${token}` } }),
  };

  for (const [name, carry] of Object.entries(CARRIERS)) {
    flow(`not from ${name}`, {}, async (api) => {
      const { search = '', headers = {} } = carry(api.target.token('owner'));
      const rows = api.target.own ? GUARDED : GUARDED.slice(0, 2);
      for (const row of rows) {
        const path = pathWithoutId(row.path) + search;
        (await api.send(row.method, path, { as: null, headers })).mustBe(401, 'unauthorized');
      }
    });
  }

  flow('not from a form', {}, async (api) => {
    const body = new URLSearchParams({ access_token: api.target.token('owner') });
    (await api.send('POST', '/issues', { as: null, body })).mustBe(401, 'unauthorized');
  });

  flow('whatever the case of scheme and header', {}, async (api) => {
    const token = api.target.token('owner');
    for (const [name, scheme] of [
      ['authorization', 'bearer'],
      ['AUTHORIZATION', 'BEARER'],
      ['aUtHoRiZaTiOn', 'bEaReR'],
    ] as const) {
      const headers = { [name]: `${scheme} ${token}` };
      (await api.get('/health', { as: null, headers })).must(200);
    }
  });
});

function apartFromRequestId({ requestId: _, ...rest }: Record<string, unknown>): object {
  return rest;
}

function withOtherEnd(token: string): string {
  return token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
}
