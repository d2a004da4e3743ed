// Paths, ids and methods that somebody might send to get at what is not theirs. Each incident of a
// server like this one that began with a path has its case.
import { describe, expect } from 'bun:test';
import { attachFile } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { rawOrNothing } from '../support/raw-status.ts';
import { fileIssue, issueOf } from '../support/samples.ts';

const PARAMETERS = [
  ...[':id', ':key', '*', '**', '{id}', '{key}', '%3Aid', '%2A', '%7Bid%7D', '[id]', '$id', '0'],
  ...['1', '-1', 'null', 'undefined'],
  ...['%00', 'a%00', '%2e%2e', '%2e%2e%2f', '..%2f..%2fowner.token'],
  ...['%2e%2e%2f%2e%2e%2fetc%2fpasswd', '..%5c..%5cowner.token', '%5c', '%252e%252e%252f'],
  ...['%', '%zz', '%c0%ae%c0%ae', '%ff', '%u002e', '.', '...', '%20', '+', '%0a'],
  ...['%0d%0aX-Injected:%201', '%2f', 'a%2fb', ';', ',', '~', '%F0%9F%99%82'],
  ...[
    'aux',
    'con',
    'nul',
    'CON.txt',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'true',
    "'%20or%201=1--",
    '%27%3Bdrop%20table%20issues%3B--',
    'x'.repeat(3000),
  ],
];

describe('path parameters [PQRS-74]', () => {
  flow('that are no id find nothing, whatever they are', {}, async (api) => {
    for (const parameter of PARAMETERS) {
      const patched = await api.patch(`/issues/${parameter}`, { severity: 'minor' });
      expect([404, 405], parameter).toContain(patched.status);
      const attached = await api.send('POST', `/issues/${parameter}/attachments`, {
        headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename=a' },
        body: 'x',
      });
      expect([404, 405], parameter).toContain(attached.status);
      const query = { id: decoded(parameter) };
      expect([404, 422]).toContain((await api.get('/issues', { query })).status);
      expect([404, 422]).toContain((await api.get('/system-logs', { query })).status);
      expect([404, 422]).toContain((await api.get('/projects', { query })).status);
    }
  });

  flow('that are no key open nothing, with or without a signature', {}, async (api) => {
    const { url } = await attachFile(api, await fileIssue(api, 'owner'));
    const signature = url.slice(url.indexOf('?'));
    const rows = api.target.own ? PARAMETERS : PARAMETERS.slice(0, 8);
    // A client makes another path of a dot, or of two of them encoded.
    for (const parameter of rows.filter((one) => !['.', '%2e%2e'].includes(one))) {
      expect((await api.get(`/files/${parameter}`)).status, parameter).toBe(403);
      expect((await api.get(`/files/${parameter}`, { as: null })).status, parameter).toBe(401);
      expect(
        (await api.get(`/files/${parameter}${signature}`, { as: null })).status,
        parameter,
      ).toBe(403);
    }
  });

  flow('of an id with NUL behind it are not that id', { compare: false }, async (api) => {
    const id = await fileIssue(api, 'owner');
    const encoded = `${id}%00`;
    (await api.patch(`/issues/${encoded}`, { severity: 'minor' })).must(404);
    expect([404, 422]).toContain((await api.get(`/issues?id=${encoded}`)).status);
    expect([404, 422]).toContain((await api.get(`/issues?id=${encoded}x`)).status);
    const headers = {
      'content-type': 'text/plain',
      'content-disposition': 'attachment; filename=a',
    };
    (await api.send('POST', `/issues/${encoded}/attachments`, { headers, body: 'x' })).must(404);
    expect(await issueOf(api, id)).toMatchObject({ version: 1, attachments: [] });
  });

  flow('of an id spelled otherwise are not that id', { compare: false }, async (api) => {
    const id = await fileIssue(api, 'owner');
    for (const other of [
      id.toUpperCase(),
      ` ${id}`,
      `${id} `,
      id.slice(4),
      `${id}/`,
      `./${id}`,
      `x/../${id}`,
    ]) {
      const { status } = await api.patch(`/issues/${encodeURIComponent(other)}`, {
        severity: 'minor',
      });
      expect(status).toBe(404);
    }
    expect((await issueOf(api, id)).version).toBe(1);
  });
});

