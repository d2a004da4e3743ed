// The access log: which requests have a line in the process's log, and what is in it.
import { describe, expect, test } from 'bun:test';
import { openInstance } from '../support/instance.ts';

interface Line {
  level: string;
  time: string;
  msg: string;
  requestId?: string;
  [field: string]: unknown;
}

async function open(flags: Record<string, string>, logLevel: 'info' | 'debug' = 'info') {
  const instance = await openInstance(flags, { logLevel });
  const { id, token } = await instance.makeProject('default');
  const lines = (): Line[] =>
    instance
      .logged()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const ask = (path: string, requestId: string, init: RequestInit & { token?: string } = {}) =>
    instance.fetch(path, { ...init, headers: { 'x-request-id': requestId, ...init.headers } });
  const lineOf = (requestId: string) => lines().filter((line) => line.requestId === requestId);
  return { instance, projectId: id, token, lines, ask, lineOf };
}

const UNKNOWN = `pqrs_${'0'.repeat(26)}_${'9'.repeat(52)}`;

describe('PQRS_ACCESS_LOG=errors', () => {
  test('a refused request has a line with id, route and token, and no secret', async () => {
    const { instance, projectId, token, ask, lineOf } = await open({});
    const widget = await instance.makeToken(projectId, ['widget:write']);
    const expired = await instance.makeToken(projectId, ['srs:edit'], { expiresAt: 1 });
    await ask('/api/issues', 'unknown', { token: UNKNOWN });
    await ask('/api/v1/issues?q=canary', 'scope', { token: widget.text });
    await ask('/api/issues', 'expired', { token: expired.text });
    await ask('/api/issues/iss_1', 'missing', { token, method: 'PATCH', body: '{}' });
    await ask('/api/issues?limit=0', 'invalid', { token });
    await ask('/api/files/canary?signature=canary', 'file');
    await ask('/api/canary', 'nowhere', { token });
    await ask('/api/issues', 'method', { token, method: 'OPTIONS' });
    await ask('/metrics', 'metrics', { token: widget.text });
    const owner = `tok_${token.split('_')[1]}`;
    const all = { level: 'info', ms: expect.any(Number), msg: 'request refused' };
    for (const [id, method, route, status, code, tokenId] of [
      ['unknown', 'GET', '/issues', 401, 'unauthorized', null],
      ['scope', 'GET', '/issues', 403, 'forbidden', widget.id],
      ['expired', 'GET', '/issues', 401, 'unauthorized', expired.id],
      ['missing', 'PATCH', '/issues/:id', 415, 'unsupported_media_type', owner],
      ['invalid', 'GET', '/issues', 422, 'invalid', owner],
      ['file', 'GET', '/files/:key', 403, 'signature_invalid', null],
      ['nowhere', 'GET', null, 404, 'not_found', null],
      ['method', 'OPTIONS', null, 405, 'method_not_allowed', null],
      ['metrics', 'GET', '/metrics', 403, 'forbidden', null],
    ] as const) {
      const line = { ...all, requestId: id, method, route, status, code, tokenId };
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(lineOf(id)).toEqual([{ ...line, time }]);
    }
    expect(instance.logged()).not.toMatch(/canary|9{52}|stack/);
    await instance.close();
  });

  test('a request that was answered has none, at debug it has', async () => {
    for (const level of ['info', 'debug'] as const) {
      const { instance, token, ask, lineOf } = await open({}, level);
      await ask('/api/issues', 'well', { token });
      const expected = { level: 'debug', route: '/issues', status: 200, msg: 'request' };
      expect(lineOf('well')).toMatchObject(level === 'debug' ? [expected] : []);
      await instance.close();
    }
  });

  test('a flood of refusals has some lines and a count, and hides no other token', async () => {
    const { instance, projectId, lines, ask, lineOf } = await open({});
    const widget = await instance.makeToken(projectId, ['widget:write']);
    for (let each = 0; each < 200; each += 1) await ask('/api/issues', 'flood', { token: UNKNOWN });
    await ask('/api/issues', 'other', { token: widget.text });
    expect(lineOf('other')).toHaveLength(1);
    await instance.close();
    const written = lineOf('flood').length;
    const leftOut = lines().reduce((sum, line) => sum + Number(line.leftOut ?? 0), 0);
    expect(written + leftOut).toBe(200);
    expect(leftOut).toBeGreaterThan(0);
  });

  test('a refusal while draining has no stack, a failure has one', async () => {
    const { instance, token, ask, lineOf } = await open({});
    await instance.evidence.database.write((db) => db.run('alter table issues rename to gone'));
    await ask('/api/issues?status=open', 'failed', { token });
    const failed = { level: 'error', route: '/issues', status: 500, code: 'internal' };
    expect(lineOf('failed')).toMatchObject([
      { ...failed, err: { cause: { name: 'SqliteError' } } },
    ]);
    instance.evidence.refuseNew();
    await ask('/api/issues', 'draining', { token });
    const [draining] = lineOf('draining');
    expect(draining).toMatchObject({ level: 'info', status: 503, code: 'unavailable' });
    expect(draining).not.toHaveProperty('err');
    await instance.close();
  });
});

test('PQRS_ACCESS_LOG=all has every request at info', async () => {
  const { instance, token, ask, lineOf } = await open({ 'access-log': 'all' });
  await ask('/api/issues', 'well', { token });
  await ask('/api/issues', 'refused');
  expect(lineOf('well')).toMatchObject([{ level: 'info', status: 200 }]);
  expect(lineOf('refused')).toMatchObject([{ level: 'info', status: 401 }]);
  await instance.close();
});

test('PQRS_ACCESS_LOG=none has failures alone', async () => {
  const { instance, token, ask, lineOf } = await open({ 'access-log': 'none' }, 'debug');
  await ask('/api/issues', 'well', { token });
  await ask('/api/issues', 'refused');
  await instance.evidence.database.write((db) => db.run('alter table issues rename to gone'));
  await ask('/api/issues?status=open', 'failed', { token });
  expect([lineOf('well'), lineOf('refused')]).toEqual([[], []]);
  expect(lineOf('failed')).toHaveLength(1);
  await instance.close();
});
