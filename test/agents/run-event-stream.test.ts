// The stream of the changes of runs: what is sent, in which order, from where on, and how it ends.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { type EventReader, readEvents, type StreamEvent } from '../support/event-stream.ts';
import { type Instance, openInstance } from '../support/instance.ts';

interface Run {
  runId: string;
  attempt: number;
  lease: { id: string; token: string };
}
interface Shown {
  runId: string;
  state: string;
  message: string | null;
}

let instance: Instance;
let address: string;
let project: { id: string; token: string };

beforeAll(async () => {
  instance = await openInstance({ 'idle-seconds': '4' });
  project = await instance.makeProject('default', { demo: true });
  address = `http://127.0.0.1:${(await instance.listening()).port}`;
});
afterAll(() => instance.close());

const shown = ({ data }: StreamEvent) => JSON.parse(data) as Shown;

async function send(body: object, token = project.token, at = instance): Promise<Response> {
  const init = { method: 'POST', token, body: JSON.stringify(body) };
  const headers = { 'content-type': 'application/json' };
  return at.fetch('/api/run-state', { ...init, headers });
}

async function openRun(over: object = {}, token?: string, at?: Instance): Promise<Run> {
  const response = await send({ name: 'a run', ...over }, token, at);
  expect(response.status).toBe(201);
  return (await response.json()) as Run;
}

const seqs = new Map<string, number>();

async function write(
  { runId, attempt, lease: { id, token } }: Run,
  over: object,
  ...by: [token?: string, at?: Instance]
): Promise<void> {
  const seq = (seqs.get(runId) ?? 0) + 1;
  seqs.set(runId, seq);
  const response = await send({ runId, attempt, lease: { id, token }, seq, ...over }, ...by);
  expect(response.status).toBe(200);
}

async function listen(
  query = '',
  headers: Record<string, string> = {},
  token = project.token,
): Promise<EventReader> {
  const authorization = `Bearer ${token}`;
  const accept = 'text/event-stream';
  const all = { authorization, accept, ...headers };
  const reader = readEvents(await fetch(`${address}/api/run-state${query}`, { headers: all }));
  await reader.begun;
  return reader;
}

/** The last change that there is by now. */
async function position(): Promise<string> {
  const reader = await listen();
  await reader.close();
  return reader.lastId;
}

const isOf = (run: Run, state?: string) => (event: StreamEvent) =>
  shown(event).runId === run.runId && (state === undefined || shown(event).state === state);

const openStreams = () => instance.evidence.streams.inside;

async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5);
}

