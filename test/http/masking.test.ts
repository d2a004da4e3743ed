// Masks: no secret comes through, whole or encoded, however the bytes are cut, and nothing else is
// touched.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formsOf, maskedTexts } from '../../src/masking/forms.ts';
import { createMask, type Mask } from '../../src/masking/mask.ts';

async function* cutAt(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const borders = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const border of [...borders, bytes.length]) {
    yield bytes.subarray(from, border);
    from = border;
  }
}

async function masked(mask: Mask, said: string, cuts: readonly number[] = []): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of mask.chunks(cutAt(Buffer.from(said), cuts))) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const maskOf = (...values: string[]) => createMask(values) as Mask;

describe('a mask [PQRS-40]', () => {
  test('is none where there is nothing to mask', () => {
    expect(createMask([])).toBeUndefined();
    expect(createMask(['', 'abcde'])).toBeUndefined();
    expect(createMask(['abcdef'])).toBeDefined();
  });

  test('replaces every occurrence, the longest first', async () => {
    const mask = maskOf('hunter2', 'hunter2-admin');
    const said = 'user hunter2, admin hunter2-admin, hunter2hunter2';
    const expected = 'user ***, admin ***, ******';
    expect(mask.text(said)).toBe(expected);
    expect(await masked(mask, said)).toBe(expected);
  });

  test('finds a secret in the encodings of reports', () => {
    const secret = 'p&ss "wörd"/<1>';
    const mask = maskOf(secret);
    const basic = Buffer.from(`ada:${secret}`).toString('base64');
    const xml = 'p&amp;ss &quot;wörd&quot;/&lt;1&gt;';
    for (const form of [
      JSON.stringify(secret).slice(1, -1),
      'p&ss \\"w\\u00f6rd\\"/<1>',
      'p\\u0026ss \\"wörd\\"/\\u003c1\\u003e',
      xml,
      xml.replaceAll('&quot;', '"'),
      encodeURIComponent(secret),
      encodeURIComponent(secret).replaceAll('%20', '+'),
    ]) {
      expect(mask.text(`<${form}>`)).toBe('<***>');
    }
    const header = mask.text(`Authorization: Basic ${basic}`);
    expect(header).toContain('***');
    expect(header.length).toBeLessThan(`Authorization: Basic ${basic}`.length - 10);
  });

  test.each([
    ['as RFC 3986 has it', 'p%26ss%2Fw0rd%21x'],
    ['in lower case', 'p%26ss%2fw0rd%21x'],
    ['as encodeURIComponent has it', 'p%26ss%2Fw0rd!x'],
    ['in user information', 'p&ss%2Fw0rd!x'],
    ['in user information, in lower case', 'p&ss%2fw0rd!x'],
    ['with each byte encoded', '%70%26%73%73%2f%77%30%72%64%21%78'],
    ['as Python has it in a path', 'p%26ss/w0rd%21x'],
  ])('finds a secret in a URL %s', async (_, form) => {
    const mask = maskOf('p&ss/w0rd!x');
    expect(mask.text(`postgres://ada:${form}@db/x`)).toBe('postgres://ada:***@db/x');
    expect(await masked(mask, `postgres://ada:${form}@db/x`, [20, 24])).toBe(
      'postgres://ada:***@db/x',
    );
    expect(mask.text(form.slice(0, -1))).toBe(form.slice(0, -1));
  });

  test.each([
    ['hex', '73c3a926216b3e'],
    ['hex in capitals', '73C3A926216B3E'],
    ['decimal references', '&#115;&#233;&#38;&#33;&#107;&#62;'],
    ['hexadecimal references', '&#x73;&#xE9;&#x26;&#x21;&#x6B;&#x3E;'],
    ['some references', 's&#233;&amp;!k&gt;'],
    ['units of JSON', '\\u0073\\u00E9\\u0026\\u0021\\u006B\\u003E'],
    ['percent-encoding', 's%C3%A9%26%21k%3E'],
  ])('finds a secret of six characters as %s', async (_, form) => {
    const mask = maskOf('sé&!k>');
    expect(mask.text(`at ${form}.`)).toBe('at ***.');
    expect(await masked(mask, `at ${form}.`, [5, 9])).toBe('at ***.');
    const base64 = ['', 'a', 'ab'].map((before) =>
      Buffer.from(`${before}sé&!k>`).toString('base64'),
    );
    for (const one of base64) expect(mask.text(one)).toContain('***');
  });

  test('finds a secret that is itself percent-encoded, as it is and encoded again', () => {
    for (const secret of ['%25%25ab', '100%25', 'a%2525b%25', '%', '%%%%', '%2F%2f&amp;'].map(
      (one) => `${one}-wxyz`,
    )) {
      const mask = maskOf(secret);
      for (const form of [secret, encodeURIComponent(secret)])
        expect(mask.text(`<${form}>`)).toBe('<***>');
    }
  });

  test('of a secret with several lines hides it whole in an attribute of XML', () => {
    const mask = maskOf('a first "line"\nshort');
    for (const end of ['&#10;', '&#xA;', '&#13;&#10;', '&#xd;&#xa;'])
      expect(mask.text(`<a b="a first &quot;line&quot;${end}short"/>`)).toBe('<a b="***"/>');
  });

  test('of a secret with several lines hides each long one, with any line ends', () => {
    const mask = maskOf('-----BEGIN KEY-----\nMIIBVgIBADANBg\nshort\n-----END KEY-----\n');
    expect(mask.text('at 12:00 MIIBVgIBADANBg')).toBe('at 12:00 ***');
    expect(mask.text('-----BEGIN KEY-----\r\nMIIBVgIBADANBg\r\nshort\r\n-----END KEY-----')).toBe(
      '***',
    );
    expect(mask.text('a short word')).toBe('a short word');
  });

  test('leaves bytes that are no text as they are', async () => {
    const bytes = Uint8Array.from({ length: 4096 }, (_, at) => (at * 7) & 0xff);
    const chunks: Uint8Array[] = [];
    for await (const chunk of maskOf('hunter2').chunks(cutAt(bytes, [100]))) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(Buffer.from(bytes))).toBe(true);
  });
});

