// The stream of new log entries: what is sent of them, from where on, to whom.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type EventReader, readEvents } from '../support/event-stream.ts';
import { type Instance, openInstance } from '../support/instance.ts';

let instance: Instance;
let address: string;
let project: { id: string; token: string };

beforeAll(async () => {
  instance = await openInstance({ demo: true });
  project = await instance.makeProject('default', { demo: true });
  address = `http://127.0.0.1:${(await instance.listening()).port}`;
});
afterAll(() => instance.close());

const HEADERS = { 'content-type': 'application/json' };

async function send(path: string, body: object): Promise<void> {
  const init = { method: 'POST', token: project.token, headers: HEADERS };
  const response = await instance.fetch(`/api/${path}`, { ...init, body: JSON.stringify(body) });
  expect(response.status).toBeLessThan(300);
}

const write = (...messages: string[]) =>
  send(
    'system-logs',
    messages.map((message) => ({ message, level: message.startsWith('bad') ? 'error' : 'info' })),
  );

async function ask(query: string, token: string, headers: Record<string, string> = {}) {
  const accept = 'text/event-stream';
  const all = { authorization: `Bearer ${token}`, accept, ...headers };
  return fetch(`${address}/api/system-logs${query}`, { headers: all });
}

async function listen(query = '', token = project.token, headers = {}): Promise<EventReader> {
  const reader = readEvents(await ask(query, token, headers));
  await reader.begun;
  return reader;
}

async function messages(reader: EventReader, count: number): Promise<string[]> {
  const found: string[] = [];
  while (found.length < count) {
    const event = await reader.next();
    expect(event?.event).toBe('log-entry');
    found.push((JSON.parse(event?.data ?? '') as { message: string }).message);
  }
  return found;
}

test('new entries come as they are written, filtered as the list [PQRS-64]', async () => {
  await write('before');
  const [all, bad] = [await listen(), await listen('?minLevel=warn')];
  await write('good 1', 'bad 1', 'good 2');
  await write('bad 2');
  expect(await messages(all, 4)).toEqual(['good 1', 'bad 1', 'good 2', 'bad 2']);
  expect(await messages(bad, 2)).toEqual(['bad 1', 'bad 2']);
  await Promise.all([all.close(), bad.close()]);
});

test('a stream goes on behind the last entry that was seen [PQRS-64]', async () => {
  const first = await listen();
  await write('one');
  await messages(first, 1);
  await first.close();
  await write('two', 'three');
  const next = await listen('', project.token, { 'last-event-id': first.lastId });
  expect(await messages(next, 2)).toEqual(['two', 'three']);
  await next.close();
});

test('entries of the service come too, to all but demo tokens [PQRS-64]', async () => {
  const demo = await instance.makeToken(project.id, ['read:demo']);
  const [own, theirs] = [await listen(), await listen('', demo.text)];
  await send('projects', { slug: 'default', description: 'changed' });
  expect(await messages(own, 1)).toEqual(['project.updated']);
  await write('theirs');
  expect(await messages(theirs, 1)).toEqual(['theirs']);
  await Promise.all([own.close(), theirs.close()]);
});

test('what cannot be streamed is refused [PQRS-64]', async () => {
  for (const query of ['?q=a', '?view=groups', '?limit=1', '?since=2026-01-01T00:00:00Z', '?id=x'])
    expect((await ask(query, project.token)).status).toBe(422);
  expect((await ask('', project.token, { 'last-event-id': 'x' })).status).toBe(422);
});