describe('the stream of the changes of runs [PQRS-47]', () => {
  test('begins now and sends each change in its order', async () => {
    const before = await openRun();
    const reader = await listen();
    expect(reader.retry).toBe(2000);
    expect(reader.lastId).toMatch(/^\d+$/);
    const run = await openRun({ state: 'queued' });
    const [opened] = await reader.until(isOf(run, 'queued'));
    expect(opened?.event).toBe('run-state');
    await write(run, { state: 'running', message: 'one\nof two: lines\r\nor three' });
    const [running] = await reader.until(isOf(run, 'running'));
    expect(shown(running as StreamEvent).message).toBe('one\nof two: lines\r\nor three');
    await write(run, { state: 'passed' });
    const events = await reader.until(isOf(run, 'passed'));
    const all = [opened, running, ...events] as StreamEvent[];
    expect(all.map((one) => shown(one).runId)).not.toContain(before.runId);
    const ids = all.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    await reader.close();
  });

  test('a heartbeat that says nothing new is no change', async () => {
    const run = await openRun({ message: 'm' });
    const reader = await listen();
    await write(run, {});
    await write(run, { message: 'm' });
    await write(run, { message: 'n' });
    const [first] = await reader.until(isOf(run));
    expect(shown(first as StreamEvent).message).toBe('n');
    await reader.close();
  });

  test('resumes after Last-Event-ID with the newest state of each run', async () => {
    const from = await position();
    const runs: Run[] = [];
    // More than are read at once.
    for (let count = 0; count < 450; count++) runs.push(await openRun());
    for (const run of runs.slice(0, 30)) await write(run, { message: 'newer' });
    const reader = await listen('', { 'last-event-id': from });
    const wanted = new Set(runs.map(({ runId }) => runId));
    const last = runs[29] as Run;
    const events = await reader.until(isOf(last));
    for (const event of events) wanted.delete(shown(event).runId);
    expect([...wanted]).toEqual([]);
    // Of each the newest state alone, and nothing in between.
    expect(new Set(events.map((one) => shown(one).runId)).size).toBe(events.length);
    expect(shown(events.at(-1) as StreamEvent).message).toBe('newer');
    await write(last, { state: 'failed' });
    await reader.until(isOf(last, 'failed'));
    await reader.close();
    const again = await listen('', { 'last-event-id': reader.lastId });
    const next = await openRun();
    expect((await again.until(isOf(next))).length).toBe(1);
    await again.close();
  });

  test('a future id begins now; a malformed one is refused', async () => {
    const now = await position();
    const reader = await listen('', { 'last-event-id': '999999999999999' });
    expect(reader.lastId).toBe(now);
    await reader.close();
    for (const id of ['-1', 'x', '1.5', '9'.repeat(30)]) {
      const headers = { accept: 'text/event-stream', 'last-event-id': id };
      const init = { headers, token: project.token };
      expect((await instance.fetch('/api/run-state', init)).status).toBe(422);
    }
    const empty = await listen('', { 'last-event-id': '' });
    expect(empty.lastId).toBe(now);
    await empty.close();
  });

  test('sends what the filters match, of its project alone', async () => {
    const other = await instance.makeProject('elsewhere');
    const [one, two] = [await openRun(), await openRun()];
    const ofOne = await listen(`?runId=${one.runId}`);
    const failed = await listen('?state=failed,passed');
    const elsewhere = await listen('', {}, other.token);
    await write(two, { state: 'running', message: 'not asked for' });
    await openRun();
    await write(two, { state: 'failed' });
    await write(one, { state: 'passed' });
    const received = await failed.until(isOf(one));
    expect(received.map((event) => [shown(event).runId, shown(event).state])).toEqual([
      [two.runId, 'failed'],
      [one.runId, 'passed'],
    ]);
    expect(await ofOne.until(isOf(one))).toHaveLength(1);
    const theirs = await openRun({ name: 'theirs' }, other.token);
    expect((await elsewhere.until(isOf(theirs))).length).toBe(1);
    for (const reader of [ofOne, failed, elsewhere]) await reader.close();
  });

  test('sends comments while nothing changes', async () => {
    const reader = await listen('?runId=none');
    void reader.next();
    await eventually(() => reader.comments >= 2);
    await reader.close();
  });

  test('is negotiated by Accept', async () => {
    const typeOf = async (accept: string) => {
      const init = { headers: { accept }, token: project.token };
      const response = await instance.fetch('/api/run-state', init);
      await response.body?.cancel();
      return response.headers.get('content-type');
    };
    for (const accept of [
      'text/event-stream',
      'TEXT/Event-Stream;charset=utf-8',
      'text/event-stream, */*',
      'text/event-stream, application/json',
    ])
      expect([accept, await typeOf(accept)]).toEqual([accept, 'text/event-stream']);
    for (const accept of ['application/json, text/event-stream', 'text/event-streams', '*/*'])
      expect([accept, await typeOf(accept)]).toEqual([accept, 'application/json']);
    await eventually(() => openStreams() === 0);
  });
});