const secret = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 30 });
const part = fc.string({ unit: 'grapheme', maxLength: 20 });
const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** A text as a part of a URL, as browsers write it. */
function inUrl(part: 'username' | 'password' | 'pathname' | 'search', text: string): string {
  const url = new URL('https://h/');
  url[part] = part === 'pathname' ? `/${text}` : text;
  return url.href;
}

/** What the mask does, said as plainly as it can be. */
function expectedOf(said: string, values: readonly string[]): string {
  const forms = values.flatMap(maskedTexts).flatMap(formsOf);
  let [done, at] = ['', 0];
  while (at < said.length) {
    const lengths = forms.filter((one) => said.startsWith(one, at)).map((one) => one.length);
    const length = Math.max(0, ...lengths);
    done += length === 0 ? said[at] : '***';
    at += length || 1;
  }
  return done;
}

describe('whatever the secrets and the texts are [PQRS-40]', () => {
  test('a text is masked as the plain rule says, and no secret is left', () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), part, part, (all, a, b) => {
        const said = [a, ...all.flatMap((one) => [one, b]), all[0]].join('');
        const result = maskOf(...all).text(said);
        expect(result).toBe(expectedOf(said, all));
        const plain = all.filter((one) => !/^[*]|[*]$/.test(one));
        for (const one of plain) expect(result.includes(one)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test('bytes are masked alike, wherever they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(secret, { minLength: 1, maxLength: 3 }),
        part,
        cuts,
        fc.integer({ min: 1, max: 2500 }),
        async (all, between, at, times) => {
          const said = all.map((one) => one + between.repeat(1 + (times % 40)) + one).join('|');
          const long = said.repeat(Math.min(times, Math.ceil(200_000 / said.length)));
          const mask = maskOf(...all);
          expect(await masked(mask, long, at)).toBe(await masked(mask, long));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a stream of single bytes gives what the whole gives', async () => {
    const mask = maskOf('a secret that is long enough', 'another');
    const said =
      'x'.repeat(70_000).split('').join('') + ' a secret that is long enough '.repeat(900);
    const everywhere = Array.from({ length: Buffer.byteLength(said) }, (_, at) => at);
    const result = await masked(mask, said, everywhere);
    expect(result).toBe(mask.text(said));
    expect(result.endsWith(' *** ')).toBe(true);
  });

  test('what the usual tools make of a secret in a URL is masked', () => {
    const odd = [...' !"#$%&\'()*+,-./:;<=>?@[]^_`{|}~äß€𝒳'];
    const value = fc
      .array(fc.oneof(fc.constantFrom(...odd), fc.string({ minLength: 1, maxLength: 1 })), {
        ...{ minLength: 6, maxLength: 24 },
      })
      // Backslashes and dots between slashes are no parts of a path: it is another one then.
      .map((parts) => `k${parts.join('')}z`.replace(/[/\\]\.+(?=[/\\])/g, '/'));
    fc.assert(
      fc.property(value, (one) => {
        const mask = maskOf(one);
        const strict = encodeURIComponent(one).replace(
          /[!'()*]/g,
          (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
        );
        for (const url of [
          inUrl('username', one),
          inUrl('password', one),
          inUrl('pathname', one),
          inUrl('search', one),
          `x://h/?${new URLSearchParams({ a: one })}`,
          `x://h/${encodeURIComponent(one)}`,
          `x://h/?a=${encodeURI(one)}`,
          `x://h/${strict}`,
        ]) {
          // What looks encoded in the secret itself is as it is in any URL.
          const lower = /%[0-9A-F]{2}/i.test(one)
            ? url
            : url.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
          for (const said of [url, lower]) expect(mask.text(said)).toMatch(/^[^kz]*\*{3}[^kz]*$/);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('base64 of a text that holds the secret shows no long part of it', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 12, maxLength: 40 }),
        fc.string({ maxLength: 10 }),
        fc.string({ maxLength: 10 }),
        (value, before, behind) => {
          const encoded = Buffer.from(before + value + behind).toString('base64');
          expect(maskOf(value).text(encoded)).toContain('***');
        },
      ),
    );
  });
});
