// The client that `pqrs client typescript` prints: it compiles by itself, and it works.
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientText } from '../../scripts/build-client.ts';
import { apiDocument } from '../../src/app.ts';
import { openInstance } from '../support/instance.ts';

const folder = mkdtempSync(join(tmpdir(), 'pqrs-client-'));
const file = join(folder, 'pqrs.ts');
const text = clientText(await apiDocument());
writeFileSync(file, text);

const instance = await openInstance();
const { token } = await instance.makeProject('typed');
const { createClient, PqrsProblem } = await import(file);
const api = createClient('http://localhost/', token, (url: string, init?: RequestInit) =>
  instance.fetch(url.replace('http://localhost', ''), init),
);
afterAll(async () => {
  await instance.close();
  rmSync(folder, { recursive: true });
});

const USE = `
import { createClient, type Issue } from './pqrs';
export async function use() {
  const api = createClient('http://localhost', 'token');
  const page = await api.listIssues({ query: { status: ['open'], limit: 5 } });
  const issue: Issue | undefined = 'id' in page ? page : undefined;
  const link: Response = await api.getFile({ key: issue?.id ?? '', query: { expires: 1, signature: '', by: '', kid: '' } });
  await api.getHealth();
  await api.send('listIssues', { headers: { 'If-None-Match': link.headers.get('etag') ?? '' } });
  // @ts-expect-error: no such severity
  await api.createIssue({ body: { title: 'x', severity: 'huge' } });
  // @ts-expect-error: no such field
  await api.createIssue({ body: { title: 'x', nonsense: 1 } });
  // @ts-expect-error: no id
  await api.getStory();
}
`;

test('it compiles under --strict alone, and so does what uses it rightly', () => {
  writeFileSync(join(folder, 'use.ts'), USE);
  const tsc = join(import.meta.dir, '../../node_modules/.bin/tsc');
  const stricter = [
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--erasableSyntaxOnly',
  ];
  for (const more of [[], stricter]) {
    const run = Bun.spawnSync([tsc, '--strict', '--noEmit', ...more, 'use.ts'], { cwd: folder });
    expect([run.stdout.toString(), run.exitCode]).toEqual(['', 0]);
  }
});

test('it creates, lists, reads and attaches', async () => {
  const filed = await api.createIssue({ body: { title: 'Blank page', labels: ['a', 'b'] } });
  const query = { labels: ['b', 'c'], count: true };
  expect(await api.listIssues({ query })).toMatchObject({ total: 1, items: [{ id: filed.id }] });
  expect((await api.updateIssue({ id: filed.id, body: { severity: 'minor' } })).version).toBe(2);
  const form = new FormData();
  form.set('file', new Blob(['screen']), 'a.txt');
  const { name, url } = await api.attachEvidence({ id: filed.id, body: form });
  expect(name).toBe('a.txt');
  const [key, { searchParams }] = [/files\/([^?]+)/.exec(url)?.[1], new URL(url, 'http://a')];
  const link = await api.getFile({ key, query: Object.fromEntries(searchParams) });
  expect(await link.text()).toBe('screen');
  const xml = '<testsuite tests="1"><testcase name="a"/></testsuite>';
  const run = await api.recordTestRun({ body: new Blob([xml], { type: 'application/xml' }) });
  expect(run).toMatchObject({ status: 'passed', format: 'junit' });
});

test('a problem is thrown, what has not changed and what is no JSON come as they are', async () => {
  const missing = await api.getStory({ id: 'a/b' }).catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(PqrsProblem);
  expect(missing).toMatchObject({ problem: { status: 404, code: 'not_found' } });
  const graph = await api.send('getSrsGraph');
  const headers = { 'If-None-Match': graph.headers.get('etag') };
  expect((await api.send('getSrsGraph', { headers })).status).toBe(304);
  const handoff = await api.getHandoff({ query: { format: 'markdown' } });
  expect(await handoff.text()).toStartWith('#');
  expect(['pass', 'warn']).toContain((await api.getReadiness()).status);
});
