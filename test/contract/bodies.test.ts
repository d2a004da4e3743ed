// Request bodies: media types, codings, sizes, and the order in which all of it is refused.
import { describe } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow, scenarios } from '../support/flow.ts';
import { bytes, JSON_TYPE, post, TITLE } from '../support/posted-bodies.ts';

const LIMIT = 1024 * 1024;

describe('the media type [PQRS-79]', () => {
  const type = (value: string) => ({ 'content-type': value });
  scenarios('of JSON', {}, [
    post('is application/json', TITLE, 201),
    post('in capitals', TITLE, 201, undefined, type('Application/JSON')),
    post('with a charset', TITLE, 201, undefined, type('application/json; charset=utf-8')),
    post(
      'with a charset in quotes',
      TITLE,
      201,
      undefined,
      type('application/json;charset="UTF-8"'),
    ),
    ...[
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/problem+json',
      'application/x-ndjson',
      'application/merge-patch+json',
      'application/jsonx',
      'application',
      '*/*',
      'application/*',
      ';',
      'application/json, text/plain',
      'text/plain; a=application/json',
    ].map((value) => ({
      ...post(`is not ${value}`, TITLE, 415, 'unsupported_media_type', type(value)),
      answers: { accept: 'application/json' },
    })),
    {
      ...post('cannot be left out', bytes(TITLE), 415, 'unsupported_media_type', {}),
      answers: { accept: 'application/json' },
    },
  ]);

  const patched = (name: string, as: string) => ({
    ...{ name, method: 'PATCH', path: '/issues/iss_1', headers: type(as), body: '{}' },
    ...{ status: 415, code: 'unsupported_media_type' },
    answers: { accept: 'application/json, application/merge-patch+json' },
  });
  const lines = 'application/json, application/x-ndjson';
  scenarios('of a merge patch', {}, [
    patched('is not text', 'text/plain'),
    patched('is not a JSON patch', 'application/json-patch+json'),
    {
      ...patched('goes for logs too', 'application/merge-patch+json'),
      ...{ path: '/system-logs', status: 422, code: 'invalid', answers: {} },
    },
    {
      ...patched('of log entries is JSON or lines of it', 'text/plain'),
      ...{ method: 'POST', path: '/system-logs', answers: { accept: lines } },
    },
  ]);
});

describe('the content coding [PQRS-79]', () => {
  const coded = (coding: string) => ({ ...JSON_TYPE, 'content-encoding': coding });
  const zipped = Bun.gzipSync(Buffer.from(TITLE));
  scenarios('is', {}, [
    post('not gzip', zipped, 415, 'unsupported_media_type', coded('gzip')),
    post(
      'not deflate',
      Bun.deflateSync(Buffer.from(TITLE)),
      415,
      'unsupported_media_type',
      coded('deflate'),
    ),
    ...[
      'br',
      'zstd',
      'GZIP',
      'x-gzip',
      'gzip, identity',
      'identity, gzip',
      'identity, identity',
      'nonsense',
    ].map((coding) => post(`not ${coding}`, TITLE, 415, 'unsupported_media_type', coded(coding))),
    post('identity, if any', TITLE, 201, undefined, coded('identity')),
    post('Identity, if any', TITLE, 201, undefined, coded('Identity')),
    post('not gzip in silence', zipped, 400, 'malformed_body'),
    {
      name: 'not gzip for a file either',
      method: 'POST',
      path: '/issues/iss_1/attachments',
      headers: { ...coded('gzip'), 'content-disposition': 'attachment; filename=a' },
      body: zipped,
      status: 415,
      code: 'unsupported_media_type',
    },
  ]);
});

