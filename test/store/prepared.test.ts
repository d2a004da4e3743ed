// What is asked most is built as SQL once: reads of one resource, and creates.
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import { type Instance, openInstance } from '../support/instance.ts';

const MARKDOWN = ['US-1: Paying', 'US-2: A receipt'].map(
  (title) => `## ${title}\n\nAs a customer.\n`,
);
const JUNIT = (name: string) =>
  `<testsuite name="${name}"><testcase name="pays US-1" classname="${name}"/></testsuite>`;

let instance: Instance;
let token: string;

beforeAll(async () => {
  instance = await openInstance();
  token = (await instance.makeProject('shop')).token;
  const sources = [{ path: 'stories.md', content: MARKDOWN.join('\n') }];
  await send('POST', '/api/projects', JSON.stringify({ slug: 'shop', sources, confirm: true }));
});

afterAll(() => instance.close());

async function send(method: string, path: string, body?: string, type = 'application/json') {
  const init = body === undefined ? {} : { body, headers: { 'content-type': type } };
  const answer = await instance.fetch(path, { method, token, ...init });
  const text = await answer.text();
  expect([path, answer.status, answer.status < 300 ? '' : text]).toEqual([path, answer.status, '']);
  return JSON.parse(text) as { id: string };
}

const file = async (title: string) => {
  const { id } = await send(
    'POST',
    '/api/issues',
    JSON.stringify({ title, route: `/${title}`, storyIds: ['US-1'] }),
  );
  return id;
};

const attach = async (id: string) => {
  const body = new FormData();
  body.set('file', new File(['text'], 'a.txt', { type: 'text/plain' }));
  await instance.fetch(`/api/issues/${id}/attachments`, { method: 'POST', token, body });
  return id;
};

const ids: Record<string, (name: string) => Promise<string>> = {
  'an issue': async (name) => `/api/issues?id=${await file(name)}`,
  'an issue by its number': async (name) => {
    await file(name);
    return '/api/issues?number=1';
  },
  'an issue with an attachment': async (name) => `/api/issues?id=${await attach(await file(name))}`,
  'a run': async (name) =>
    `/api/test-runs?id=${(await send('POST', '/api/test-runs', JUNIT(name), 'application/xml')).id}`,
  'a story': async (name) => `/api/srs-story/US-${name === 'first' ? 1 : 2}`,
};

async function built(work: () => Promise<unknown>): Promise<string[]> {
  const spy = spyOn(SQLiteAsyncDialect.prototype, 'sqlToQuery');
  try {
    await work();
    return spy.mock.results.map(({ value }) => (value as { sql: string }).sql);
  } finally {
    spy.mockRestore();
  }
}

for (const [name, make] of Object.entries(ids))
  test(`reading ${name} builds no statement`, async () => {
    const [first, second] = [await make('first'), await make('second')];
    await send('GET', first);
    expect(await built(() => send('GET', second))).toEqual([]);
  });

test('filing an issue builds no statement', async () => {
  await file('a third');
  expect(await built(() => file('a fourth'))).toEqual([]);
});
