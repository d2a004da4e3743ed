// `.reqifz`: archives of ReqIF documents, whole, damaged and hostile.
import { describe, expect, test } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import { ARCHIVE_LIMITS } from '../../../src/requirements/sources/reqif/archive.ts';
import { readReqif } from '../../../src/requirements/sources/reqif/reader.ts';
import { readSources } from '../../support/read-sources.ts';
import {
  object,
  place,
  readSmallReqif,
  reqifText,
  specification,
} from '../../support/reqif-documents.ts';

const DOCUMENT = strToU8(
  reqifText({ objects: object('o1'), specifications: specification('S', place('o1')) }),
);

function read(bytes: Uint8Array) {
  const result = readSmallReqif([{ path: 'a.reqifz', bytes }]);
  return { ...result, status: result.statuses.get('a.reqifz') };
}

/** What is said of attachments, which is of no weight. */
function attachments(bytes: Uint8Array): string[] {
  const { findings } = readReqif([{ path: 'a.reqifz', bytes }]);
  return findings.map(({ detail }) => detail).filter((detail) => detail.includes('attachment'));
}

function patched(bytes: Uint8Array, signature: number, offset: number, size: number, said: number) {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  for (let at = 0; at + 4 <= copy.length; at += 1) {
    if (view.getUint32(at, true) !== signature) continue;
    if (size === 2) view.setUint16(at + offset, said, true);
    else view.setUint32(at + offset, said, true);
  }
  return copy;
}
const CENTRAL = 0x02014b50;

describe('a whole archive [PQRS-9]', () => {
  test('its documents are read, its attachments named', () => {
    const second = strToU8(
      reqifText({ objects: object('o2'), specifications: specification('S2', place('o1')) }),
    );
    const bytes = zipSync({
      'sub [1]/b.reqif': second,
      'a.REQIF': [DOCUMENT, { level: 0 }],
      'files/image.png': strToU8('png'),
      'files/': strToU8(''),
    });
    const result = read(bytes);
    expect(
      result.items.map(({ id, attributes, order, path }) => [
        id,
        attributes['reqif:file'],
        order,
        path,
      ]),
    ).toEqual([
      ['S', 'a.REQIF', 0, 'a.reqifz'],
      ['o1', 'a.REQIF', 1, 'a.reqifz'],
      ['S2', 'sub [1]/b.reqif', 2, 'a.reqifz'],
      ['o2', 'sub [1]/b.reqif', 3, 'a.reqifz'],
    ]);
    expect(result.findings.map(({ code }) => code).sort()).toEqual([
      'ambiguous_place',
      'ambiguous_place',
    ]);
    expect(attachments(bytes)).toEqual([expect.stringContaining('files/image.png')]);
    expect(result.status).toBe('parsed');
  });

  test.each([0, 6] as const)(
    'a document named .xml is known by how it begins, at level %p',
    (level) => {
      const bytes = zipSync(
        {
          'a.XML': DOCUMENT,
          'b.xml': strToU8('<svg>REQ-IF</svg>'),
          'c.xml': strToU8(`<!--${' '.repeat(70_000)}--><REQ-IF/>`),
        },
        { level },
      );
      const result = read(bytes);
      expect(result.items).toHaveLength(2);
      expect(attachments(bytes)).toEqual([expect.stringContaining('(2 times): b.xml')]);
    },
  );

  test('of an item in two documents, both are named', () => {
    const { findings } = readSources(
      [
        {
          path: 'a.reqifz',
          format: null,
          bytes: zipSync({ 'x/1.reqif': DOCUMENT, '2.reqif': DOCUMENT }),
        },
      ],
      [],
    );
    expect(
      findings.filter(({ code }) => code === 'duplicate_id').map(({ detail }) => detail),
    ).toEqual([
      expect.stringContaining('2.reqif: o1 stands here and again at a.reqifz!x/1.reqif:6'),
      expect.stringContaining('2.reqif: S stands here and again at a.reqifz!x/1.reqif:9'),
    ]);
  });

  test('a document among others that cannot be read fails the archive', () => {
    const result = read(zipSync({ 'a.reqif': DOCUMENT, 'b.reqif': strToU8('<REQ-IF') }));
    expect(result.items).toEqual([]);
    expect(result.status).toBe('failed');
    expect(result.findings).toMatchObject([
      { code: 'unparsed_source', line: 1, detail: expect.stringContaining('b.reqif') },
    ]);
  });

  test('an archive is known by its content, not by its name', () => {
    const result = readSmallReqif([{ path: 'a.reqif', bytes: zipSync({ 'b.reqif': DOCUMENT }) }]);
    expect(result.items).toHaveLength(2);
  });
});

