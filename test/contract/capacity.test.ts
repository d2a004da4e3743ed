// What happens when there is too much at once, when the service stops, and when the disk is full.
import { describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { askerOf } from '../support/asker.ts';
import { openInstance } from '../support/instance.ts';

async function open(flags: Record<string, string | boolean> = {}) {
  const instance = await openInstance(flags);
  const { id, token } = await instance.makeProject('default');
  const ask = askerOf(instance, token);
  const file = (body: RequestInit['body']) => ({
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename=a' },
    body,
  });
  const issue = async () => (await ask('/api/issues', { json: { title: 'x' } })).must(201).id;
  return { instance, id, token, ask, file, issue };
}

/** A body whose end is up to the test. */
function heldBody(text: string) {
  let end = () => {};
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      end = () => controller.close();
    },
  });
  return { stream, end: () => end() };
}

describe('requests under way [PQRS-71]', () => {
  test('are so many at most; the others are 503, and leave nothing behind', async () => {
    const { instance, ask, file, issue } = await open({ 'requests-in-flight': '1' });
    const attached = await issue();
    const { stream, end } = heldBody('{"message":"held"}');
    const headers = { 'content-type': 'application/json' };
    const held = ask('/api/system-logs', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: stream,
    });
    await Bun.sleep(5);
    for (const [path, init] of [
      ['/api/issues', {}],
      ['/api/issues?id=iss_00000000000000000000000000', {}],
      ['/api/v1/system-logs', {}],
      ['/api/projects', {}],
      ['/api/issues', { method: 'POST', headers, body: '{"title":"refused"}' }],
    ] as const) {
      const refused = (await ask(path, init)).mustBe(503, 'unavailable');
      expect(refused.header('retry-after')).toBe('1');
    }
    (await ask('/api/health')).must(200);
    (await ask(`/api/issues/${attached}/attachments`, file('streams are counted apart'))).must(201);
    end();
    (await held).must(201);
    const list = (await ask('/api/issues')).must(200).json<{ items: { title: string }[] }>();
    expect(list.items.map((item) => item.title)).toEqual(['x']);
    // A read that was refused after it had begun must not fail where nobody listens.
    await Bun.sleep(10);
    await instance.close();
  });

  test('that are streams are so many at most too', async () => {
    const { instance, ask, file, issue } = await open({ 'streams-in-flight': '1' });
    const path = `/api/issues/${await issue()}/attachments`;
    const { stream, end } = heldBody('slowly');
    const held = ask(path, file(stream));
    await Bun.sleep(5);
    (await ask(path, file('refused'))).mustBe(503, 'unavailable');
    (await ask('/api/issues')).must(200);
    end();
    (await held).must(201);
    (await ask(path, file('now'))).must(201);
    await instance.close();
  });

  test('that break off give their place back and leave nothing', async () => {
    const { instance, ask, file, issue } = await open({
      'streams-in-flight': '2',
      'requests-in-flight': '2',
    });
    const id = await issue();
    for (let each = 0; each < 5; each += 1) {
      const broken = () =>
        new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array(10)),
          pull: (controller) => controller.error(new Error('gone')),
        });
      (await ask(`/api/issues/${id}/attachments`, file(broken()))).mustBe(400, 'malformed_body');
      const headers = { 'content-type': 'application/json' };
      (await ask('/api/issues', { method: 'POST', headers, body: broken() })).mustBe(
        400,
        'malformed_body',
      );
    }
    expect(instance.evidence.requests.inside + instance.evidence.streams.inside).toBe(0);
    const [shown] = (await ask('/api/issues')).json<{ items: { attachments: unknown[] }[] }>()
      .items;
    expect(shown!.attachments).toEqual([]);
    await instance.close();
  });

  test('whose client goes away leave nothing behind, and the service goes on', async () => {
    const { instance, token, ask, issue } = await open();
    const { url } = await instance.listening();
    const id = await issue();
    for (let each = 0; each < 5; each += 1) {
      const abort = new AbortController();
      const { stream } = heldBody('x'.repeat(1000));
      const sending = fetch(`${url}/api/issues/${id}/attachments`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'text/plain',
          'content-disposition': 'attachment; filename=a',
        },
        body: stream,
        signal: abort.signal,
      }).catch(() => 'aborted');
      await Bun.sleep(10);
      abort.abort();
      await sending;
    }
    const deadline = performance.now() + 2000;
    while (instance.evidence.streams.inside > 0 && performance.now() < deadline) await Bun.sleep(5);
    expect(instance.evidence.streams.inside).toBe(0);
    const [shown] = (await ask('/api/issues'))
      .must(200)
      .json<{ items: { attachments: unknown[] }[] }>().items;
    expect(shown!.attachments).toEqual([]);
    await instance.close();
  });
});