describe('the size [PQRS-79]', () => {
  const padded = (size: number) => TITLE.padEnd(size, ' ');
  scenarios('of JSON', {}, [
    post('may be 1 MiB', padded(LIMIT), 201),
    post('may not be a byte more', padded(LIMIT + 1), 413, 'too_large'),
  ]);

  const head = (api: Client, headers: string, path = '/issues') =>
    `POST {prefix}${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.target.token('owner')}\r\nContent-Type: application/json\r\n${headers}`;
  const chunk = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
  const OWN = { ownBecause: 'what stands before it may answer for it' };

  flow('is refused by the length that is announced, before its bytes', OWN, async (api) => {
    for (const length of [LIMIT + 1, 10 * LIMIT, 99_999_999_999]) {
      (await api.raw({ head: head(api, `Content-Length: ${length}`) })).mustBe(413, 'too_large');
    }
  });

  flow('is refused while chunks still come', OWN, async (api) => {
    const body = chunk(64 * 1024).repeat(40);
    const answer = await api.raw({
      head: head(api, 'Transfer-Encoding: chunked'),
      body,
      chunkBytes: 32 * 1024,
    });
    answer.mustBe(413, 'too_large');
  });

  flow('is refused in one chunk that announces it', OWN, async (api) => {
    const body = `${(2 * LIMIT).toString(16)}\r\n${'x'.repeat(LIMIT + 10)}`;
    const answer = await api.raw({
      head: head(api, 'Transfer-Encoding: chunked'),
      body,
      chunkBytes: 128 * 1024,
    });
    answer.mustBe(413, 'too_large');
  });

  flow('chunks that are no more than the limit are read', OWN, async (api) => {
    const body = `${[...TITLE].map((char) => `1\r\n${char}\r\n`).join('')}0\r\n\r\n`;
    (await api.raw({ head: head(api, 'Transfer-Encoding: chunked'), body })).must(201);
  });

  flow('of a stream counts too', OWN, async (api) => {
    const stream = () =>
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(64 * 1024).fill(32));
        },
      });
    const answer = await api.send('POST', '/issues', {
      headers: JSON_TYPE,
      body: stream(),
      ...({ duplex: 'half' } as object),
    });
    answer.mustBe(413, 'too_large');
  });
});

describe('the order of refusals [PQRS-75]', () => {
  const path = '/issues/iss_00000000000000000000000000';
  const gzip = { ...JSON_TYPE, 'content-encoding': 'gzip' };

  flow('the media type before JSON, JSON before fields, fields before the id', {}, async (api) => {
    const send = (headers: Record<string, string>, body: string) =>
      api.send('PATCH', path, { headers, body });
    (await send({ 'content-type': 'text/plain' }, '{')).mustBe(415, 'unsupported_media_type');
    (await send(gzip, '{')).mustBe(415, 'unsupported_media_type');
    (await send(JSON_TYPE, ' '.repeat(LIMIT + 1))).mustBe(413, 'too_large');
    (await send(JSON_TYPE, '{')).mustBe(400, 'malformed_body');
    (await send(JSON_TYPE, '{"nonsense": 1}')).mustBe(422, 'invalid');
    (await send({ ...JSON_TYPE, 'if-match': '"9"' }, '{"status": "verified"}')).mustBe(
      404,
      'not_found',
    );
  });

  flow('JSON before fields that a widget may not set', { needs: ['widget'] }, async (api) => {
    const send = (body: string, search = '') =>
      api.send('POST', `/issues${search}`, { as: 'widget', headers: JSON_TYPE, body });
    (await send('{"labels": ["x"]')).mustBe(400, 'malformed_body');
    (await send('{"labels": ["x"], "nonsense": 1}')).mustBe(403, 'forbidden');
    (await send('{"labels": ["x"]}', '?nonsense=1')).mustBe(422, 'invalid');
    (await send('{"title": "x"}', '?nonsense=1')).mustBe(422, 'invalid');
  });

  flow('a body on a GET is not looked at', { ownBecause: 'fetch sends none' }, async (api) => {
    const head = `GET {prefix}/health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.target.token('owner')}\r\nContent-Type: application/json\r\nContent-Length: 1`;
    (await api.raw({ head, body: '{' })).must(200);
  });
});
