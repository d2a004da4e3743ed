// The typed client: what it sends and gets, and what does not compile.
import { afterAll, expect, test } from 'bun:test';
import { client } from '../../src/client.ts';
import { openInstance } from '../support/instance.ts';

const instance = await openInstance();
const { token } = await instance.makeProject('typed');
const api = client('http://localhost', token, ((url: string, init?: RequestInit) =>
  instance.fetch(url.replace('http://localhost', ''), init)) as typeof fetch);
afterAll(() => instance.close());

test('files an issue and reads it back', async () => {
  const filed = await api.issues.post({ title: 'Blank page', severity: 'major' });
  expect(filed.status).toBe(201);
  const { data } = await api.issues.get({ query: { status: ['open'] } });
  expect(data && 'items' in data ? data.items.map(({ title }) => title) : []).toEqual([
    'Blank page',
  ]);
});

test('a problem comes as an error with its status', async () => {
  // @ts-expect-error: no such severity
  const refused = await api.issues.post({ title: 'x', severity: 'huge' });
  expect(refused.data).toBeNull();
  expect(refused.error?.status as number | undefined).toBe(422);
  // @ts-expect-error: no such field
  const unknown = await api.issues.post({ title: 'x', nonsense: 1 });
  expect(unknown.error?.status as number | undefined).toBe(422);
});
