// Uploads of evidence: as a form, as a bare file, told by its bytes.
import { describe, expect } from 'bun:test';
import { createHash } from 'node:crypto';
import type { Client } from '../support/client.ts';
import { attachFile, bare, form, PNG } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { fileIssue } from '../support/samples.ts';
import type { Attachment } from '../support/shapes.ts';

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

const upload = async (api: Client, sending: ReturnType<typeof bare>, id?: string) =>
  api.send(
    'POST',
    `/issues/${id ?? (await fileIssue(api, sending.as ?? 'owner'))}/attachments`,
    sending,
  );

describe('a form [PQRS-60]', () => {
  flow('brings a file, its kind and a note', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const answer = await upload(
      api,
      form([
        { name: 'kind', value: 'trace' },
        { name: 'file', value: PNG, fileName: 'Seen – übersicht.png', type: 'image/png' },
        { name: 'note', value: 'after the second click' },
      ]),
      id,
    );
    const attachment = answer.must(201).json<Attachment>();
    expect(Object.keys(attachment).sort()).toEqual([
      ...['author', 'bytes', 'createdAt', 'id', 'issueId', 'key', 'kind', 'mediaType', 'name'],
      ...['note', 'sha256', 'url'],
    ]);
    expect(attachment).toMatchObject({
      ...{ issueId: id, name: 'Seen – übersicht.png', kind: 'trace' },
      ...{ note: 'after the second click', mediaType: 'image/png', bytes: PNG.byteLength },
      sha256: sha256(PNG),
    });
    expect(attachment.id).toMatch(/^att_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(attachment.key).toMatch(/^[0-9a-hjkmnp-tv-z]{52}$/);
    expect(attachment.url).toMatch(
      new RegExp(
        `^/api/files/${attachment.key}\\?expires=\\d+&by=tok_\\w{26}&kid=\\w+&signature=[\\w-]{43}$`,
      ),
    );
    expect(answer.header('location')).toBe(`/api/issues?id=${id}`);
  });

  flow('of a browser does too', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const body = new FormData();
    body.set('file', new File([PNG], 'a.png', { type: 'image/png' }));
    body.set('kind', 'screenshot');
    const answer = await api.send('POST', `/issues/${id}/attachments`, { body });
    expect(answer.must(201).json()).toMatchObject({ name: 'a.png', kind: 'screenshot' });
  });

  const file = { name: 'file', value: 'x', fileName: 'a.txt' };
  const field = (name: string, value: string | Uint8Array<ArrayBuffer>) => ({ name, value });
  const kind = (value: string) => field('kind', value);
  const note = (value: string) => field('note', value);
  const REFUSED: [name: string, parts: Parameters<typeof form>[0], pointer: string][] = [
    ['without a file', [kind('log')], '/file'],
    ['without anything', [], '/file'],
    ['with two files', [file, file], '/file'],
    ['with another file', [file, { ...file, name: 'more' }], '/more'],
    ['with another field', [field('colour', 'red'), file], '/colour'],
    ['with a kind there is none of', [kind('photo'), file], '/kind'],
    ['with two kinds', [kind('log'), kind('log'), file], '/kind'],
    ['with a note over 8 KiB', [note('x'.repeat(8193)), file], '/note'],
    ['with a NUL in its note', [note('a\0b'), file], '/note'],
    ['with a hundred and one parts', [...Array(101)].map(() => note('x')), '/note'],
  ];
  for (const [name, parts, pointer] of REFUSED) {
    flow(`${name} is refused`, {}, async (api) => {
      (await upload(api, form(parts))).mustBe(422, 'invalid', pointer);
    });
  }

  flow('with a field that is too long, or no UTF-8, is refused', {}, async (api) => {
    const long = form([note('x'.repeat(70_000)), file]);
    (await upload(api, long)).mustBe(413, 'too_large');
    const bytes = form([field('note', new Uint8Array([0xff, 0xfe])), file]);
    (await upload(api, bytes)).mustBe(400, 'malformed_body');
  });

  const good = form([file]);
  const whole = Buffer.from(good.body as Uint8Array);
  const BROKEN: Record<string, [string | undefined, Uint8Array]> = {
    'that breaks off in its content': [undefined, whole.subarray(0, whole.length - 40)],
    'that breaks off in a header': [undefined, whole.subarray(0, 50)],
    'that is empty': [undefined, new Uint8Array()],
    'that is no form': [undefined, Buffer.from('{"file": 1}')],
    'without a boundary': ['multipart/form-data', whole],
    'with an empty boundary': ['multipart/form-data; boundary=""', whole],
    'with another boundary': ['multipart/form-data; boundary=other', whole],
    'with a boundary of 71 characters': [`multipart/form-data; boundary=${'x'.repeat(71)}`, whole],
    'with a part that has no name': [
      undefined,
      Buffer.from(whole.toString().replace('; name="file"', '')),
    ],
    'with a part that is encoded': [
      undefined,
      Buffer.from(
        whole.toString().replace('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n'),
      ),
    ],
    'that goes on after its end': [undefined, Buffer.concat([whole, Buffer.alloc(20_000, 'x')])],
  };
  for (const [name, [type, bytes]] of Object.entries(BROKEN)) {
    flow(`${name} is 400`, {}, async (api) => {
      const headers = { 'content-type': type ?? good.headers!['content-type']! };
      (await upload(api, { headers, body: new Uint8Array(bytes) })).mustBe(400, 'malformed_body');
    });
  }
});

