// How clients call a server: where it is, and how requests are sent again.
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  backoffMs,
  baseUrl,
  connect,
  dataOf,
  type Patience,
  Refused,
  readConnection,
  Unreachable,
} from '../../../src/cli/runner/api.ts';
import { openRun } from '../../../src/cli/runner/items.ts';

function callOf(values: Record<string, string>) {
  return { text: (name: string) => values[name] };
}

describe('the connection', () => {
  test.each([
    [{}, {}, '--url or PQRS_URL is required'],
    [{ url: 'nowhere' }, { PQRS_TOKEN: 'a' }, 'not the address of a server'],
    [{ url: 'ftp://a' }, { PQRS_TOKEN: 'a' }, 'not the address of a server'],
    [{ url: 'http://u:p@a' }, { PQRS_TOKEN: 'a' }, 'no user'],
    [{ url: 'http://a' }, {}, 'must hold a token'],
    [{ url: 'http://a', 'token-file': '/none/of/it' }, {}, 'cannot be read'],
    [{ url: 'http://a' }, { PQRS_TOKEN: 'a b' }, 'PQRS_TOKEN'],
  ])('%j with %j is refused', async (flags, environment, why) => {
    await expect(readConnection(callOf(flags), environment)).rejects.toThrow(why);
  });

  test.each([
    ['http://a', 'http://a'],
    ['https://a/pqrs/', 'https://a/pqrs'],
    ['https://a/api/v1/', 'https://a'],
    ['https://a/pqrs/api', 'https://a/pqrs'],
  ])('to %s goes to %s', (text, url) => {
    expect(baseUrl(text)).toBe(url);
  });
});

type Outcome = Response | 'endless';
let outcomes: Outcome[] = [];
let bodies: string[] = [];
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    bodies.push(await request.text());
    const outcome = outcomes.length > 1 ? outcomes.shift() : outcomes[0];
    if (outcome instanceof Response) return outcome.clone() as Response;
    return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  },
});
afterAll(() => server.stop(true));
const connection = { url: server.url.href.replace(/\/$/, ''), token: 't' };

const answer = (status: number, body: object = { code: 'x', detail: 'y' }, after?: string) =>
  Response.json(body, { status, headers: after === undefined ? {} : { 'retry-after': after } });

function patience(forMs: number, whys: string[] = []): Patience {
  const until = Date.now() + forMs;
  return { until: () => until, onWait: (_, why) => whys.push(why), timeoutMs: 1000 };
}

/** Sends a request that has these outcomes in turn, the last again and again. */
async function play(turns: Outcome[], forMs = 60_000) {
  [outcomes, bodies] = [turns, []];
  const whys: string[] = [];
  const sent = connect(connection, patience(forMs, whys)).agent.plan.post({ strategy: 'risk' });
  const result: unknown = await dataOf(sent).catch((error: Error) => error);
  return { result, whys, calls: bodies.length };
}

describe('a request', () => {
  test('is sent again as it was while its failure is one that passes', async () => {
    const turns = [answer(503), 'endless' as const, answer(409, {}, '0'), answer(201, { id: 'p' })];
    const { result, whys } = await play(turns);
    expect(result).toEqual({ id: 'p' });
    expect(whys).toEqual([
      'the server answers 503',
      expect.stringContaining('cannot be reached'),
      'the server answers 409',
    ]);
    expect(new Set(bodies)).toEqual(new Set(['{"strategy":"risk"}']));
  });

  test.each([400, 401, 403, 404, 409, 413, 422])('is sent once where it is %d', async (status) => {
    expect(await play([answer(status)])).toMatchObject({ result: { status }, calls: 1 });
  });

  test('is not sent again past the end, and a last time at the end', async () => {
    expect(await play([answer(503)], 0)).toMatchObject({ result: { status: 503 }, calls: 1 });
    expect(await play([answer(503)], 50)).toMatchObject({ result: { status: 503 }, calls: 2 });
    const away = await play(['endless'], 0);
    expect(away.result).toBeInstanceOf(Unreachable);
  });

  test.each([
    ['http://127.0.0.1:1', 'connection refused', true],
    ['http://nowhere.invalid', 'its name is not known', true],
    [connection.url.replace('http:', 'https:'), 'does not speak TLS', false],
  ])('to %s fails in a sentence of ours', async (url, why, isTriedAgain) => {
    const whys: string[] = [];
    const sent = connect({ url, token: 't' }, patience(100, whys)).agent.plan.post({});
    const gone = await dataOf(sent).catch((error: Error) => error);
    expect(gone).toMatchObject({ exitCode: 2, message: expect.stringContaining(why) });
    expect(whys.length > 0).toBe(isTriedAgain);
  });

  test('ends with its signal, also while it waits', async () => {
    outcomes = [answer(503)];
    const signal = AbortSignal.timeout(20);
    const api = connect(connection, { ...patience(60_000), signal });
    const ended: unknown = await dataOf(api.agent.plan.post({})).catch((error: Error) => error);
    expect(ended).toBe(signal.reason);
  });

  test('that is refused is a line', async () => {
    const errors = [{ pointer: '/name', detail: 'is required' }];
    const body = { code: 'invalid', detail: 'The body is not valid.', errors };
    const { result } = await play([answer(422, body)]);
    expect((result as Error).message).toBe(
      '422 invalid: The body is not valid.; /name is required',
    );
    expect(new Refused(502, undefined, 'no plan').message).toBe('no plan: 502');
    expect(new Refused(502, '<html>').message).toBe('502');
  });
});

test('a wait grows to a bound, is half random, and no shorter than the server asks', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), share, fc.nat(1e9), (failures, is, asked) => {
      const full = Math.min(15_000, 250 * 2 ** Math.min(failures - 1, 20));
      const ms = backoffMs(failures, is, asked);
      expect(ms).toBeGreaterThanOrEqual(Math.max(full / 2, Math.min(asked, 120_000)) - 1);
      expect(ms).toBeLessThanOrEqual(Math.max(full, 120_000));
    }),
  );
});

test('a heartbeat goes again under its number until the lease has run out', async () => {
  [outcomes, bodies] = [[answer(503)], []];
  const lease = { id: 'lse_1', token: 't', renewAfterMs: 120, deadline: Date.now() + 600 };
  const run = openRun({ runId: 'run_1', attempt: 2 }, lease, {
    api: (until, signal) => connect(connection, { until, signal, onWait: () => {} }),
    hard: new AbortController().signal,
  });
  const stopped: object[] = [];
  const over = new AbortController();
  await run.keepAlive(over.signal, (why) => {
    stopped.push(why);
    over.abort();
  });
  expect(bodies.length).toBeGreaterThan(1);
  expect(new Set(bodies.map((body) => JSON.parse(body).seq))).toEqual(new Set([1]));
  expect(stopped).toMatchObject([{ ending: 'lost' }]);
});
