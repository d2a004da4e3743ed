// Files that are not what they say, and texts that would be more than texts elsewhere.
import { describe, expect } from 'bun:test';
import { attachFile, PNG } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { fileIssue, issueOf } from '../support/samples.ts';
import type { Issue } from '../support/shapes.ts';

describe('files that are not what they say [PQRS-61]', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const html = '<!doctype html><script>alert(1)</script>';
  const FILES: Record<string, [string, string, string | Uint8Array]> = {
    'SVG as PNG': ['a.png', 'image/png', svg],
    'SVG as it is': ['a.svg', 'image/svg+xml', svg],
    'SVG behind a prolog': [
      'a.png',
      'image/png',
      `<?xml version="1.0"?>\n<!-- x --><!DOCTYPE svg>\n${svg}`,
    ],
    'SVG behind a mark': ['a.png', 'image/png', `\ufeff${svg}`],
    'SVG in UTF-16': ['a.svg', 'image/svg+xml', Buffer.from(`\ufeff${svg}`, 'utf16le')],
    'SVG zipped': ['a.svgz', 'image/svg+xml', Bun.gzipSync(Buffer.from(svg))],
    'HTML as PNG': ['a.png', 'image/png', html],
    'HTML as it is': ['a.html', 'text/html', html],
    'HTML in capitals': ['a.jpg', 'image/jpeg', '\n\n  <HTML><BODY onload=alert(1)>'],
    'HTML behind a comment': ['a.gif', 'image/gif', '<!-- --><script>alert(1)</script>'],
    XHTML: [
      'a.xhtml',
      'application/xhtml+xml',
      `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>`,
    ],
    'XML with a style sheet': [
      'a.xml',
      'text/xml',
      '<?xml version="1.0"?><?xml-stylesheet href="data:," type="text/xsl"?><a/>',
    ],
    MHTML: [
      'a.mht',
      'multipart/related',
      'MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>',
    ],
    'a script': ['a.js', 'text/javascript', 'alert(1)'],
    PDF: [
      'a.png',
      'image/png',
      '%PDF-1.7\n%\u00e2\u00e3\u00cf\n1 0 obj<</S/JavaScript/JS(app.alert(1))>>',
    ],
    'a zip': ['a.png', 'image/png', Buffer.from('504b0304140000000000', 'hex')],
    'an executable': [
      'a.png',
      'image/png',
      Buffer.from('7f454c4602010100000000000000000002003e0001000000', 'hex'),
    ],
    WebAssembly: ['a.png', 'image/png', Buffer.from('0061736d01000000', 'hex')],
    Flash: [
      'a.png',
      'image/png',
      Buffer.from('46575305000000007800055f00000fa000000c01004411', 'hex'),
    ],
    'nothing known': ['a.png', 'image/png', new Uint8Array([0, 1, 2, 3, 4, 5])],
  };

  for (const [name, [fileName, type, bytes]] of Object.entries(FILES)) {
    flow(`${name}: kept, and never shown inside our origin`, {}, async (api) => {
      const attachment = await attachFile(api, await fileIssue(api, 'owner'), {
        name: fileName,
        type,
        bytes,
      });
      const answer = (await api.follow(attachment.url)).must(200);
      const shown = answer.header('content-disposition').startsWith('inline');
      expect(
        answer.header('content-type').startsWith('image/') &&
          attachment.mediaType !== 'image/svg+xml',
      ).toBe(false);
      // Plain text may be shown: with nosniff and the sandbox it stays text.
      if (shown) expect(answer.header('content-type')).toBe('text/plain; charset=utf-8');
      if (/SVG|HTML|XML|PDF/.test(name) && !/MHTML|zipped|UTF-16/.test(name))
        expect(shown).toBe(false);
      expect(answer.header('x-content-type-options')).toBe('nosniff');
      expect(answer.header('content-security-policy')).toStartWith("sandbox; default-src 'none';");
      expect(Buffer.from(answer.bytes).equals(Buffer.from(bytes as string))).toBe(true);
    });
  }

  flow('a picture that is a page too is a picture, whatever its name', {}, async (api) => {
    const gif = Buffer.concat([
      Buffer.from('GIF89a/*'),
      Buffer.from([0, 0, 0, 0]),
      Buffer.from(`*/=1;alert(1)//${html}`),
    ]);
    for (const [bytes, mediaType] of [
      [gif, 'image/gif'],
      [Buffer.concat([PNG, Buffer.from(html)]), 'image/png'],
    ] as const) {
      const attachment = await attachFile(api, await fileIssue(api, 'owner'), {
        name: 'a.html',
        type: 'text/html',
        bytes,
      });
      const answer = (await api.follow(attachment.url)).must(200);
      expect(answer.header('content-type')).toBe(mediaType);
      expect(answer.header('x-content-type-options')).toBe('nosniff');
    }
  });

  flow('names that would split a header or leave the folder do neither', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    for (const name of [
      ...["UTF-8''a%0d%0aSet-Cookie:%20x", "UTF-8''%00", "UTF-8''a%22%0a.html"],
      ...["UTF-8''..%5c..%5ca", "UTF-8''%2e%2e%2f", "UTF-8''a;b", "UTF-8''%E2%80%AEgpj.exe"],
      "UTF-8''con",
      `UTF-8''${'%F0%9F%99%82'.repeat(200)}`,
    ]) {
      const answer = await api.send('POST', `/issues/${id}/attachments`, {
        headers: {
          'content-type': 'text/plain',
          'content-disposition': `attachment; filename*=${name}`,
        },
        body: 'x',
      });
      expect([201, 422], name).toContain(answer.status);
      if (answer.status !== 201) continue;
      const attachment = answer.json<{ url: string; name: string }>();
      expect(attachment.name).not.toMatch(/[/\\]|\p{Cc}/u);
      const file = (await api.follow(attachment.url)).must(200);
      expect(file.headers.get('set-cookie')).toBeNull();
      expect(file.header('content-disposition')).toMatch(
        /^(?:inline|attachment); filename="[ !#-[\]-~]*"(?:; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/,
      );
    }
  });
});

