// The protocol of libSQL servers, against a server that answers as it is told.
import { afterAll, describe, expect, test } from 'bun:test';
import { createHranaClient, DatabaseError, serverOrigin } from '../../src/store/client/hrana.ts';
import { isUnavailable, StoreUnavailable } from '../../src/store/errors.ts';

interface Asked {
  path: string;
  host: string;
  authorization: string | null;
  body: { baton?: string; requests: { type: string; batch?: { steps: unknown[] } }[] };
}

const servers: Bun.Server<undefined>[] = [];

/** A server that gives these answers, one after the other, and writes down what it was asked. */
function serve(...answers: (object | Response)[]) {
  const asked: Asked[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, host } = new URL(request.url);
      const authorization = request.headers.get('authorization');
      const body = (await request.json()) as Asked['body'];
      asked.push({ path: pathname, host, authorization, body });
      const answer = answers.shift() ?? {};
      return answer instanceof Response ? answer : Response.json(answer);
    },
  });
  servers.push(server);
  return { url: `http://127.0.0.1:${server.port}`, port: server.port, asked };
}

afterAll(() => {
  for (const server of servers) server.stop(true);
});

const open = (url: string, token?: string) => {
  const origin = serverOrigin(url);
  if (!origin) throw new Error(`${url} is no address`);
  return createHranaClient(origin, token).stream();
};

const ran = (result: object, more: object = {}) => ({
  baton: null,
  base_url: null,
  results: [
    { type: 'ok', response: { type: 'batch', result } },
    { type: 'ok', response: { type: 'get_autocommit', is_autocommit: false } },
  ],
  ...more,
});

const ONE = {
  cols: [{ name: 'n', decltype: null }],
  rows: [[{ type: 'integer', value: '1' }]],
  affected_row_count: 0,
  last_insert_rowid: null,
};

describe('an address', () => {
  test.each([
    ['http://localhost:8080', 'http://localhost:8080/'],
    ['https://db.example', 'https://db.example/'],
    ['libsql://db.example', 'https://db.example/'],
    ['https://db.example/one/database', 'https://db.example/one/database/'],
    ['http://[::1]:8080/#x', 'http://[::1]:8080/'],
  ])('%s is asked at %s', (text, origin) => {
    expect(serverOrigin(text)?.href).toBe(origin);
  });

  test.each(['', 'http:', 'http://', 'file:a.db', 'postgres://x', '/tmp/a.db', 'libsql:///x'])(
    '%p is none',
    (text) => {
      expect(serverOrigin(text)).toBeUndefined();
    },
  );
});

