// The names of files, coming in and going out (RFC 6266, RFC 8187).
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  cleanFileName,
  contentDisposition,
  parseHeaderParameters,
  sentFileName,
} from '../../src/http/files/content-disposition.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '/', '\r', '\n', ';', '%', '.', ' ', 'é', '\u202e'),
  }),
);

describe('contentDisposition [PQRS-61]', () => {
  test.each([
    ['a.png', 'inline; filename="a.png"'],
    ['a b.png', 'inline; filename="a b.png"'],
    ['dir/a.png', 'inline; filename="a.png"'],
    ['€ rates.txt', `inline; filename="_ rates.txt"; filename*=UTF-8''%E2%82%AC%20rates.txt`],
    ['😀.txt', `inline; filename="_.txt"; filename*=UTF-8''%F0%9F%98%80.txt`],
    ['100%.txt', `inline; filename="100_.txt"; filename*=UTF-8''100%25.txt`],
    ['a"b.txt', `inline; filename="a_b.txt"; filename*=UTF-8''a%22b.txt`],
    ["it's (1)*.txt", `inline; filename="it's (1)*.txt"`],
    ["é'(1)*.txt", `inline; filename="_'(1)*.txt"; filename*=UTF-8''%C3%A9%27%281%29%2A.txt`],
    ['a\r\nSet-Cookie: x=1', 'inline; filename="aSet-Cookie: x=1"'],
    ['x\ud800.txt', `inline; filename="x_.txt"; filename*=UTF-8''x%EF%BF%BD.txt`],
    ['', 'inline; filename="file"'],
  ])('%p', (name, header) => {
    expect(contentDisposition('inline', name)).toBe(header);
  });

  test('whatever the name, the header is one line of ASCII that reads back as the clean name', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const header = contentDisposition('attachment', name);
        expect(header).toMatch(/^attachment; filename="[\x20-\x7e]+"(; filename\*=[\x21-\x7e]+)?$/);
        expect(sentFileName(header)).toBe(cleanFileName(name));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('sentFileName', () => {
  const euro = '€.txt';
  test.each([
    ['attachment', undefined],
    ['ATTACHMENT; FileName="x.txt"', 'x.txt'],
    ['attachment; filename=x.txt', 'x.txt'],
    ['attachment;filename="x.txt";', 'x.txt'],
    [`attachment; filename="x"; filename*=UTF-8''%e2%82%ac.txt`, euro],
    [`attachment; filename*=utf-8'de'%E2%82%AC.txt; filename="x"`, euro],
    ['attachment; filename="€.txt"', euro],
    [`attachment; filename="${Buffer.from('€.txt').toString('latin1')}"`, euro],
    ['attachment; filename="\xe9.txt"', 'é.txt'],
    ['attachment; filename="a\\"b\\\\c.txt"', 'a"b\\c.txt'],
    ['attachment; filename="C:\\dir\\x.txt"', 'C:\\dir\\x.txt'],
    ['attachment; filename="a;b=c.txt"', 'a;b=c.txt'],
    ['attachment; filename=""', ''],
  ])('%p', (header, expected) => {
    expect(sentFileName(header)).toBe(expected as string);
  });

  test.each([
    '',
    ';',
    'attachment filename=x',
    'attachment; filename="x',
    'attachment; filename="x\\"',
    'attachment; filename="x"y',
    'attachment; filename=x"y',
    'attachment; filename=',
    'attachment; filename',
    'attachment; =x',
    'attachment; filename="a"; filename="b"',
    `attachment; filename*=UTF-8''%FF`,
    `attachment; filename*=UTF-8''%0d%0aX`,
    `attachment; filename*=iso-8859-1''%E9.txt`,
    `attachment; filename*=utf-16''a`,
    'attachment; filename*=plain',
    'attachment; filename="a\r\nb"',
    'attachment; filename="a\0b"',
  ])('refuses %p', (header) => {
    expect(sentFileName(header)).toBeUndefined();
  });

  test('never throws, and gives no name with a control character', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = sentFileName(`attachment; filename="${text}`);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must be absent
        expect(parsed ?? '').not.toMatch(/[\0-\x08\x0a-\x1f\x7f]/);
      }),
    );
  });

  test('parameters named like properties of objects are parameters', () => {
    const parsed = parseHeaderParameters('a/b; __proto__=x; constructor=y');
    expect([...(parsed?.parameters ?? [])]).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('cleanFileName', () => {
  test.each([
    ['a.txt', 'a.txt'],
    ['/etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:\\Users\\x\\shot.png', 'shot.png'],
    ['a/b\\c.txt', 'c.txt'],
    ['..', 'file'],
    ['.', 'file'],
    ['...', 'file'],
    ['dir/', 'file'],
    ['  ', 'file'],
    ['', 'file'],
    ['\0', 'file'],
    ['.gitignore', '.gitignore'],
    [' a.txt ', 'a.txt'],
    ['a\0.txt\r\n', 'a.txt'],
    ['photo\u202egnp.exe', 'photognp.exe'],
    ['e\u0301.txt', 'é.txt'],
    ['\ufeffa\u200b.txt', 'a.txt'],
    ['👨‍👩‍👧.png', '👨‍👩‍👧.png'],
  ])('%p', (name, expected) => {
    expect(cleanFileName(name)).toBe(expected);
  });

  test('a long name keeps its extension and no half character', () => {
    const clean = cleanFileName(`${'é'.repeat(300)}.json`);
    expect(clean).toBe(`${'é'.repeat(125)}.json`);
    expect(cleanFileName('x'.repeat(300))).toBe('x'.repeat(255));
    expect(cleanFileName(`x.${'y'.repeat(300)}`)).toHaveLength(255);
  });

  test('whatever comes in, the result is short, visible, plain and clean already', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const clean = cleanFileName(name);
        expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(255);
        expect(clean).not.toMatch(/[/\\\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
        expect(['', '.', '..']).not.toContain(clean);
        expect(clean.isWellFormed()).toBe(true);
        expect(cleanFileName(clean)).toBe(clean);
      }),
      { numRuns: 2000 },
    );
  });
});