describe('paths [PQRS-74]', () => {
  const UNKNOWN = [
    ...['', '/', '/.', '/issues/', '/issues//attachments', '/Issues', '/issues/a/b'],
    ...['/issues/a/attachments/', '/issues/a/attachments/b', '/files', '/files/', '/files/a/b'],
    ...['/issues;v=1', '/issues%20', '/issues%00', '/issues%2f', '/v1/issues', '/v2/issues', '/v1'],
    ...['/issues.json', '/health/', '/ready/live', '/metrics', '/openapi.json', '/admin', '/.env'],
    '/../issues/x/y',
  ];

  flow('that nothing is at are 404, whoever asks', { compare: false }, async (api) => {
    for (const path of UNKNOWN.filter((one) =>
      api.prefix === '/api' ? !one.startsWith('/v1') : true,
    )) {
      for (const as of ['owner', null] as const) {
        expect((await api.get(path, { as })).status, path).toBe(404);
      }
    }
  });

  const OWN = { ownBecause: 'what stands before it may tidy paths up' };

  flow('on the wire lead where they do when tidy, or nowhere', OWN, async (api) => {
    const token = api.target.token('owner');
    const raw = (path: string, as = token) =>
      api.raw({ head: `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${as}` });
    for (const path of ['{prefix}/issues/../health', '{prefix}/./health', '/x/..{prefix}/health']) {
      // RFC 3986, 6.2.2.3. The caller is asked for under the tidied path as well.
      (await raw(path)).must(200);
      (await raw(path, 'nonsense')).mustBe(401, 'unauthorized');
    }
    for (const path of [
      ...['{prefix}//health', '/{prefix}/health', '{prefix}/%2e%2e/owner.token'],
      ...['{prefix}/..%2f..%2fowner.token', '{prefix}/files/../../../owner.token'],
      ...['{prefix}/%68ealth', '{prefix}/health%23', '{prefix}/health;a=b'],
      ...['/..%2f{prefix}/health', '/../../../../etc/passwd'],
    ]) {
      (await raw(path)).mustBe(404, 'not_found');
    }
    (await raw('{prefix}/health')).must(200);
    (await raw('http://localhost{prefix}/health')).must(200);
  });

  flow('under any host are the same, and under none', OWN, async (api) => {
    const query = `labels=${api.unique}`;
    for (let each = 0; each < 2; each += 1) {
      (await api.post('/issues', { title: 'x', labels: [api.unique] })).must(201);
    }
    const ask = (line: string, path: string) =>
      api.raw({
        head: `GET ${path} ${line}Authorization: Bearer ${api.target.token('owner')}\r\nConnection: close`,
      });
    const hosts = ['a', 'nas', 'evil.example', '127.0.0.1:1', '[::1]', 'localhost:99999', '%2f'];
    const odd = ['a b', '', 'x@y', 'a/b', 'a?b', 'a#b'];
    for (const line of [
      ...[...hosts, ...odd].map((host) => `HTTP/1.1\r\nHost: ${host}\r\n`),
      'HTTP/1.0\r\n',
    ]) {
      const list = (await ask(line, `{prefix}/issues?limit=1&${query}`)).must(200);
      expect(list.header('link')).toStartWith(`</api/issues?limit=1&${query}&cursor=`);
      (await ask(line, '{prefix}/no-such-path')).mustBe(404, 'not_found');
      (await ask(line, '{prefix}/issues/iss_1')).mustBe(405, 'method_not_allowed');
      (await ask(line, '/x{prefix}/health')).mustBe(404, 'not_found');
    }
  });
});

describe('methods on the wire [PQRS-74]', () => {
  const OWN = { ownBecause: 'what stands before it may answer for it' };
  flow('that fetch does not send are refused too', OWN, async (api) => {
    for (const method of [
      ...['TRACE', 'CONNECT', 'get', 'GETS', 'LOCK', 'MKCOL', 'PURGE', 'M-SEARCH', '__proto__'],
    ]) {
      const head = `${method} {prefix}/issues HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.target.token('owner')}`;
      const answer = await rawOrNothing(api, head);
      if (answer !== undefined) expect([400, 405, 501], method).toContain(answer);
    }
    for (const header of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
      (await api.get(`/issues?labels=${api.unique}`, { headers: { [header]: 'POST' } })).must(200);
      (
        await api.post('/issues?_method=PATCH', { title: 'x' }, { headers: { [header]: 'DELETE' } })
      ).mustBe(422, 'invalid');
    }
  });
});

function decoded(parameter: string): string {
  try {
    return decodeURIComponent(parameter);
  } catch {
    return parameter;
  }
}