describe('the end of a stream [PQRS-47]', () => {
  test('comes with the end of its token, revoked or run out', async () => {
    const { tokens } = instance.evidence;
    const revoked = await instance.makeToken(project.id, ['agent:execute']);
    const expiring = await instance.makeToken(project.id, ['agent:execute'], {
      expiresAt: instance.evidence.clock() + 1500,
    });
    const readers = [
      await listen('', {}, revoked.text),
      await listen('', {}, expiring.text),
      await listen(),
    ];
    await tokens.revoke(revoked.id, Date.now());
    expect(await readers[0]?.rest()).toEqual([]);
    expect(await readers[1]?.rest()).toEqual([]);
    const run = await openRun();
    await readers[2]?.until(isOf(run));
    await readers[2]?.close();
  });

  test('comes with the end of the demo for those who are let in by it', async () => {
    const demo = await openInstance({ demo: true });
    const { token, id } = await demo.makeProject('default', { demo: true });
    const guest = await demo.makeToken(id, ['read:demo']);
    const headers = { accept: 'text/event-stream' };
    const reader = readEvents(await demo.fetch('/api/run-state', { headers, token: guest.text }));
    await reader.begun;
    const body = JSON.stringify({ slug: 'default', settings: { demo: false } });
    const init = { method: 'POST', token, body, headers: { 'content-type': 'application/json' } };
    expect((await demo.fetch('/api/projects', init)).status).toBe(200);
    expect(await reader.rest()).toEqual([]);
    await demo.close();
  });

  test('comes with the end of the service, and a place is free again when a reader goes', async () => {
    const one = await openInstance({ 'streams-in-flight': '2' });
    const { token } = await one.makeProject('default');
    const { port } = await one.listening();
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
    const open = () => fetch(`http://127.0.0.1:${port}/api/run-state`, { headers });
    const readers = [readEvents(await open()), readEvents(await open())];
    const refused = await open();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    await refused.text();
    await readers[0]?.begun;
    await readers[0]?.close();
    await eventually(() => one.evidence.streams.inside === 1);
    const third = readEvents(await open());
    await third.begun;
    await one.close();
    expect(await third.rest()).toEqual([]);
    expect(await readers[1]?.rest()).toEqual([]);
    expect(one.logged()).not.toContain('could not begin');
  });

  test('comes to a reader that does not keep up, who begins again where it stopped', async () => {
    // Where nothing is sent, a connection is cut off up to four seconds before its time.
    const slow = await openInstance({ 'idle-seconds': '16' });
    const { token } = await slow.makeProject('default');
    const { port } = await slow.listening();
    const socket: Socket = connect(port, '127.0.0.1');
    const request = [
      'GET /api/run-state HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Accept: text/event-stream',
    ];
    socket.write(`${request.join('\r\n')}\r\n\r\n`);
    const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.pause();
    expect(first.toString()).toStartWith('HTTP/1.1 200');
    const { streams } = slow.evidence;
    await eventually(() => streams.inside === 1);
    const runs = await Promise.all(Array.from({ length: 100 }, () => openRun({}, token, slow)));
    for (let round = 0; streams.inside > 0; round++) {
      const message = `${round} `.padEnd(8000, 'm');
      await Promise.all(runs.map((run) => write(run, { message }, token, slow)));
      await Bun.sleep(1);
    }
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    socket.resume();
    // What it was sent ends as an answer does, behind a whole event.
    await eventually(() => text.endsWith('\n\n\r\n0\r\n\r\n'));
    socket.destroy();
    const last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '';
    const headers = { accept: 'text/event-stream', 'last-event-id': last };
    const again = readEvents(await slow.fetch('/api/run-state', { headers, token }));
    const received = new Map<string, Shown>();
    for (const run of runs) await write(run, { state: 'passed' }, token, slow);
    while ([...received.values()].filter(({ state }) => state === 'passed').length < runs.length) {
      const event = shown((await again.next()) as StreamEvent);
      received.set(event.runId, event);
    }
    expect(received.size).toBe(runs.length);
    await again.close();
    await slow.close();
  });
});
