// Clients that send slowly, and those who are served meanwhile, at the executable's own socket.
import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../support/answer.ts';
import { sendRaw } from '../support/raw-http.ts';
import { openWorkplace, type Served } from '../support/running-executable.ts';
import type { ProblemDocument } from '../support/shapes.ts';

let served: Served | undefined;

afterEach(async () => {
  await served?.stop('SIGKILL');
  served = undefined;
});

interface Sending {
  token: string;
  /** The client's, as a proxy says it. */
  from?: string;
  headers?: string[];
  body?: string;
  chunkBytes?: number;
  pauseMs?: number;
}

const JSON_BODY = 'Content-Type: application/json';
const FILE_BODY = 'Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt';

async function open(environment: Record<string, string> = {}, args: string[] = []) {
  const place = await openWorkplace('slow-clients');
  const server = await place.serve(args, {
    PQRS_FREE_DISK_BYTES: '0',
    PQRS_TRUSTED_PROXIES: '127.0.0.1',
    PQRS_WIDGET_PER_MINUTE: '0',
    PQRS_WIDGET_TOKEN_PER_MINUTE: '0',
    ...environment,
  });
  served = server;
  const kept = (name: string) => {
    const file = join(place.folder, 'pqrs-data', `${name}.token`);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  };
  const [owner, demo] = [kept('owner'), kept('demo')];
  const ofWidget = ['--project', 'default', '--capability', 'widget:write'];
  const made = await place.run(['token', 'create', ...ofWidget, '--json']);
  const { token: widget } = JSON.parse(made.out) as { token: string };
  const socket = { hostname: '127.0.0.1', port: Number(new URL(server.address).port) };

  /** Sends what there is of a request, and waits for its answer. */
  function send(line: string, { token, from = '192.0.2.1', headers = [], ...rest }: Sending) {
    const head = [
      `${line} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      `X-Forwarded-For: ${from}`,
      ...headers,
    ].join('\r\n');
    return sendRaw(socket, { head, waitMs: 60_000, ...rest });
  }

  const whole = (body: string) => ({
    headers: [JSON_BODY, `Content-Length: ${body.length}`],
    body,
  });
  const slowIssue = (sending: Sending): Promise<Answer> =>
    send('POST /api/issues', {
      ...{ headers: [JSON_BODY, 'Content-Length: 100'], body: '{"title":' },
      ...sending,
    });

  async function slowFiles(token: string) {
    const body = '{"title":"with files"}';
    const issue = (await send('POST /api/issues', { token, ...whole(body) })).must(201);
    const { id } = issue.json<{ id: string }>();
    return (sending: Sending): Promise<Answer> =>
      send(`POST /api/issues/${id}/attachments`, {
        ...{ headers: [FILE_BODY, 'Content-Length: 100'], body: 'slowly' },
        ...sending,
      });
  }

  return { address: server.address, owner, demo, widget, send, whole, slowIssue, slowFiles };
}

/** Counts answers as they come; those that never come end with the server. */
function watch(all: Promise<Answer>[]) {
  const answers: Answer[] = [];
  for (const one of all)
    one.then(
      (answer) => answers.push(answer),
      () => {},
    );
  async function until(count: number): Promise<void> {
    while (answers.length < count) await Bun.sleep(5);
  }
  return { answers, until };
}

const each = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

describe('280 slow bodies of a widget token [PQRS-71]', () => {
  test('keep nobody else waiting', async () => {
    const { owner, widget, send, whole, slowIssue, slowFiles } = await open();
    const run = await send('POST /api/run-state', { token: owner, ...whole('{"name":"a run"}') });
    const { runId, attempt, lease } = run
      .must(201)
      .json<{ runId: string; attempt: number; lease: { id: string; token: string } }>();
    const file = await slowFiles(widget);
    const issues = watch(each(280, () => slowIssue({ token: widget })));
    const files = watch(each(280, (at) => file({ token: widget, from: `198.51.100.${at % 256}` })));
    // An eighth of 1,000 streams is what one token of a public page may hold.
    await files.until(155);
    const { id, token } = lease;
    const beat = JSON.stringify({ runId, attempt, lease: { id, token }, seq: 2 });
    const asked = [
      send('GET /api/issues', { token: owner }),
      send('POST /api/issues', { token: owner, ...whole('{"title":"at once"}') }),
      send('GET /api/ready', { token: owner }),
      send('POST /api/run-state', { token: owner, ...whole(beat) }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 201, 200, 200]);
    for (const answer of files.answers) answer.mustBe(429, 'rate_limited');
    expect([issues.answers.length, files.answers.length]).toEqual([0, 155]);
  }, 60_000);
});

describe('a body that is too slow [PQRS-71]', () => {
  test('is 408, and gives back what it held', async () => {
    const { widget, slowIssue, slowFiles } = await open({
      PQRS_BODY_SECONDS: '1',
      PQRS_BODY_BYTES_PER_SECOND: '50',
      PQRS_STREAMS_IN_FLIGHT: '1',
    });
    const file = await slowFiles(widget);
    const drip = { chunkBytes: 1, pauseMs: 300, body: 'slowly'.padEnd(1000, '.') };
    const chunk = '1\r\n \r\n';
    const chunked = {
      ...{ chunkBytes: chunk.length, pauseMs: 300, body: chunk.repeat(1000) },
      headers: [JSON_BODY, 'Transfer-Encoding: chunked'],
    };
    const slow = [
      slowIssue({ token: widget, headers: [JSON_BODY, 'Content-Length: 20'] }),
      slowIssue({ token: widget, ...chunked }),
      file({ token: widget, ...drip, headers: [FILE_BODY, 'Content-Length: 1000'] }),
    ];
    for (const answer of await Promise.all(slow)) {
      answer.mustBe(408, 'timeout');
      expect(answer.header('connection')).toBe('close');
    }
    const now = { headers: [FILE_BODY, 'Content-Length: 3'], body: 'now' };
    (await file({ token: widget, ...now })).must(201);
  }, 60_000);

  test('is none that keeps up with the least rate', async () => {
    const { widget, slowFiles } = await open({
      PQRS_BODY_SECONDS: '2',
      PQRS_BODY_BYTES_PER_SECOND: '10',
    });
    const file = await slowFiles(widget);
    const steady = { chunkBytes: 20, pauseMs: 300, body: 'steadily'.padEnd(320, '.') };
    const headers = [FILE_BODY, 'Content-Length: 320'];
    (await file({ token: widget, ...steady, headers })).must(201);
  }, 60_000);
});

describe('shares [PQRS-71]', () => {
  test('are for each token and address, an IPv6 network being one', async () => {
    const { owner, widget, slowFiles } = await open({ PQRS_STREAMS_IN_FLIGHT: '64' });
    const file = await slowFiles(widget);
    for (const [from, alike, held] of [
      ['192.0.2.1', '192.0.2.1', 4],
      ['2001:db8::1', '2001:db8::ffff:1', 4],
      ['2001:db8:0:1::1', '192.0.2.3', 0],
    ] as const) {
      const slow = watch(each(6, () => file({ token: widget, from })));
      await slow.until(6 - held);
      for (const answer of slow.answers) answer.mustBe(429, 'rate_limited');
      (await file({ token: widget, from: alike })).mustBe(429, 'rate_limited');
      expect(slow.answers.length).toBe(6 - held);
    }
    const ownersFile = await slowFiles(owner);
    const now = { headers: [FILE_BODY, 'Content-Length: 3'], body: 'now' };
    (await ownersFile({ token: owner, ...now })).must(201);
  }, 60_000);
});

describe('streams of events [PQRS-71]', () => {
  test('are 20 at once for a demo token, and an owner still opens one', async () => {
    const { address, owner, demo } = await open({}, ['--demo']);
    const abort = new AbortController();
    const events = (token: string, { signal } = new AbortController()) =>
      fetch(`${address}/api/run-state`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
        signal,
      });
    for (let at = 0; at < 19; at += 1) expect((await events(demo)).status).toBe(200);
    expect((await events(demo, abort)).status).toBe(200);
    const refused = await events(demo);
    expect([refused.status, ((await refused.json()) as ProblemDocument).code]).toEqual([
      429,
      'rate_limited',
    ]);
    expect((await events(owner)).status).toBe(200);
    abort.abort();
    while ((await events(demo)).status === 429) await Bun.sleep(20);
  }, 60_000);
});