describe('a service that stops [PQRS-86]', () => {
  test('refuses what is new, but for the probes, which say so', async () => {
    const { instance, ask } = await open();
    instance.evidence.refuseNew();
    for (const path of ['/api/issues', '/api/v1/system-logs', '/api/projects']) {
      (await ask(path)).mustBe(503, 'unavailable');
    }
    (await ask('/api/health')).must(200);
    const ready = (await ask('/api/ready')).must(503);
    expect(ready.header('content-type')).toBe('application/health+json');
    expect(ready.header('retry-after')).toMatch(/^\d+$/);
    expect(ready.json()).toMatchObject({
      status: 'fail',
      checks: { 'service:draining': [{ status: 'fail' }] },
    });
    await instance.close();
  });
});

describe('a query that looks at many rows [PQRS-71]', () => {
  const PATH = '/api/system-logs?level=warn&state=resolved';

  async function opened(flags: Record<string, string>) {
    const opened = await open(flags);
    await opened.instance.evidence.database.write((db) =>
      db.run(sql`insert into log_entries (id, project_id, at, level, message, fingerprint, created_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 60000)
        select 'log_' || i, ${opened.id}, i, 'warn', 'x', 'f', 0 from n`),
    );
    return opened;
  }

  test('ends after its time, and says what would be cheaper', async () => {
    const { instance, ask } = await opened({ 'query-ms': '1' });
    const refused = (await ask(PATH)).mustBe(503, 'too_costly');
    expect(refused.json<{ detail: string }>().detail).toMatch(/`since`.*`count`/);
    for (const filter of ['level=warn', 'state=resolved'])
      (await ask(`/api/system-logs?${filter}`)).must(200);
    await instance.close();
  });

  test('leaves others their turn, and waits for others of its token', async () => {
    const { instance, id, ask } = await opened({ 'long-queries-per-token': '1' });
    const { text: token } = await instance.makeToken(id, ['project:owner']);
    const ended: string[] = [];
    const asked = {
      first: ask(PATH),
      second: ask(PATH),
      other: ask(PATH, { token }),
      probe: ask('/api/health'),
    };
    for (const [name, answer] of Object.entries(asked))
      answer.then(({ status }) => ended.push(`${name} ${status}`)).catch(() => {});
    await Promise.all(Object.values(asked));
    expect(ended[0]).toBe('probe 200');
    // Which of the two had the place is left open.
    expect(ended.at(-1)).toMatch(/^(?:first|second) 200$/);
    await instance.close();
  });
});

describe('a disk that is nearly full [PQRS-85]', () => {
  test('takes no uploads, and readiness says so; the rest goes on', async () => {
    const { instance, ask, file, issue } = await open({ 'free-disk-bytes': String(2 ** 52) });
    const id = await issue();
    const refused = (await ask(`/api/issues/${id}/attachments`, file('x'))).mustBe(
      503,
      'unavailable',
    );
    expect(refused.header('retry-after')).toMatch(/^[1-9]\d*$/);
    (await ask(`/api/issues?id=${id}`)).must(200);
    const ready = (await ask('/api/ready')).must(503);
    expect(ready.json()).toMatchObject({
      status: 'fail',
      checks: { 'disk:free': [{ status: 'fail' }], 'database:write': [{ status: 'pass' }] },
    });
    await instance.close();
  });
});

describe('a connection without a byte', () => {
  test('is ended', async () => {
    const { instance, token } = await open({ 'idle-seconds': '1' });
    const { port } = await instance.listening();
    const began = performance.now();
    const ended = await new Promise<boolean>((resolve, reject) => {
      const timer = setTimeout(() => resolve(false), 15_000);
      Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          open: (socket) => {
            socket.write(
              `POST /api/issues HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
            );
          },
          data() {},
          close() {
            clearTimeout(timer);
            resolve(true);
          },
        },
      }).catch(reject);
    });
    expect(ended).toBe(true);
    expect(performance.now() - began).toBeGreaterThan(500);
    await instance.close();
  }, 20_000);
});
