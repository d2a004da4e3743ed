// The multipart reader: what was encoded comes out however it is cut, and nothing else is accepted.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Problem } from '../../src/errors.ts';
import {
  gather,
  type MultipartLimits,
  multipartBoundary,
  readMultipart,
} from '../../src/http/files/multipart.ts';

const LIMITS: MultipartLimits = { totalBytes: 1 << 24 };

type Given = { name: string; fileName?: string; mediaType?: string; content: Uint8Array };

function encode(parts: Given[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ name, fileName, mediaType, content }) => {
    const quote = (text: string) => `"${text.replaceAll('"', '%22')}"`;
    const file = fileName === undefined ? '' : `; filename=${quote(fileName)}`;
    const type = mediaType === undefined ? '' : `\r\nContent-Type: ${mediaType}`;
    const head = `Content-Disposition: form-data; name=${quote(name)}${file}${type}`;
    return [Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), content, Buffer.from('\r\n')];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

// Cuts a body at the given distances, over and over.
async function* cut(body: Uint8Array, sizes: number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < body.byteLength; i++) {
    const size = sizes[i % sizes.length]!;
    yield body.subarray(at, at + size);
    at += size;
  }
}

const typeOf = (boundary: string) => `multipart/form-data; boundary=${boundary}`;

async function read(
  body: AsyncIterable<Uint8Array> | string,
  contentType = typeOf('b'),
  limits: Partial<MultipartLimits> = {},
): Promise<Given[]> {
  const source = typeof body === 'string' ? cut(Buffer.from(body, 'latin1'), [1 << 20]) : body;
  const parts: Given[] = [];
  for await (const part of readMultipart(source, contentType, { ...LIMITS, ...limits })) {
    const { name, mediaType } = part;
    const type = mediaType === undefined ? {} : { mediaType };
    const fileName = part.fileName === undefined ? {} : { fileName: part.fileName };
    parts.push({
      name,
      ...fileName,
      ...type,
      content: Buffer.from(await gather(part.chunks, 1 << 24)),
    });
  }
  return parts;
}

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const part = (headers: string, content = 'x') => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`;
const plain = (parts: Given[]) =>
  parts.map(({ content, ...rest }) => ({ ...rest, content: Buffer.from(content).toString() }));

const boundary = fc.constantFrom(
  'b',
  'abc',
  '--',
  '-b-',
  '----WebKitFormBoundaryAbC012',
  'x'.repeat(70),
);
// Contents made of what delimiters are made of.
const content = (mark: string) => {
  const text = fc.array(
    fc.oneof(
      fc.constantFrom('\r', '\n', '\r\n', '-', '--', '\r\n-', '\r\n--', '\r\n\r\n', '', 'é', '\0'),
      fc.nat(mark.length - 1).map((end) => `\r\n--${mark.slice(0, end)}`),
    ),
    { maxLength: 12 },
  );
  return text
    .map((pieces) => pieces.join(''))
    .filter((joined) => !`\r\n${joined}`.includes(`\r\n--${mark}`));
};
const name = fc.string({
  unit: fc.constantFrom('a', 'B', 'é', '😀', '"', ';', '=', ' ', "'", '/', '*', '%41', '\\d'),
  maxLength: 8,
});
const form = boundary.chain((mark) =>
  fc.record({
    mark: fc.constant(mark),
    parts: fc.array(
      fc.oneof(
        fc.record({ name, content: content(mark).map((text) => Buffer.from(text)) }),
        fc.record({
          name,
          fileName: name,
          mediaType: fc.constantFrom('image/png', 'application/octet-stream', 'text/plain'),
          content: fc.oneof(
            content(mark).map((text) => Buffer.from(text, 'latin1')),
            fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
          ),
        }),
      ),
      { maxLength: 5 },
    ),
    sizes: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 }),
  }),
);

describe('what was encoded', () => {
  test('is what is read, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(form, async ({ mark, parts, sizes }) => {
        const body = cut(encode(parts, mark), sizes);
        const got = await read(body, `multipart/form-data; boundary="${mark}"`);
        expect(got.map((g) => ({ ...g, content: Buffer.from(g.content) }))).toEqual(
          parts.map((p) => ({ ...p, content: Buffer.from(p.content) })),
        );
      }),
      { numRuns: 3000 },
    );
  }, 60_000);

  test('is read from one body cut in two at every place, and byte by byte', async () => {
    const parts: Given[] = [
      { name: 'kind', content: Buffer.from('log') },
      { name: 'file', fileName: 'a.txt', content: Buffer.from('\r\n--bound\r\n--') },
      { name: 'empty', fileName: '', content: Buffer.alloc(0) },
    ];
    const body = encode(parts, 'boundary');
    for (let at = 1; at <= body.length; at++) {
      const got = await read(cut(body, [at, body.length]), typeOf('boundary'));
      expect(plain(got)).toEqual(plain(parts));
    }
    expect(plain(await read(cut(body, [1]), typeOf('boundary')))).toEqual(plain(parts));
  });
});

describe('a body that is cut off', () => {
  test('is refused at every length', async () => {
    await fc.assert(
      fc.asyncProperty(form, fc.double({ min: 0, max: 1, noNaN: true }), async (given, share) => {
        const whole = encode(given.parts, given.mark);
        // All but the last line break, which may be missing.
        const length = Math.floor((whole.length - 2) * Math.min(share, 0.999999));
        const body = cut(whole.subarray(0, length), given.sizes);
        const error = await caught(read(body, `multipart/form-data; boundary="${given.mark}"`));
        expect(error).toMatchObject({ code: 'malformed_body' });
      }),
      { numRuns: 3000 },
    );
    const whole = encode([{ name: 'a', fileName: 'f', content: Buffer.from('xyz') }], 'b');
    for (let length = 0; length < whole.length - 2; length++) {
      expect(await caught(read(cut(whole.subarray(0, length), [7])))).toMatchObject({
        code: 'malformed_body',
      });
    }
    expect(await read(cut(whole.subarray(0, -2), [7]))).toHaveLength(1);
  }, 60_000);

  test('by an error passes that error on, out of the iteration that was reading', async () => {
    const reset = new Error('reset');
    async function* broken() {
      yield Buffer.from(`${part(disposition('name="a"'))}--b\r\n`);
      yield Buffer.from(`${disposition('name="f"; filename="f"')}\r\n\r\nabc`);
      throw reset;
    }
    const seen: string[] = [];
    const error = await caught(
      (async () => {
        for await (const found of readMultipart(broken(), typeOf('b'), LIMITS)) {
          seen.push(found.name);
          if (found.fileName === undefined) continue;
          const inner = await caught(Array.fromAsync(found.chunks));
          expect(inner).toBe(reset);
          throw inner;
        }
      })(),
    );
    expect(error).toBe(reset);
    expect(seen).toEqual(['a', 'f']);
  });
});

describe('an unusual body', () => {
  test.each([
    ['no part', '--b--', []],
    ['no part, and a line break', '--b--\r\n', []],
    ['a line break before', `\r\n${part(disposition('name="a"'))}--b--`, ['a']],
    ['a preamble', `hello\r\n${part(disposition('name="a"'))}--b--\r\n \r\n`, ['a']],
    ['padding after a delimiter', `--b \t\r\n${disposition('name="a"')}\r\n\r\nx\r\n--b--`, ['a']],
    [
      'white space in headers',
      `${part('content-disposition:\tform-data ;name=a ; x=y')}--b--`,
      ['a'],
    ],
    ['other headers', `${part(`X-A: 1\r\n${disposition('name="a"')}\r\nX-B:`)}--b--`, ['a']],
    [
      'a binary encoding',
      `${part(`${disposition('name="a"')}\r\nContent-Transfer-Encoding: Binary`)}--b--`,
      ['a'],
    ],
    ['the same name twice', `${part(disposition('name="a"')).repeat(2)}--b--`, ['a', 'a']],
    ['a name of an object', `${part(disposition('name="__proto__"'))}--b--`, ['__proto__']],
  ])('with %s is read', async (_, body, names) => {
    expect((await read(body)).map((found) => found.name)).toEqual(names);
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });

  const close = '--b--';
  test.each([
    ['nothing', ''],
    ['no delimiter', 'hello'],
    ['another boundary', '--c\r\n\r\n--c--'],
    ['bare line feeds', `--b\n${disposition('name="a"')}\n\nx\n--b--`],
    ['no headers', `--b\r\n\r\nx\r\n${close}`],
    ['no disposition', part('Content-Type: text/plain') + close],
    ['another disposition', part('Content-Disposition: attachment; name="a"') + close],
    ['no name', part('Content-Disposition: form-data') + close],
    ['a file without a name', part(disposition('filename="f"')) + close],
    ['an unfinished header block', `--b\r\n${disposition('name="a"')}\r\n${close}`],
    ['a line that is no header', part(`rubbish\r\n${disposition('name="a"')}`) + close],
    ['a folded header', part(`Content-Disposition: form-data;\r\n name="a"`) + close],
    ['white space before a colon', part('Content-Disposition : form-data; name="a"') + close],
    ['two dispositions', part(`${disposition('name="a"')}\r\n${disposition('name="b"')}`) + close],
    ['two names', part(disposition('name="a"; name="b"')) + close],
    ['two file names', part(disposition('name="a"; filename="b"; filename="c"')) + close],
    ['an unfinished quote', part(disposition('name="a')) + close],
    ['a name over two lines', part(disposition('name="a\rb"')) + close],
    ['a NUL in a file name', part(disposition('name="a"; filename="b\0c"')) + close],
    ['an encoded line break', part(disposition(`name="a"; filename*=UTF-8''b%0Ac`)) + close],
    ['a name that is not UTF-8', part(disposition('name="\xe9"')) + close],
    ['base64', part(`${disposition('name="a"')}\r\nContent-Transfer-Encoding: base64`) + close],
    ['text after a delimiter', `--bb\r\n${disposition('name="a"')}\r\n\r\nx\r\n--b--`],
    ['the boundary within', `${part(disposition('name="a"'), 'x\r\n--bogus\r\ny')}${close}`],
    ['a single dash at the end', `${part(disposition('name="a"'))}--b-`],
    ['an epilogue', `${part(disposition('name="a"'))}${close}\r\nbye`],
    ['no line break after a header', `--b\r\n${disposition('name="a"')}\r\n\r\n--b--`],
  ])('with %s is refused', async (_, body) => {
    for (const size of [1, 1 << 20]) {
      const error = await caught(read(cut(Buffer.from(body, 'latin1'), [size])));
      expect(error).toMatchObject({ code: 'malformed_body', status: 400 });
    }
  });
});

describe('names', () => {
  test.each([
    ['filename="a.txt"', 'a.txt'],
    ['filename=a.txt', 'a.txt'],
    ['filename=""', ''],
    ['filename="€.txt"', '€.txt'],
    [`filename="x"; filename*=UTF-8''%E2%82%AC.txt`, '€.txt'],
    [`filename*=utf-8''%E2%82%AC.txt; filename="x"`, '€.txt'],
    ['filename="a%22b%0A.txt"', 'a"b%0A.txt'],
    ['filename="a\\"b.txt"', 'a"b.txt'],
    ['filename="C:\\dir\\x.txt"', 'C:\\dir\\x.txt'],
    ['filename="../../etc/passwd"', '../../etc/passwd'],
    ['filename="a;name=b"', 'a;name=b'],
  ])('%s is %p', async (parameter, fileName) => {
    const body = Buffer.from(`${part(disposition(`name="a"; ${parameter}`))}--b--`);
    expect((await read(cut(body, [50])))[0]).toMatchObject({ name: 'a', fileName });
  });
});

describe('limits', () => {
  const field = (size: number) => `${part(disposition('name="a"'), 'x'.repeat(size))}--b--`;
  const headed = (size: number) =>
    `${part(`${disposition('name="a"')}\r\nX: ${'y'.repeat(size)}`)}--b--`;
  const many = (count: number) => `${part(disposition('name="a"')).repeat(count)}--b--`;

  test.each([
    ['a header block', {}, headed(8145), headed(8146)],
    ['the parts', { parts: 3 }, many(3), many(4)],
    ['the body', { totalBytes: field(10).length }, field(10), field(11)],
  ])('of %s hold to the byte', async (_, limits, fits, over) => {
    for (const size of [1, 1 << 20]) {
      const bytes = (text: string) => cut(Buffer.from(text), [size]);
      expect(await caught(read(bytes(fits), typeOf('b'), limits))).toBeUndefined();
      const error = await caught(read(bytes(over), typeOf('b'), limits));
      expect(error).toMatchObject({ code: 'too_large', status: 413 });
    }
  });

  test('stop an endless body, and tell it so', async () => {
    let pulled = 0;
    let cancelled = false;
    async function* endless(start: string) {
      try {
        yield Buffer.from(start);
        for (;;) {
          pulled += 1000;
          yield Buffer.alloc(1000, 120);
        }
      } finally {
        cancelled = true;
      }
    }
    const file = `--b\r\n${disposition('name="f"; filename="f"')}\r\n\r\n`;
    for (const start of ['', file]) {
      pulled = 0;
      cancelled = false;
      const error = await caught(read(endless(start), typeOf('b'), { totalBytes: 1 << 20 }));
      expect(error).toMatchObject({ code: 'too_large' });
      expect(cancelled).toBe(true);
      expect(pulled).toBeLessThan(1_100_000);
    }
  });
});

describe('the caller', () => {
  const file = (name: string, size: number) =>
    part(disposition(`name="${name}"; filename="f"`), 'x'.repeat(size));

  test('may leave a file unread, or half read', async () => {
    const body = cut(Buffer.from(`${file('a', 500)}${file('b', 500)}${file('c', 5)}--b--`), [50]);
    const seen: string[] = [];
    for await (const found of readMultipart(body, typeOf('b'), LIMITS)) {
      seen.push(found.name);
      if (found.name !== 'b') continue;
      for await (const chunk of found.chunks) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
    }
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  test('that stops early cancels the body', async () => {
    let cancelled = false;
    async function* body() {
      try {
        yield Buffer.from(`--b\r\n${disposition('name="f"; filename="f"')}\r\n\r\nabc`);
        yield Buffer.from('def');
      } finally {
        cancelled = true;
      }
    }
    for await (const found of readMultipart(body(), typeOf('b'), LIMITS)) {
      const chunks = found.chunks[Symbol.asyncIterator]();
      expect(Buffer.from((await chunks.next()).value as Uint8Array).toString()).toBe('abc');
      break;
    }
    expect(cancelled).toBe(true);
  });

  test('is never ahead of: nothing is pulled that was not asked for', async () => {
    let pulled = 0;
    async function* counted() {
      yield Buffer.from(`--b\r\n${disposition('name="f"; filename="f"')}\r\n\r\n`);
      for (; pulled < 100; ) {
        pulled++;
        yield Buffer.alloc(1000, 120);
      }
      yield Buffer.from('\r\n--b--');
    }
    for await (const found of readMultipart(counted(), typeOf('b'), LIMITS)) {
      let got = 0;
      for await (const chunk of found.chunks) {
        got += chunk.byteLength;
        expect(pulled * 1000).toBe(got);
      }
      expect(got).toBe(100_000);
    }
  });

  test('gets the bytes themselves, not copies, and little memory is taken', async () => {
    const block = Buffer.alloc(64 * 1024, '\r\n--bx'.slice(0, 5));
    async function* large() {
      yield Buffer.from(`--boundary\r\n${disposition('name="f"; filename="f"')}\r\n\r\n`);
      for (let i = 0; i < 4096; i++) yield block;
      yield Buffer.from('\r\n--boundary--');
    }
    async function growth(): Promise<number> {
      Bun.gc(true);
      const before = process.memoryUsage.rss();
      let peak = before;
      let bytes = 0;
      let chunks = 0;
      const limits = { ...LIMITS, totalBytes: 1 << 30 };
      for await (const found of readMultipart(large(), typeOf('boundary'), limits)) {
        for await (const chunk of found.chunks) {
          bytes += chunk.byteLength;
          if (++chunks % 512 !== 0) continue;
          // What is held, and not what the collector has not come to on a busy machine.
          Bun.gc(true);
          peak = Math.max(peak, process.memoryUsage.rss());
        }
      }
      expect(bytes).toBe(4096 * block.length);
      return (peak - before) / 2 ** 20;
    }
    // What the process does beside this can only add to it.
    const rounds = [await growth(), await growth(), await growth()];
    console.log(`256 MiB: ${rounds.map((grown) => `+${grown.toFixed(1)} MiB`).join(', ')}`);
    expect(Math.min(...rounds)).toBeLessThan(64);
  }, 30_000);
});

describe('multipartBoundary', () => {
  test.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['Multipart/Form-Data;BOUNDARY="a b:c"', 'a b:c'],
    ['multipart/form-data; charset=utf-8; boundary=----x', '----x'],
    ['multipart/mixed; boundary=abc', undefined],
    ['application/json', undefined],
    ['', undefined],
  ])('of %p is %p', (contentType, expected) => {
    expect(multipartBoundary(contentType)).toBe(expected);
  });

  test.each([
    'multipart/form-data',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="a "',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
    'multipart/form-data; boundary=ä',
  ])('of %p is refused', (contentType) => {
    expect(() => multipartBoundary(contentType)).toThrow(Problem);
  });
});