describe('a bare file [PQRS-60]', () => {
  flow('is named by its header, kind and note by the query', {}, async (api) => {
    const query = { kind: 'document', note: 'two\nlines' };
    const answer = await upload(
      api,
      bare({ bytes: PNG, type: 'application/pdf', name: 'a.pdf', query }),
    );
    expect(answer.must(201).json()).toMatchObject({
      ...{ kind: 'document', note: 'two\nlines', name: 'a.pdf', mediaType: 'image/png' },
    });
  });

  flow('may be empty', {}, async (api) => {
    const attachment = await attachFile(api, await fileIssue(api, 'owner'), { bytes: '' });
    expect(attachment).toMatchObject({ bytes: 0, sha256: sha256('') });
  });

  for (const [name, header] of Object.entries({
    ...{ 'without the header': undefined, 'without a filename': 'attachment' },
    'with a filename that is not finished': 'attachment; filename="a',
    'with a filename twice': 'attachment; filename=a; filename=b',
  })) {
    flow(`${name} is refused`, {}, async (api) => {
      const headers = {
        'content-type': 'text/plain',
        ...(header ? { 'content-disposition': header } : {}),
      };
      (await upload(api, { headers, body: 'x' })).mustBe(422, 'invalid');
    });
  }

  flow('with a query that is wrong is refused', {}, async (api) => {
    for (const query of [
      { kind: 'photo' },
      { note: 'x'.repeat(8193) },
      { colour: 'red' },
      { kind: ['log', 'log'] },
    ]) {
      (await upload(api, bare({ query }))).mustBe(422, 'invalid');
    }
  });
});

describe('what a file is [PQRS-61]', () => {
  const KINDS: [string, string | Uint8Array, string, string][] = [
    ['a.png', PNG, 'image/png', 'screenshot'],
    ['a.txt', PNG, 'image/png', 'screenshot'],
    ['a.log', 'started\n', 'text/plain', 'log'],
    ['a.har', '{"log": {}}', 'application/json', 'har'],
    ['a.pdf', '%PDF-1.7\n%\u00e2\u00e3\n', 'application/pdf', 'document'],
    ['a.bin', new Uint8Array([1, 2, 3, 0, 255]), 'application/octet-stream', 'other'],
    [
      'a.webm',
      Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex'),
      'video/webm',
      'video',
    ],
  ];
  for (const [name, bytes, mediaType, kind] of KINDS) {
    flow(`is told from its bytes: ${mediaType} named ${name}`, {}, async (api) => {
      const id = await fileIssue(api, 'owner');
      const attachment = await attachFile(api, id, { name, bytes, type: 'application/x-claimed' });
      expect(attachment).toMatchObject({ mediaType, kind });
    });
  }
});
