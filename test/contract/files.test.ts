// Files by signed links: what opens one, what does not, and how it is sent.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { attachFile, PNG } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { fileIssue, issueOf } from '../support/samples.ts';
import type { Attachment } from '../support/shapes.ts';

const CONTENT = 'The quick brown fox jumps over the lazy dog.';

async function makeFile(
  api: Client,
  upload: Parameters<typeof attachFile>[2] = {},
): Promise<Attachment> {
  const as = upload.as ?? 'owner';
  return attachFile(api, await fileIssue(api, as), { bytes: CONTENT, name: 'fox.txt', ...upload });
}

/** The link with one of its parameters changed, or taken away where there is no value. */
function withParameter(link: string, name: string, value: string | null): string {
  const url = new URL(link, 'http://localhost');
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return url.pathname + url.search;
}

const parameter = (link: string, name: string): string =>
  new URL(link, 'http://localhost').searchParams.get(name) ?? '';

describe('a good link [PQRS-62]', () => {
  flow('opens the file without a token', {}, async (api) => {
    const attachment = await makeFile(api);
    const answer = (await api.follow(attachment.url)).must(200);
    expect(answer.text).toBe(CONTENT);
    const expected = {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(CONTENT.length),
      ...{ 'content-disposition': 'inline; filename="fox.txt"', 'accept-ranges': 'bytes' },
      ...{ etag: `"${attachment.sha256}"`, 'cache-control': 'private, no-store' },
      ...{ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' },
      'content-security-policy':
        "sandbox; default-src 'none'; media-src 'self'; style-src 'unsafe-inline'",
    };
    for (const [name, value] of Object.entries(expected)) expect(answer.header(name)).toBe(value);
  });

  flow('says /api under either prefix, and opens under either', {}, async (api) => {
    const attachment = await makeFile(api);
    expect(attachment.url).toStartWith('/api/files/');
    for (const prefix of ['/api/', '/api/v1/']) {
      const answer = await api.target.fetch(attachment.url.replace('/api/', prefix), {});
      expect(await answer.text()).toBe(CONTENT);
    }
  });

  flow('opens with a token of the project', { needs: ['widget', 'agent'] }, async (api) => {
    const { url } = await makeFile(api);
    for (const as of ['owner', 'agent', 'widget'] as const) {
      expect((await api.follow(url, { as })).must(200).text).toBe(CONTENT);
    }
  });

  flow('lasts a quarter of an hour, in steps of five minutes', { compare: false }, async (api) => {
    const expires = Number(parameter((await makeFile(api)).url, 'expires'));
    const seconds = expires - Date.now() / 1000;
    expect(expires % 300).toBe(0);
    expect(seconds).toBeGreaterThan(895);
    expect(seconds).toBeLessThan(1205);
  });

  flow('lasts as long as asked, up to seven days', { compare: false }, async (api) => {
    const { issueId } = await makeFile(api, { query: { linkTtl: 3600 } });
    const lasting = async (linkTtl: number) => {
      const issue = (await api.get('/issues', { query: { id: issueId, linkTtl } })).must(200);
      const [attachment] = issue.json<{ attachments: Attachment[] }>().attachments;
      (await api.follow(attachment!.url)).must(200);
      return Number(parameter(attachment!.url, 'expires')) - Date.now() / 1000;
    };
    expect(await lasting(1)).toBeLessThan(305);
    expect(await lasting(604_800)).toBeGreaterThan(604_790);
    for (const linkTtl of [0, -1, 604_801, 1.5]) {
      (await api.get('/issues', { query: { id: issueId, linkTtl } })).mustBe(422, 'invalid');
    }
  });

  flow('is minted afresh for each caller', { needs: ['srs', 'agent', 'demo'] }, async (api) => {
    const { issueId } = await makeFile(api);
    const links = new Set<string>();
    for (const as of ['owner', 'srs', 'agent'] as const) {
      const issue = (await api.get('/issues', { as, query: { id: issueId } })).must(200);
      const [attachment] = issue.json<{ attachments: Attachment[] }>().attachments;
      links.add(parameter(attachment!.url, 'by'));
      expect((await api.follow(attachment!.url)).must(200).text).toBe(CONTENT);
    }
    expect(links.size).toBe(3);
  });
});

describe('without a good link [PQRS-62]', () => {
  flow('nobody is 401, a token alone 403', { needs: ['other'] }, async (api) => {
    const { key } = await makeFile(api);
    for (const each of [key, '0'.repeat(52), 'nonsense']) {
      (await api.get(`/files/${each}`, { as: null })).mustBe(401, 'unauthorized');
      for (const as of ['owner', 'other'] as const) {
        (await api.get(`/files/${each}`, { as })).mustBe(403, 'signature_required');
      }
    }
  });

  flow('a bad token is 401, good link or not', { needs: ['revoked', 'expired'] }, async (api) => {
    const { url, key } = await makeFile(api);
    const bad = [
      'Bearer nonsense',
      'Basic eDp5',
      ...(['revoked', 'expired'] as const).map((role) => `Bearer ${api.target.token(role)}`),
    ];
    for (const authorization of bad) {
      for (const path of [url, `/api/files/${key}`]) {
        (await api.follow(path, { headers: { authorization } })).mustBe(401, 'unauthorized');
      }
    }
  });

  flow("another project's token finds nothing [PQRS-68]", { needs: ['other'] }, async (api) => {
    const { url } = await makeFile(api);
    (await api.follow(url, { as: 'other' })).mustBe(404, 'not_found');
  });

  const CHANGED: Record<string, (link: string) => string> = {
    'a later expiry': (link) =>
      withParameter(link, 'expires', String(Number(parameter(link, 'expires')) + 300)),
    'an expiry with a zero before it': (link) =>
      withParameter(link, 'expires', `0${parameter(link, 'expires')}`),
    'an expiry in scientific notation': (link) => withParameter(link, 'expires', '9e9'),
    'an expiry that is no number': (link) => withParameter(link, 'expires', 'never'),
    'no expiry': (link) => withParameter(link, 'expires', null),
    'another token': (link) => withParameter(link, 'by', `tok_${'0'.repeat(26)}`),
    'no token': (link) => withParameter(link, 'by', null),
    'another key id': (link) => withParameter(link, 'kid', 'other'),
    'the key id __proto__': (link) => withParameter(link, 'kid', '__proto__'),
    'no key id': (link) => withParameter(link, 'kid', null),
    'a disposition that was not signed': (link) => `${link}&disposition=attachment`,
    'the disposition inline': (link) => `${link}&disposition=inline`,
    'another parameter': (link) => `${link}&download=1`,
    'a parameter twice': (link) => `${link}&expires=${parameter(link, 'expires')}`,
    'a second signature': (link) => `${link}&signature=${parameter(link, 'signature')}`,
    'an empty signature': (link) => withParameter(link, 'signature', ''),
    'a truncated signature': (link) => link.slice(0, -1),
    'a longer signature': (link) => `${link}A`,
    'a padded signature': (link) => `${link}=`,
    'a signature of other bytes': (link) => withParameter(link, 'signature', 'A'.repeat(43)),
    'a signature with its first character changed': (link) =>
      withParameter(
        link,
        'signature',
        (parameter(link, 'signature')[0] === 'A' ? 'B' : 'A') +
          parameter(link, 'signature').slice(1),
      ),
    'a signature of the other alphabet': (link) =>
      withParameter(link, 'signature', `${parameter(link, 'signature').slice(0, -1)}+`),
    'a parameter that is encoded': (link) => link.replace('&by=tok_', '&by=tok%5F'),
    'a parameter in capitals': (link) => link.replace('&kid=', '&KID='),
    'the key in capitals': (link) =>
      link.replace(/files\/(\w+)/, (_, key: string) => `files/${key.toUpperCase()}`),
    'a key that nothing has': (link) => link.replace(/files\/\w+/, `files/${'0'.repeat(52)}`),
    'a key that is too short': (link) => link.replace(/files\/\w+/, 'files/a'),
  };
  for (const [name, change] of Object.entries(CHANGED)) {
    flow(`${name} is signature_invalid`, {}, async (api) => {
      const { url } = await makeFile(api);
      const changed = change(url);
      expect(changed).not.toBe(url);
      (await api.follow(changed)).mustBe(403, 'signature_invalid');
      (await api.follow(changed, { as: 'owner' })).mustBe(403, 'signature_invalid');
    });
  }

  flow("a file's link does not open another file", {}, async (api) => {
    const [one, two] = [await makeFile(api), await makeFile(api, { bytes: 'other' })];
    const query = one.url.slice(one.url.indexOf('?'));
    (await api.follow(`/api/files/${two.key}${query}`)).mustBe(403, 'signature_invalid');
  });

  flow('a signature is taken from the query alone', {}, async (api) => {
    const { url, key } = await makeFile(api);
    const signature = url.slice(url.indexOf('?') + 1);
    for (const headers of [
      { cookie: signature.replaceAll('&', '; ') },
      { 'x-signature': signature },
      { authorization: `Signature ${signature}` },
    ]) {
      const { status } = await api.follow(`/api/files/${key}`, {
        headers: headers as unknown as Record<string, string>,
      });
      expect(status).toBe(401);
    }
  });
});

describe('every other method on a file [PQRS-74]', () => {
  flow('is 405, signed or not', {}, async (api) => {
    const { url, key } = await makeFile(api);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND']) {
      for (const address of [url, `/api/files/${key}`, `${url}A`]) {
        for (const as of ['owner', null] as const) {
          const answer = (await api.follow(address, { method, as })).must(405);
          expect(answer.header('allow')).toBe('GET');
        }
      }
    }
    (await api.follow(url)).must(200);
  });
});

