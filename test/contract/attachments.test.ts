// Attachments of issues: shown, taken away, bounded.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { attachFile, bare, form } from '../support/files.ts';
import { flow, type Scenario, scenarios } from '../support/flow.ts';
import { ATTACHMENT_BYTES } from '../support/own-settings.ts';
import { fileIssue, issueOf } from '../support/samples.ts';
import type { Attachment } from '../support/shapes.ts';

const NOBODY = 'iss_00000000000000000000000000';

const upload = async (api: Client, sending: ReturnType<typeof bare>, id?: string) =>
  api.send(
    'POST',
    `/issues/${id ?? (await fileIssue(api, sending.as ?? 'owner'))}/attachments`,
    sending,
  );

describe('an attachment [PQRS-60]', () => {
  flow('stands in its issue and in lists, with a link that opens it', {}, async (api) => {
    const id = await fileIssue(api, 'owner', { labels: [api.unique] });
    const [one, two] = [
      await attachFile(api, id, { bytes: 'one' }),
      await attachFile(api, id, { bytes: 'two' }),
    ];
    const { attachments, history, version } = await issueOf(api, id);
    expect(attachments.map(({ id: each }) => each)).toEqual([one.id, two.id]);
    expect(history.slice(1)).toMatchObject([
      {
        event: 'attached',
        changes: [{ field: 'attachments', from: null, to: { id: one.id, sha256: one.sha256 } }],
      },
      { event: 'attached', changes: [{ field: 'attachments', from: null, to: { id: two.id } }] },
    ]);
    expect(version).toBe(1);
    const list = (await api.get('/issues', { query: { labels: api.unique } })).must(200);
    const [shown] = list.json<{ items: { attachments: Attachment[] }[] }>().items;
    expect(shown?.attachments.map(({ id: each }) => each)).toEqual([one.id, two.id]);
    for (const each of [...attachments, ...shown!.attachments]) {
      expect((await api.follow(each.url)).must(200).text).toBe(each.id === one.id ? 'one' : 'two');
    }
  });

  flow('changes the entity tag of its issue', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const tag = (await api.get('/issues', { query: { id } })).header('etag');
    await attachFile(api, id);
    const headers = { 'if-none-match': tag };
    const read = (await api.get('/issues', { query: { id }, headers })).must(200);
    expect(read.header('etag')).not.toBe(tag);
    (
      await api.get('/issues', { query: { id }, headers: { 'if-none-match': read.header('etag') } })
    ).must(304);
  });

  flow('of the same bytes is another one, with a key of its own', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const [one, two] = [await attachFile(api, id), await attachFile(api, id)];
    expect(two.sha256).toBe(one.sha256);
    expect(two.key).not.toBe(one.key);
    expect(one.key).not.toContain(one.sha256.slice(0, 20));
    (await api.patch(`/issues/${id}`, { removeAttachments: [one.id] })).must(200);
    (await api.follow(one.url)).mustBe(403, 'signature_invalid');
    expect((await api.follow(two.url)).must(200).text).toBe('a note');
  });

  flow('is taken away by an owner, on record', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const [gone, stays] = [
      await attachFile(api, id, { bytes: 'gone' }),
      await attachFile(api, id, { bytes: 'stays' }),
    ];
    const changed = (await api.patch(`/issues/${id}`, { removeAttachments: [gone.id] }))
      .must(200)
      .json<Attachment>();
    expect(changed).toMatchObject({ version: 2, attachments: [{ id: stays.id }] });
    const { history } = await issueOf(api, id);
    expect(history.at(-1)!.changes).toEqual([
      {
        field: 'attachments',
        from: { id: gone.id, name: gone.name, sha256: gone.sha256 },
        to: null,
      },
    ]);
    (await api.follow(gone.url)).mustBe(403, 'signature_invalid');
    (await api.patch(`/issues/${id}`, { removeAttachments: [gone.id] })).mustBe(422, 'invalid');
    (await api.follow(stays.url)).must(200);
  });

  flow('of another issue is not taken away', {}, async (api) => {
    const [one, two] = [await fileIssue(api, 'owner'), await fileIssue(api, 'owner')];
    const attachment = await attachFile(api, one);
    (await api.patch(`/issues/${two}`, { removeAttachments: [attachment.id] })).mustBe(
      422,
      'invalid',
    );
    (await api.follow(attachment.url)).must(200);
  });
});

describe('a widget [PQRS-59]', () => {
  flow('attaches to what it filed itself alone', { needs: ['widget', 'widget2'] }, async (api) => {
    const own = await fileIssue(api, 'widget');
    expect(await attachFile(api, own, { as: 'widget' })).toMatchObject({ issueId: own });
    for (const id of [await fileIssue(api, 'owner'), await fileIssue(api, 'widget2'), NOBODY]) {
      (await upload(api, bare({ as: 'widget' }), id)).mustBe(404, 'not_found');
    }
  });
});

