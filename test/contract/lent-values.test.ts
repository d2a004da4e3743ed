// What is lent to a token is stored of nothing that it writes, whatever the path and the encoding.
import { describe, expect } from 'bun:test';
import { gzipSync } from 'node:zlib';
import type { Client, Sending } from '../support/client.ts';
import { bare, form } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };
const SECRET = 'gé&h "e1m>';

const references = (radix: number, before: string) =>
  [...SECRET].map((one) => `&#${before}${one.codePointAt(0)?.toString(radix)};`).join('');

const FORMS: Record<string, string> = {
  plain: SECRET,
  hex: Buffer.from(SECRET).toString('hex'),
  HEX: Buffer.from(SECRET).toString('hex').toUpperCase(),
  base64: Buffer.from(SECRET).toString('base64').replace(/=+$/, ''),
  base64url: Buffer.from(SECRET).toString('base64url'),
  url: encodeURIComponent(SECRET),
  json: JSON.stringify(SECRET).slice(1, -1),
  xml: 'gé&amp;h &quot;e1m&gt;',
  decimal: references(10, ''),
  hexadecimal: references(16, 'x'),
};
const ALL = Object.values(FORMS).join(' | ');

interface Lending {
  as: Sending;
  commandId: string;
  item: { runId: string; attempt: number };
  lease: { id: string; token: string };
}

async function lend(api: Client, over: object = {}): Promise<Lending> {
  const { as } = await makeRequirementProject(api);
  const command = { key: 'login', argv: ['true'], credentials: ['PASSWORD'], ...over };
  const body = { ...command, secrets: { PASSWORD: SECRET } };
  const made = (await api.post('/test-commands', body, as)).must(201);
  const { id: commandId } = made.json<{ id: string }>();
  const claim = { commandIds: [commandId], agent: { name: 'a' } };
  const suite = (await api.post('/agent/suite', claim, { ...as, tokenShown: true }))
    .must(201)
    .json<{ items: Lending['item'][]; lease: Lending['lease']; credentials: object }>();
  expect(suite.credentials).toEqual({ PASSWORD: SECRET });
  const [item] = suite.items;
  if (!item) throw new Error('nothing was claimed');
  return { as, commandId, item, lease: suite.lease };
}

/** All that the project shows of what was written. */
async function shown(api: Client, { as }: Pick<Lending, 'as'>, ids: string[]): Promise<string> {
  const texts: string[] = [];
  const paths = ['/issues', '/system-logs', '/run-state', '/test-runs', '/test-commands'];
  for (const path of [...paths, '/project-scenarios', '/route-candidates'])
    texts.push((await api.get(path, { ...as, query: { limit: '200' } })).must(200).text);
  for (const id of ids) {
    const path = id.startsWith('iss') ? '/issues' : '/test-runs';
    const one = (await api.get(path, { ...as, query: { id } })).must(200);
    texts.push(one.text);
    for (const { url } of one.json<{ attachments: { url: string }[] }>().attachments)
      texts.push((await api.get(url.replace(/^\/api(\/v1)?/, ''), { as: null })).must(200).text);
  }
  return texts.join('\n');
}

async function writeAll(api: Client, { as, item, lease }: Lending): Promise<string[]> {
  const text = (body: string, mediaType: string) => ({
    ...{ headers: { ...as.headers, 'content-type': mediaType } },
    body: new Uint8Array(Buffer.from(body)),
  });
  const context = { console: [{ level: 'error', message: ALL }], page: { url: `/x?${FORMS.url}` } };
  const filed = { title: `t ${SECRET}`, description: ALL, context, labels: [FORMS.hex] };
  const issue = (await api.post('/issues', filed, as)).must(201);
  const attach = `/issues/${issue.id}/attachments`;
  const upload = form(
    [
      { name: 'note', value: ALL },
      { name: 'file', value: ALL, fileName: `${FORMS.hex}.txt` },
    ],
    as,
  );
  (await api.send('POST', attach, upload)).must(201);
  const single = bare({ bytes: ALL, name: `${FORMS.base64url}.txt`, query: { note: ALL } });
  const headers = { ...as.headers, ...single.headers };
  (await api.send('POST', attach, { ...single, headers })).must(201);
  const entry = { message: ALL, fields: { [SECRET]: { deep: [ALL] } }, level: 'error' };
  (await api.post('/system-logs', [entry, { message: 'plain' }], as)).must(201);
  const ndjson = `${JSON.stringify(entry)}\n`;
  (await api.send('POST', '/system-logs', text(ndjson, 'application/x-ndjson'))).must(201);
  (await api.post('/run-state', { name: ALL.slice(0, 200), message: ALL }, as)).must(201);
  const held = { ...item, lease: { id: lease.id, token: lease.token } };
  const { runId, attempt } = held;
  const beat = { runId, attempt, lease: held.lease, seq: 1, state: 'running', message: ALL };
  (await api.post('/run-state', beat, as)).must(200);
  const steps = [{ keyword: 'Given', text: ALL }];
  (await api.post('/project-scenarios', { key: 'k', title: 't', steps }, as)).must(201);
  const feature = `Feature: f\n\n  @ID-1\n  Scenario: s\n    Given ${FORMS.hex} and ${FORMS.url}\n`;
  (await api.send('POST', '/project-scenarios', text(feature, 'text/x-gherkin'))).must(201);
  const command = { key: 'other', argv: ['curl', ALL], env: { HEADER: ALL } };
  (await api.post('/test-commands', command, as)).must(201);
  const free = { name: SECRET, results: [{ name: ALL, status: 'failed', message: ALL }] };
  const run = (await api.post('/test-runs', free, as)).must(201);
  const junit = `<testsuite><testcase name="a"><failure message="${FORMS.xml}">${FORMS.decimal}</failure></testcase></testsuite>`;
  const report = form(
    [
      { name: 'report', value: junit, fileName: 'r.xml', type: 'application/xml' },
      { name: 'log', value: ALL, fileName: 'console.log' },
    ],
    as,
  );
  const sent = (await api.send('POST', '/test-runs', report)).must(201);
  return [issue.id, run.id, sent.id];
}