describe('a link dies [PQRS-62]', () => {
  flow('with the attachment', {}, async (api) => {
    const { url, issueId, id } = await makeFile(api);
    (await api.patch(`/issues/${issueId}`, { removeAttachments: [id] })).must(200);
    (await api.follow(url)).mustBe(403, 'signature_invalid');
    (await api.follow(url, { as: 'owner' })).mustBe(403, 'signature_invalid');
  });

  flow("a widget's holds while it may read it", { needs: ['widget'] }, async (api) => {
    const attachment = await makeFile(api, { as: 'widget' });
    (await api.follow(attachment.url)).must(200);
    const { attachments } = await issueOf(api, attachment.issueId);
    (await api.follow(attachments[0]!.url)).must(200);
  });
});

describe('how it is sent [PQRS-62]', () => {
  const RANGES: [string, string, number, string, string?][] = [
    ['its first bytes', 'bytes=0-8', 206, 'The quick', 'bytes 0-8/44'],
    ['its middle', 'bytes=4-8', 206, 'quick', 'bytes 4-8/44'],
    ['from a byte on', 'bytes=40-', 206, 'dog.', 'bytes 40-43/44'],
    ['its last bytes', 'bytes=-4', 206, 'dog.', 'bytes 40-43/44'],
    ['more than there is', 'bytes=40-999', 206, 'dog.', 'bytes 40-43/44'],
    ['a suffix longer than it', 'bytes=-999', 206, CONTENT, 'bytes 0-43/44'],
    ['two ranges: whole', 'bytes=0-1,4-5', 200, CONTENT],
    ['another unit: whole', 'lines=0-1', 200, CONTENT],
    ['no range at all: whole', 'bytes=', 200, CONTENT],
    ['backwards: whole', 'bytes=8-4', 200, CONTENT],
  ];
  for (const [name, range, status, text, contentRange] of RANGES) {
    flow(`in parts: ${name}`, {}, async (api) => {
      const { url } = await makeFile(api);
      const answer = (await api.follow(url, { headers: { range } })).must(status);
      expect(answer.text).toBe(text);
      expect(answer.headers.get('content-range')).toBe(contentRange ?? null);
      expect(answer.header('content-length')).toBe(String(text.length));
    });
  }

  flow('a range behind its end is 416 and says how long it is', {}, async (api) => {
    const { url } = await makeFile(api);
    for (const range of ['bytes=44-', 'bytes=99-100', 'bytes=-0']) {
      const answer = await api.follow(url, { headers: { range } });
      expect(answer.mustBe(416, 'range_not_satisfiable').header('content-range')).toBe(
        'bytes */44',
      );
    }
  });

  flow('If-Range sends a part of the same file alone', {}, async (api) => {
    const { url, sha256 } = await makeFile(api);
    const get = (ifRange: string) =>
      api.follow(url, { headers: { range: 'bytes=0-2', 'if-range': ifRange } });
    (await get(`"${sha256}"`)).must(206);
    (await get('"other"')).must(200);
    (await get(`W/"${sha256}"`)).must(200);
    (await get('Sat, 31 Jan 2026 12:00:00 GMT')).must(200);
  });

  flow('If-None-Match answers 304', {}, async (api) => {
    const { url, sha256 } = await makeFile(api);
    for (const tag of [`"${sha256}"`, `W/"${sha256}"`, `"a", "${sha256}"`, '*']) {
      (await api.follow(url, { headers: { 'if-none-match': tag } })).must(304);
    }
    (await api.follow(url, { headers: { 'if-none-match': '"a"' } })).must(200);
  });

  flow('an empty file has no body', {}, async (api) => {
    const { url } = await makeFile(api, { bytes: '' });
    const answer = (await api.follow(url)).must(200);
    expect(answer.bytes.byteLength).toBe(0);
    expect(answer.header('content-length')).toBe('0');
    (await api.follow(url, { headers: { range: 'bytes=0-' } })).mustBe(
      416,
      'range_not_satisfiable',
    );
  });

  flow('a picture is shown, with all its bytes', {}, async (api) => {
    const { url } = await makeFile(api, { bytes: PNG, name: 'a.png' });
    const answer = (await api.follow(url)).must(200);
    expect(Buffer.from(answer.bytes).equals(PNG)).toBe(true);
    expect(answer.header('content-type')).toBe('image/png');
    expect(answer.header('content-disposition')).toStartWith('inline;');
  });

  flow('its original name comes back [PQRS-61]', {}, async (api) => {
    const headers = {
      'content-disposition': `attachment; filename*=UTF-8''%E2%82%AC%20%22rates%22.txt`,
    };
    const { url } = await makeFile(api, { headers });
    const { headers: sent } = (await api.follow(url)).must(200);
    expect(sent.get('content-disposition')).toBe(
      `inline; filename="_ _rates_.txt"; filename*=UTF-8''%E2%82%AC%20%22rates%22.txt`,
    );
  });
});
