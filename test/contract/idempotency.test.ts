// Idempotency keys: a POST that is sent again does its work once.
import { describe, expect, test } from 'bun:test';
import type { Answer } from '../support/answer.ts';
import type { Client, Sending } from '../support/client.ts';
import { attachFile, bare, form, PNG } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { openInstance } from '../support/instance.ts';
import { fileIssue, issueOf } from '../support/samples.ts';
import type { Attachment, Issue, Page } from '../support/shapes.ts';

const key = (api: Client, name = 'key') => ({ 'idempotency-key': `${name} ${api.unique}` });

const file = (api: Client, body: object = {}, sending: Sending = {}): Promise<Answer> =>
  api.post('/issues', { title: `Once ${api.unique}`, ...body }, { headers: key(api), ...sending });

const count = async (api: Client) =>
  (await api.get('/issues', { query: { q: api.unique } })).must(200).json<Page<Issue>>().items
    .length;

const isReplay = (answer: Answer) => answer.headers.get('idempotency-replayed') === 'true';

describe('the same request again [PQRS-78]', () => {
  flow('replays the first success and does nothing', {}, async (api) => {
    const first = (await file(api)).must(201);
    expect(isReplay(first)).toBe(false);
    for (let again = 0; again < 3; again += 1) {
      const answer = (await file(api)).must(201);
      expect(isReplay(answer)).toBe(true);
      expect(answer.text).toBe(first.text);
      for (const name of ['location', 'etag', 'content-type'])
        expect(answer.header(name)).toBe(first.header(name));
      expect(answer.header('x-request-id')).not.toBe(first.header('x-request-id'));
    }
    expect(await count(api)).toBe(1);
  });

  flow('under the other prefix is the same request', {}, async (api) => {
    const first = (await file(api)).must(201);
    const other = api.prefix === '/api' ? '/api/v1' : '/api';
    const answer = await api.target.fetch(`${other}/issues`, {
      method: 'POST',
      headers: {
        ...key(api),
        authorization: `Bearer ${api.target.token('owner')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ title: `Once ${api.unique}` }),
    });
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    expect(await answer.text()).toBe(first.text);
  });

  flow('of a widget is replayed to it', { needs: ['widget'] }, async (api) => {
    const first = (await file(api, {}, { as: 'widget' })).must(201);
    const again = (await file(api, {}, { as: 'widget' })).must(201);
    expect(isReplay(again)).toBe(true);
    expect(again.text).toBe(first.text);
    expect(await count(api)).toBe(1);
  });

  flow('shows the first answer, whatever became of the issue', {}, async (api) => {
    const first = (await file(api)).must(201).json<Issue>();
    (await api.patch(`/issues/${first.id}`, { title: `Changed ${api.unique}` })).must(200);
    expect((await file(api)).must(201).json<Issue>()).toEqual(first);
  });

  flow('of log entries is replayed', {}, async (api) => {
    const send = () =>
      api.post(
        '/system-logs',
        [
          { message: 'a', source: api.unique },
          { message: 'b', source: api.unique },
        ],
        { headers: key(api) },
      );
    const first = (await send()).must(201);
    const again = (await send()).must(201);
    expect(isReplay(again)).toBe(true);
    expect(again.text).toBe(first.text);
    const list = (await api.get('/system-logs', { query: { source: api.unique } })).must(200);
    expect(list.json<Page<unknown>>().items).toHaveLength(2);
  });

  flow(
    'of a new project shows its token again',
    { ownBecause: 'it would make a project' },
    async (api) => {
      const send = () =>
        api.post(
          '/projects',
          { slug: `i-${api.unique}`, name: 'i' },
          { headers: key(api), tokenShown: true },
        );
      const first = (await send()).must(201);
      const again = (await send()).must(201);
      expect(isReplay(again)).toBe(true);
      expect(again.json().token).toBe(first.json().token as string);
      const headers = { authorization: `Bearer ${again.json().token}` };
      (await api.get('/issues', { headers })).must(200);
    },
  );
});

describe('another request with the same key [PQRS-78]', () => {
  flow('is a mismatch', { needs: ['widget'] }, async (api) => {
    const first = (await file(api)).must(201);
    for (const other of [{ title: 'Other' }, { severity: 'minor' }, { description: null }]) {
      (await file(api, other)).mustBe(422, 'idempotency_mismatch');
    }
    expect((await file(api)).must(201).text).toBe(first.text);
    expect(await count(api)).toBe(1);
  });

  flow(
    'of another token, method or path is its own',
    { needs: ['plain', 'widget'] },
    async (api) => {
      const first = (await file(api)).must(201).json<Issue>();
      for (const as of ['plain', 'widget'] as const) {
        const answer = (await file(api, {}, { as })).must(201);
        expect(isReplay(answer)).toBe(false);
        expect(answer.json<Issue>().id).not.toBe(first.id);
      }
      (await api.post('/system-logs', { message: api.unique }, { headers: key(api) })).must(201);
      expect(await count(api)).toBe(3);
    },
  );

  flow('another key is another request', {}, async (api) => {
    const ids = new Set<string>();
    for (const name of ['a', 'A', ' a', 'a ']) {
      ids.add((await file(api, {}, { headers: key(api, name) })).must(201).json<Issue>().id);
    }
    // White space around a header's value is not part of it (RFC 9110, 5.5).
    expect(ids.size).toBe(3);
  });

  flow('an attachment to another issue is its own', {}, async (api) => {
    const [one, two] = [await fileIssue(api, 'owner'), await fileIssue(api, 'owner')];
    const [a, b] = [
      await attachFile(api, one, { headers: key(api) }),
      await attachFile(api, two, { headers: key(api) }),
    ];
    expect(b.id).not.toBe(a.id);
  });
});

describe('what failed [PQRS-78]', () => {
  flow('is not kept', {}, async (api) => {
    (await file(api, { title: '' })).mustBe(422, 'invalid');
    const headers = { ...key(api), 'content-type': 'application/json' };
    (await api.send('POST', '/issues', { headers, body: '{' })).mustBe(400, 'malformed_body');
    const first = (await file(api)).must(201);
    expect(isReplay(first)).toBe(false);
    expect(isReplay((await file(api)).must(201))).toBe(true);
  });

  flow('to an issue that is not there is not kept', {}, async (api) => {
    const sending = bare({ headers: key(api) });
    (await api.send('POST', '/issues/iss_00000000000000000000000000/attachments', sending)).mustBe(
      404,
      'not_found',
    );
    (await api.send('POST', '/issues/iss_00000000000000000000000000/attachments', sending)).mustBe(
      404,
      'not_found',
    );
  });
});

describe('at once [PQRS-78]', () => {
  flow('the same request has one effect', { compare: false }, async (api) => {
    const answers = await Promise.all([...Array(20)].map(() => file(api)));
    const made = answers.filter((answer) => answer.status === 201);
    expect(made.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(made.map((answer) => answer.text)).size).toBe(1);
    for (const answer of answers.filter((one) => one.status !== 201)) {
      expect(answer.mustBe(409, 'conflict').header('retry-after')).toMatch(/^\d+$/);
    }
    expect(await count(api)).toBe(1);
    expect(isReplay((await file(api)).must(201))).toBe(true);
  });

  flow('the same upload has one effect', { compare: false }, async (api) => {
    const id = await fileIssue(api, 'owner');
    const sending = bare({ headers: key(api), bytes: PNG });
    const answers = await Promise.all(
      [...Array(8)].map(() => api.send('POST', `/issues/${id}/attachments`, sending)),
    );
    for (const answer of answers) expect([201, 409]).toContain(answer.status);
    expect((await issueOf(api, id)).attachments).toHaveLength(1);
  });
});

describe('uploads [PQRS-78]', () => {
  const send = (api: Client, id: string, sending: Sending) =>
    api.send('POST', `/issues/${id}/attachments`, {
      ...sending,
      headers: { ...sending.headers, ...key(api) },
    });

  flow('with the same parts are the same, and the link is minted afresh', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const note = { name: 'note', value: 'seen' };
    const picture = { name: 'file', value: PNG, fileName: 'a.png', type: 'image/png' };
    const first = (await send(api, id, form([note, picture]))).must(201);
    const again = (await send(api, id, form([note, picture]))).must(201);
    expect(isReplay(again)).toBe(true);
    expect(again.json<Attachment>()).toMatchObject({
      id: first.json<Attachment>().id,
      key: first.json<Attachment>().key,
    });
    (await api.follow(again.json<Attachment>().url)).must(200);
    for (const other of [
      form([picture]),
      form([note, { ...picture, fileName: 'b.png' }]),
      form([note, { ...picture, value: 'x' }]),
      form([{ name: 'note', value: 'other' }, picture]),
    ]) {
      (await send(api, id, other)).mustBe(422, 'idempotency_mismatch');
    }
    expect((await issueOf(api, id)).attachments).toHaveLength(1);
  });

  flow('with another boundary or order of parts are the same', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const parts = [
      { name: 'kind', value: 'log' },
      { name: 'file', value: 'text', fileName: 'a.txt', type: 'text/plain' },
    ];
    (await send(api, id, form(parts))).must(201);
    const body = new FormData();
    body.set('kind', 'log');
    body.set('file', new File(['text'], 'a.txt', { type: 'text/plain' }));
    expect(isReplay((await send(api, id, { body })).must(201))).toBe(true);
    expect(isReplay((await send(api, id, form([...parts].reverse()))).must(201))).toBe(true);
  });

  flow('bare ones with another name, query or content are others', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    (await send(api, id, bare())).must(201);
    expect(isReplay((await send(api, id, bare())).must(201))).toBe(true);
    for (const other of [
      { bytes: 'other' },
      { name: 'other.txt' },
      { query: { kind: 'trace' } },
      { query: { note: 'n' } },
    ]) {
      (await send(api, id, bare(other))).mustBe(422, 'idempotency_mismatch');
    }
  });

  flow('replay when the issue has no room for more', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const first = (await send(api, id, bare({ bytes: 'kept' }))).must(201).json<Attachment>();
    for (let more = 0; more < 19; more += 1) await attachFile(api, id, { bytes: `${more}` });
    expect((await send(api, id, bare({ bytes: 'kept' }))).must(201).json<Attachment>().id).toBe(
      first.id,
    );
  });
});

describe('a key [PQRS-78]', () => {
  flow('may have 1 to 255 printable characters', {}, async (api) => {
    const longest = api.unique.padEnd(255, 'k');
    (await file(api, {}, { headers: { 'idempotency-key': longest } })).must(201);
    for (const bad of ['', 'k'.repeat(256), 'a\tb', '\u00e9']) {
      const answer = await file(api, {}, { headers: { 'idempotency-key': bad } });
      expect(answer.mustBe(422, 'invalid').text).toContain('Idempotency-Key');
    }
  });

  flow('means nothing on other methods', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    for (const priority of ['P1', 'P2']) {
      const answer = (await api.patch(`/issues/${id}`, { priority }, { headers: key(api) })).must(
        200,
      );
      expect(isReplay(answer)).toBe(false);
    }
    (await api.get('/issues?limit=1', { headers: { 'idempotency-key': '' } })).must(200);
  });

  test('is forgotten after 24 hours, and what was kept is sealed', async () => {
    const instance = await openInstance();
    const { token } = await instance.makeProject('default');
    const send = async () => {
      const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' };
      const answer = await instance.fetch('/api/issues', {
        method: 'POST',
        token,
        headers,
        body: '{"title":"a-marker"}',
      });
      return {
        replayed: answer.headers.get('idempotency-replayed'),
        ...((await answer.json()) as Issue),
      };
    };
    const first = await send();
    instance.pass(24 * 3600 * 1000 - 2000);
    expect(await send()).toMatchObject({ id: first.id, replayed: 'true' });
    const rows = await instance.evidence.database.read.all('select sealed from idempotency_keys');
    expect(rows).toHaveLength(1);
    expect(
      Buffer.from(Object.values(rows[0] as object)[0] as Uint8Array).includes('a-marker'),
    ).toBe(false);
    instance.pass(3000);
    const later = await send();
    expect(later.id).not.toBe(first.id);
    expect(later.replayed).toBeNull();
    expect(await send()).toMatchObject({ id: later.id, replayed: 'true' });
    await instance.close();
  });
});