describe('bounds [PQRS-60]', () => {
  flow('an issue has 20 attachments at most', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    for (let count = 0; count < 20; count += 1) await attachFile(api, id, { bytes: `${count}` });
    (await upload(api, bare(), id)).mustBe(409, 'conflict');
    const { attachments } = await issueOf(api, id);
    expect(attachments).toHaveLength(20);
    (await api.patch(`/issues/${id}`, { removeAttachments: [attachments[0]!.id] })).must(200);
    await attachFile(api, id);
  });

  flow('and when many come at once, no more than 20', { compare: false }, async (api) => {
    const id = await fileIssue(api, 'owner');
    const all = await Promise.all(
      [...Array(25)].map((_, at) => upload(api, bare({ bytes: `${at}` }), id)),
    );
    expect(all.filter(({ status }) => status === 201)).toHaveLength(20);
    for (const answer of all.filter(({ status }) => status !== 201)) answer.mustBe(409, 'conflict');
    expect((await issueOf(api, id)).attachments).toHaveLength(20);
  });

  const OWN = { ownBecause: 'it has a limit of its own for attachments' };

  flow('a file may be as large as the limit', OWN, async (api) => {
    const bytes = Buffer.alloc(ATTACHMENT_BYTES, 'a');
    const id = await fileIssue(api, 'owner');
    expect(await attachFile(api, id, { bytes })).toMatchObject({ bytes: ATTACHMENT_BYTES });
    const inForm = form([{ name: 'file', value: bytes, fileName: 'a' }]);
    expect((await upload(api, inForm, id)).must(201).json()).toMatchObject({
      bytes: ATTACHMENT_BYTES,
    });
  });

  flow('one byte more is 413, bare or in a form, and nothing stays', OWN, async (api) => {
    const bytes = Buffer.alloc(ATTACHMENT_BYTES + 1, 'a');
    const id = await fileIssue(api, 'owner');
    (await upload(api, bare({ bytes }), id)).mustBe(413, 'too_large');
    (await upload(api, form([{ name: 'file', value: bytes, fileName: 'a' }]), id)).mustBe(
      413,
      'too_large',
    );
    expect((await issueOf(api, id)).attachments).toEqual([]);
  });

  flow('a file far too large is refused by its length alone', OWN, async (api) => {
    const id = await fileIssue(api, 'owner');
    const answer = await api.raw({
      head: `POST {prefix}/issues/${id}/attachments HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.target.token('owner')}\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a\r\nContent-Length: ${100 * ATTACHMENT_BYTES}`,
    });
    answer.mustBe(413, 'too_large');
  });
});

const path = `/issues/${NOBODY}/attachments`;

scenarios('to an issue that is not there', {}, [
  { name: 'is 404', method: 'POST', path, status: 404, code: 'not_found', ...sent() },
  {
    ...{ name: 'is 422 where the query is wrong', method: 'POST', path: `${path}?colour=red` },
    ...{ status: 422, code: 'invalid' },
    ...sent(),
  },
]);

function sent(): Pick<Scenario, 'headers' | 'body'> {
  const { headers = {}, body } = bare();
  return { headers, body };
}

describe('the quota of a project', () => {
  const OWN = { ownBecause: 'it would make a project' };

  /** A project that may keep ten bytes of files, and what uploads to an issue of it. */
  async function small(api: Client): Promise<(body: string) => ReturnType<Client['send']>> {
    const project = { slug: `q-${api.unique}`, name: 'q', settings: { quotaBytes: 10 } };
    const made = (await api.post('/projects', project, { tokenShown: true })).must(201);
    const headers = { authorization: `Bearer ${made.json().token}` };
    const issue = (await api.post('/issues', { title: 'Full' }, { headers })).must(201);
    const path = `/issues/${issue.json().id}/attachments`;
    return (bytes) => api.send('POST', path, bare({ bytes, headers }));
  }

  flow('bounds its files together', OWN, async (api) => {
    const attach = await small(api);
    (await attach('123456')).must(201);
    (await attach('12345')).mustBe(413, 'too_large');
    (await attach('1234')).must(201);
    (await attach('1')).mustBe(413, 'too_large');
  });

  flow('bounds those that come at once', { ...OWN, compare: false }, async (api) => {
    const attach = await small(api);
    const statuses = await Promise.all(['1234', '2345', '3456', '4567'].map(attach));
    expect(statuses.map(({ status }) => status).sort()).toEqual([201, 201, 413, 413]);
  });
});