describe('what is written is data [PQRS-55]', () => {
  flow('and comes back as it came, whatever it looks like', {}, async (api) => {
    for (const text of [
      ...["'; drop table issues; --", '{{7*7}}#{7*7}<%= 7*7 %>', '<script>alert(1)</script>'],
      ...['../../etc/passwd', '=1+1', '\u202eabc', '%s%n%x', '\\u0000', 'NULL'],
    ]) {
      const issue = (await api.post('/issues', { title: text, labels: [text], url: text }))
        .must(201)
        .json<Issue>();
      expect(await issueOf(api, issue.id)).toMatchObject({
        title: text,
        labels: [text],
        url: text,
      });
    }
    (await api.get('/issues?limit=1')).must(200);
  });

  flow('numbers beyond all bounds are refused, or kept as numbers', {}, async (api) => {
    const send = (path: string, body: string) =>
      api.send('POST', path, { headers: { 'content-type': 'application/json' }, body });
    for (const [number, kept] of [
      ['1e400', undefined],
      ['-1e400', undefined],
      ['1e308', 1e308],
      ['9007199254740993', 9_007_199_254_740_992],
      ['1e-400', 0],
    ] as const) {
      const log = await send(
        '/system-logs',
        `{"message": "${api.unique} is ${number}", "fields": {"n": ${number}}}`,
      );
      if (kept === undefined) {
        expect(log.mustBe(422, 'invalid').json()).toMatchObject({
          errors: [{ pointer: '/fields/n' }],
        });
      } else {
        const [id] = log.must(201).json<{ ids: string[] }>().ids;
        const read = await api.get('/system-logs', { query: { id: id! } });
        expect(read.must(200).json()).toMatchObject({ fields: { n: kept } });
      }
      const context = `{"viewport": {"width": ${number}}}`;
      const issue = await send('/issues', `{"title": "x", "context": ${context}}`);
      if (kept === undefined || Math.abs(kept) > 1e15) issue.mustBe(422, 'invalid');
      else expect(issue.must(201).json()).toMatchObject({ context: { viewport: { width: kept } } });
    }
  });
});
