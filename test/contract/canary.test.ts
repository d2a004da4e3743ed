// No secret goes where it does not belong. Marked secrets go in by every door; then the log at its
// finest, the metrics, the API document and every refusal are searched for them.
import { describe, expect, test } from 'bun:test';
import type { Client } from '../support/client.ts';
import { attachFile } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { openInstance } from '../support/instance.ts';
import { fileIssue } from '../support/samples.ts';

const ROLES = [
  ...(['owner', 'srs', 'agent', 'widget', 'demo', 'other', 'plain', 'expired', 'revoked'] as const),
];

const secretOf = (token: string) => token.slice(token.lastIndexOf('_') + 1);

/** Uses every operation well and badly, with marks in all that is sent; gives what came back. */
async function useEverything(
  api: Client,
  mark: string,
): Promise<{ secrets: string[]; refusals: string[] }> {
  const secrets = ROLES.map((role) => secretOf(api.target.token(role)));
  const refusals: string[] = [];
  const refused = async (answer: ReturnType<Client['send']>) => {
    const { status, text, headers } = await answer;
    expect(status).toBeGreaterThanOrEqual(400);
    refusals.push(text, JSON.stringify([...headers]));
  };
  const marked = `pqrs_${'0'.repeat(26)}_${mark}`;

  for (const role of ROLES) await api.get('/issues?limit=1', { as: role });
  await refused(api.get('/issues', { as: null, headers: { authorization: `Bearer ${marked}` } }));
  await refused(
    api.get('/issues', { as: null, headers: { authorization: `Basic ${mark}`, cookie: mark } }),
  );
  await refused(api.get(`/issues?access_token=${mark}`, { as: null }));
  await refused(
    api.get('/issues', { headers: { authorization: `Bearer ${api.target.token('owner')}x` } }),
  );

  const id = await fileIssue(api, 'owner');
  const { url } = await attachFile(api, id, { bytes: 'content' });
  const query = url.slice(url.indexOf('?'));
  secrets.push(new URLSearchParams(query).get('signature')!);
  await api.follow(url);
  await api.follow(url, { as: 'owner' });
  await refused(api.follow(url, { as: 'other' }));
  await refused(api.follow(url, { as: 'revoked' }));
  await refused(api.follow(url.replace(/files\/\w/, 'files/0').replace(/expires=\d/, 'expires=9')));
  await refused(api.follow(`${url}&more=1`));
  await refused(
    api.follow(
      url.replace(/signature=[\w-]{43}/, `signature=${mark.padEnd(43, 'A').slice(0, 43)}`),
    ),
  );
  await refused(api.follow(url, { method: 'POST', as: 'owner' }));
  await refused(api.follow(`/api/no-such-path${query}`, { as: 'owner' }));
  await refused(api.follow(url, { headers: { range: 'bytes=999-' } }));

  const keyed = { 'idempotency-key': mark };
  await api.post('/issues', { title: 'kept' }, { headers: keyed });
  await refused(api.post('/issues', { title: mark }, { headers: keyed }));
  await refused(
    api.send('POST', '/issues', {
      headers: { 'content-type': 'application/json' },
      body: `{"title": "${mark}`,
    }),
  );
  await refused(api.send('POST', '/issues', { headers: { 'content-type': mark }, body: mark }));
  await refused(api.post('/issues', { title: 1, description: mark, severity: mark }));
  await refused(api.post('/issues', { title: 'x', labels: [mark, 1] }));
  await refused(api.patch(`/issues/${id}`, { status: 'verified', description: mark }));
  await refused(
    api.patch(`/issues/${id}`, { description: mark }, { headers: { 'if-match': `"${mark}"` } }),
  );
  await refused(api.post('/system-logs', { message: mark, level: mark }));
  await refused(
    api.post('/projects', { slug: 'default', description: mark, settings: { trustedKeys: mark } }),
  );
  await refused(api.get(`/issues?cursor=${mark}`));
  return { secrets, refusals };
}

describe('after everything was used [PQRS-73]', () => {
  const OWN = { ownBecause: 'its log is not ours to read' };
  flow(
    'no secret is in log, metrics, document or refusal',
    { ...OWN, compare: false },
    async (api) => {
      const mark = `canary${api.unique}`;
      const { secrets, refusals } = await useEverything(api, mark);
      const places: Record<string, string> = { refusals: refusals.join('\n') };
      for (const page of [
        ...['/metrics', '/openapi.json', '/api/ready', '/api/health', '/api/projects'],
      ]) {
        places[page] = (await api.follow(page, { as: 'owner' })).text;
      }
      places['system logs'] = (await api.get('/system-logs?source=pqrs&limit=200')).must(200).text;
      await Bun.sleep(20);
      places.log = api.target.logged();
      for (const [place, text] of Object.entries(places)) {
        for (const secret of [...secrets, mark]) {
          expect(text.includes(secret), `a secret in ${place}`).toBe(false);
        }
      }
    },
  );
});

describe('when the service itself fails [PQRS-73]', () => {
  test('the answer hides what happened, the log names the request and no value', async () => {
    const instance = await openInstance();
    const { token } = await instance.makeProject('default');
    const headers = { 'content-type': 'application/json', 'x-request-id': 'the-request' };
    const send = (method: string, path: string, body: object) =>
      instance.fetch(path, { method, token, headers, body: JSON.stringify(body) });
    const made = await send('POST', '/api/issues', { title: 'x' });
    const { id } = (await made.json()) as { id: string };
    await instance.evidence.database.write((db) =>
      db.run('alter table issue_changes rename to elsewhere'),
    );
    const failed = await send('PATCH', `/api/issues/${id}`, { description: 'canary-in-a-body' });
    expect(failed.status).toBe(500);
    const text = await failed.text();
    expect(JSON.parse(text)).toMatchObject({
      ...{ code: 'internal', status: 500, requestId: 'the-request', errors: [] },
    });
    for (const inside of ['issue_changes', 'SQL', 'insert', 'canary', 'stack', '.ts'])
      expect(text).not.toContain(inside);
    const log = instance.logged();
    expect(log).toContain('the-request');
    expect(log).toContain('issue_changes');
    expect(log).not.toContain('canary-in-a-body');
    expect(log).not.toContain(secretOf(token));
    // What failed has changed nothing, and the service goes on.
    await instance.evidence.database.write((db) =>
      db.run('alter table elsewhere rename to issue_changes'),
    );
    const read = await instance.fetch(`/api/issues?id=${id}`, { token });
    expect((await read.json()) as object).toMatchObject({ version: 1, description: null });
    await instance.close();
  });

  test('a file that is gone from the disk is 410, without its path', async () => {
    const instance = await openInstance();
    const { token } = await instance.makeProject('default');
    const made = await instance.fetch('/api/issues', {
      method: 'POST',
      token,
      headers: { 'content-type': 'application/json' },
      body: '{"title":"x"}',
    });
    const { id } = (await made.json()) as { id: string };
    const sent = await instance.fetch(`/api/issues/${id}/attachments`, {
      method: 'POST',
      token,
      headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename=a' },
      body: 'content',
    });
    const { url, sha256 } = (await sent.json()) as { url: string; sha256: string };
    const { rmSync } = await import('node:fs');
    rmSync(instance.evidence.files.path(sha256));
    const answer = await instance.fetch(url);
    expect(answer.status).toBe(410);
    const text = await answer.text();
    expect(text).not.toContain(sha256);
    expect(text).not.toContain(instance.evidence.config.dataDir);
    expect(instance.logged()).not.toContain(
      new URL(url, 'http://a').searchParams.get('signature')!,
    );
    await instance.close();
  });
});
