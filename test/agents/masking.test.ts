// Masks: no secret comes through, whole or encoded, however the bytes are cut, and nothing else is
// touched.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { maskedForms } from '../../src/agents/masked-forms.ts';
import { createMask, type Mask } from '../../src/agents/masking.ts';

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
    expect(createMask(['', 'abc'])).toBeUndefined();
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

  test('of a secret with several lines hides it whole in an attribute of XML', () => {
    const mask = maskOf('a first "line"\nshort');
    for (const end of ['&#10;', '&#xA;', '&#13;&#10;', '&#xD;&#xA;'])
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

const secret = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 30 });
const part = fc.string({ unit: 'grapheme', maxLength: 20 });
const cuts = fc.array(fc.nat(), { maxLength: 12 });

/** What the mask does, said as plainly as it can be. */
function expectedOf(said: string, values: readonly string[]): string {
  const forms = values.flatMap(maskedForms).sort((a, b) => b.length - a.length);
  let [done, at] = ['', 0];
  while (at < said.length) {
    const form = forms.find((one) => said.startsWith(one, at));
    done += form === undefined ? said[at] : '***';
    at += form?.length ?? 1;
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