describe('a stream', () => {
  test('sends what it knows of its last answer, to where that says', async () => {
    const second = serve(ran({ step_results: [ONE], step_errors: [null] }));
    const first = serve(
      ran({ step_results: [ONE], step_errors: [null] }, { baton: 'b1' }),
      ran(
        { step_results: [ONE], step_errors: [null] },
        { baton: 'b2', base_url: `${second.url}/moved` },
      ),
    );
    const stream = open(`${first.url}/some/path`, 'secret');
    for (let n = 0; n < 3; n += 1) await stream.batch([{ sql: 'select 1' }]);
    expect(first.asked.map(({ path, body }) => [path, body.baton])).toEqual([
      ['/some/path/v3/pipeline', undefined],
      ['/some/path/v3/pipeline', 'b1'],
    ]);
    expect(second.asked.map(({ path, body }) => [path, body.baton])).toEqual([
      ['/moved/v3/pipeline', 'b2'],
    ]);
    expect(first.asked[0]?.authorization).toBe('Bearer secret');
  });

  test('writes values as the protocol has them, and reads them back', async () => {
    const { url, asked } = serve(
      ran({
        step_results: [
          {
            ...ONE,
            rows: [
              [
                { type: 'null' },
                { type: 'integer', value: '9007199254740993' },
                { type: 'float', value: 0.5 },
                { type: 'text', value: 'é' },
                { type: 'blob', base64: 'AP8' },
              ],
            ],
            last_insert_rowid: '7',
            affected_row_count: 2,
          },
          ONE,
        ],
        step_errors: [null, null],
      }),
    );
    const bytes = new Uint8Array([9, 0, 255, 9]).subarray(1, 3);
    const { outcomes, autocommit } = await open(url).batch([
      {
        sql: 'x',
        args: [null, 3, -1.5, 2n ** 60n, true, 'é', bytes, bytes.slice().buffer, new Date(5)],
      },
      { sql: 'y', args: ['v'], condition: { type: 'ok', step: 0 } },
    ]);
    expect(asked[0]?.body.requests[0]?.batch?.steps).toEqual([
      {
        stmt: {
          sql: 'x',
          args: [
            { type: 'null' },
            { type: 'integer', value: '3' },
            { type: 'float', value: -1.5 },
            { type: 'integer', value: '1152921504606846976' },
            { type: 'integer', value: '1' },
            { type: 'text', value: 'é' },
            { type: 'blob', base64: 'AP8=' },
            { type: 'blob', base64: 'AP8=' },
            { type: 'integer', value: '5' },
          ],
        },
      },
      {
        condition: { type: 'ok', step: 0 },
        stmt: { sql: 'y', args: [{ type: 'text', value: 'v' }] },
      },
    ]);
    expect(outcomes[0]).toMatchObject({
      rows: [[null, 9007199254740993n, 0.5, 'é', Buffer.from([0, 255])]] as never,
      lastInsertRowid: 7n,
      rowsAffected: 2,
    });
    expect(autocommit).toBe(false);
  });

  test('refuses numbers that are none', async () => {
    const { url, asked } = serve();
    const sent = open(url).batch([{ sql: 'x', args: [Number.NaN] }]);
    await expect(sent).rejects.toBeInstanceOf(RangeError);
    expect(asked).toEqual([]);
  });

  test('tells errors of a statement from those of the server', async () => {
    const { url } = serve(
      ran({
        step_results: [null, null, null, null, ONE],
        step_errors: [
          { message: 'SQLite error: UNIQUE constraint failed: a.b', code: 'SQLITE_CONSTRAINT' },
          { message: 'Transaction timed out', code: 'TRANSACTION_TIMEOUT' },
          { message: 'error executing a request on the primary: database or disk is full' },
          null,
          null,
        ],
      }),
    );
    const steps = Array.from({ length: 5 }, () => ({ sql: 'x' }));
    const { outcomes } = await open(url).batch(steps);
    expect(outcomes[0]).toBeInstanceOf(DatabaseError);
    expect(outcomes[1]).toBeInstanceOf(StoreUnavailable);
    expect(outcomes[2]).toBeInstanceOf(StoreUnavailable);
    expect(outcomes[3]).toBeUndefined();
    expect(outcomes[4]).toMatchObject({ rows: [[1]] as never });
  });

  test('takes no result for a success', async () => {
    const { url } = serve(ran({ step_results: [], step_errors: [] }));
    const { outcomes } = await open(url).batch([{ sql: 'begin immediate' }, { sql: 'commit' }]);
    expect(outcomes).toEqual([undefined, undefined]);
  });

  test.each([
    [new Response('{"error":"Connection with primary broken"}', { status: 500 }), /primary broken/],
    [
      new Response('{"message":"expired","code":"STREAM_EXPIRED"}', { status: 400 }),
      /400: expired/,
    ],
    [new Response('Received an invalid baton', { status: 400 }), /invalid baton/],
    [new Response('', { status: 401 }), /HTTP 401/],
    [new Response('<html>', { status: 502 }), /HTTP 502: <html>/],
    [new Response('<html>'), /HTTP 200: <html>/],
    [new Response('null'), /HTTP 200: null/],
    [new Response('{"results":7}'), /HTTP 200/],
  ])('takes every other answer for a server that is away: %#', async (answer, said) => {
    const { url } = serve(answer);
    const failure = await open(url)
      .batch([{ sql: 'select 1' }])
      .catch((error) => error);
    expect(isUnavailable(failure)).toBe(true);
    expect(failure.cause.message).toMatch(said);
  });

  test('fails as a whole where the server refuses the whole', async () => {
    const { url } = serve({
      baton: null,
      base_url: null,
      results: [{ type: 'error', error: { message: 'too large', code: 'RESPONSE_TOO_LARGE' } }],
    });
    const failure = await open(url)
      .batch([{ sql: 'select 1' }])
      .catch((error) => error);
    expect(failure).toBeInstanceOf(DatabaseError);
    expect(failure.code).toBe('RESPONSE_TOO_LARGE');
  });
});