describe('a hostile archive [PQRS-15]', () => {
  test.each(['../a.reqif', '/a.reqif', 'x/../../a.reqif', 'C:/a.reqif', 'x\\a.reqif', './a.reqif'])(
    'the name %p',
    (name) => {
      const result = read(zipSync({ [name]: DOCUMENT, 'good.reqif': DOCUMENT }));
      expect(result.findings).toMatchObject([{ code: 'not_kept', severity: 'warning' }]);
      expect(result.items).toHaveLength(2);
    },
  );

  test('too much for its size', () => {
    const zeros = new Uint8Array(8 * 1024 * 1024);
    const result = read(zipSync({ 'a.reqif': zeros }, { level: 9 }));
    expect(result.status).toBe('failed');
    expect(result.findings[0]?.detail).toContain('times its size');
  });

  test('more than it says', () => {
    const honest = zipSync({ 'a.reqif': new Uint8Array(8 * 1024 * 1024) }, { level: 9 });
    const result = read(patched(honest, CENTRAL, 24, 4, 100));
    expect(result.findings[0]?.detail).toContain('cannot be unpacked');
  });

  test('more than there may be, all together', () => {
    const bytes = patched(
      zipSync({ 'a.reqif': DOCUMENT }),
      CENTRAL,
      24,
      4,
      ARCHIVE_LIMITS.unpackedBytes + 1,
    );
    expect(read(bytes).findings[0]?.detail).toContain('unpacks to more than');
  });

  test('too many entries', () => {
    const entries = Object.fromEntries(
      Array.from({ length: ARCHIVE_LIMITS.entries + 1 }, (_, at) => [`${at}`, new Uint8Array()]),
    );
    expect(read(zipSync(entries, { level: 0 })).findings).toMatchObject([
      { code: 'unparsed_source', detail: expect.stringContaining('entries') },
    ]);
  });

  test.each([
    ['encrypted', 8, 2, 1, 'encrypted'],
    ['compressed in another way', 10, 2, 12, 'compression 12'],
    ['with a wrong checksum', 16, 4, 1, 'checksum'],
    ['with another size', 24, 4, 5000, 'size'],
    ['elsewhere', 42, 4, 3, 'not where'],
    ['cut off', 20, 4, 1_000_000, 'cut off'],
  ])('an entry that is %s', (_, offset, size, said, says) => {
    const result = read(patched(zipSync({ 'a.reqif': DOCUMENT }), CENTRAL, offset, size, said));
    expect(result.status).toBe('failed');
    expect(result.findings[0]?.detail).toContain(says);
  });

  test('one name twice', () => {
    const bytes = zipSync({ 'a.reqif': DOCUMENT, 'b.reqif': DOCUMENT });
    for (let at = 0; at < bytes.length - 7; at += 1) {
      if (String.fromCharCode(...bytes.subarray(at, at + 7)) === 'b.reqif') bytes[at] = 0x61;
    }
    const result = read(bytes);
    expect(result.items).toHaveLength(2);
    expect(result.findings).toMatchObject([{ code: 'not_kept' }]);
  });

  test('without a document, empty, or ZIP64', () => {
    const plain = zipSync({ 'a.txt': strToU8('a') });
    expect(read(plain).findings.map(({ code }) => code)).toEqual(['unparsed_source']);
    expect(read(zipSync({})).status).toBe('failed');
    expect(read(patched(plain, 0x06054b50, 10, 2, 0xffff)).findings[0]?.detail).toContain('ZIP64');
    expect(read(patched(plain, 0x06054b50, 10, 2, 3)).findings[0]?.detail).toContain('damaged');
  });

  test('cut off at any byte: never more than was in it, and always said', () => {
    const whole = zipSync({ 'a.reqif': DOCUMENT });
    for (let end = 4; end < whole.length; end += 1) {
      const result = read(whole.subarray(0, end));
      expect(result.status).toBe('failed');
      expect(result.findings.some(({ code }) => code === 'unparsed_source')).toBe(true);
    }
  });

  test('any byte changed: nothing is thrown', () => {
    const whole = zipSync({ 'a.reqif': DOCUMENT });
    for (let at = 0; at < whole.length; at += 1) {
      const changed = whole.slice();
      changed[at] = (changed[at] as number) ^ 0x55;
      const result = read(changed);
      expect(result.items.length > 0 || result.findings.length > 0).toBe(true);
    }
  });
});