describe('what is lent to a token [PQRS-40]', () => {
  flow('is masked in every POST while the lease lives, in each encoding', OWN, async (api) => {
    const lending = await lend(api);
    const text = await shown(api, lending, await writeAll(api, lending));
    for (const [form, value] of Object.entries(FORMS))
      expect([
        form,
        text.includes(value),
        text.includes(JSON.stringify(value).slice(1, -1)),
      ]).toEqual([form, false, false]);
    expect(text).toContain('t ***');
    // The words of the interface are what they were.
    expect(text).toContain('"level":"error"');
    expect(text).toContain('"state":"running"');
  });

  flow('is masked no more once the lease has ended', OWN, async (api) => {
    const { as, item, lease } = await lend(api);
    const { runId, attempt } = item;
    const results = [{ name: 'a', status: 'passed' }];
    const body = { runId, attempt, lease: { id: lease.id, token: lease.token }, results };
    (await api.post('/test-runs', body, as)).must(201);
    const message = `after ${SECRET}`;
    (await api.post('/system-logs', { message }, as)).must(201);
    const logs = (await api.get('/system-logs', as)).must(200).json<{ items: unknown[] }>();
    expect(logs.items).toContainEqual(expect.objectContaining({ message }));
  });

  flow('keeps archives out, unless an owner lets the command send them', OWN, async (api) => {
    const { as, commandId } = await lend(api);
    const { id } = (await api.post('/issues', { title: 'a' }, as)).must(201);
    const zip = Buffer.from('504b03041400', 'hex');
    const tar = Buffer.alloc(512);
    tar.write('ustar', 257);
    const archives = { zip, tar, gz: gzipSync(ALL), zst: Buffer.from('28b52ffd0458', 'hex') };
    for (const [name, bytes] of Object.entries(archives)) {
      const file = { name: 'file', value: bytes, fileName: 'a.txt' };
      const refused = await api.send('POST', `/issues/${id}/attachments`, form([file], as));
      expect([name, refused.mustBe(422, 'archive_refused').status]).toEqual([name, 422]);
      const report = { name: 'report', value: '1..1\nok 1 a\n', type: 'text/tap' };
      const run = form([{ ...report, fileName: 'r.tap' }, file], as);
      (await api.send('POST', '/test-runs', run)).mustBe(422, 'archive_refused');
    }
    expect((await api.get('/test-runs', as)).must(200).json<{ items: [] }>().items).toEqual([]);
    (await api.patch('/test-commands', { id: commandId, allowArchives: true }, as)).must(200);
    const file = { name: 'file', value: zip, fileName: 'a.zip' };
    (await api.send('POST', `/issues/${id}/attachments`, form([file], as))).must(201);
  });

  flow('is warned of where it is too short to be found', OWN, async (api) => {
    const { as } = await makeRequirementProject(api);
    const body = { key: 'c', argv: ['true'], credentials: ['PIN', 'LONG'] };
    const secrets = { PIN: '12345', LONG: '123456' };
    const made = (await api.post('/test-commands', { ...body, secrets }, as)).must(201);
    const { id, warnings } = made.json<{ id: string; warnings: string[] }>();
    expect(warnings).toEqual([expect.stringMatching(/^PIN /)]);
    const patched = await api.patch('/test-commands', { id, secrets: { PIN: '123456' } }, as);
    expect(patched.must(200).text).not.toContain('warnings');
  });

  flow('allowArchives is a field of an owner', { needs: ['agent'] }, async (api) => {
    const body = { key: `a-${api.unique}`, argv: ['true'], allowArchives: true };
    (await api.post('/test-commands', body, { as: 'agent' })).mustBe(403, 'forbidden');
  });
});
