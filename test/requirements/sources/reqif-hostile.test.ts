// ReqIF that is cut off, random, endless or deep ends soon, and says so.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { XML_LIMITS } from '../../../src/requirements/sources/tree/xml.ts';
import {
  object,
  place,
  readSmallReqif,
  reqifFile,
  reqifText,
  specification,
  value,
} from '../../support/reqif-documents.ts';

const FIXTURE = join(import.meta.dir, '..', '..', 'fixtures', 'reqif', 'brakes.reqif');

/** Reads all beginnings of a document, each `step` bytes longer than the one before. */
function cutEverywhere(whole: Uint8Array, step: number): void {
  const end = whole.lastIndexOf(0x3e) + 1;
  let line = 1;
  for (let at = 0; at < end; at += 1) {
    if (at % step === 0) {
      const result = readSmallReqif([{ path: 'a.reqif', bytes: whole.subarray(0, at) }]);
      expect(result.statuses.get('a.reqif')).toBe('failed');
      expect(result.items).toEqual([]);
      expect(result.findings).toMatchObject([{ code: 'unparsed_source', line }]);
    }
    if (whole[at] === 0x0a) line += 1;
  }
}

test('cut off at any byte: the line where it ends [PQRS-15]', () => {
  const small = reqifText({
    objects: object('ö', value('XHTML', 'text', '<xhtml:p>&lt;ü<![CDATA[x]]><!-- y --></xhtml:p>')),
    specifications: specification('S', place('ö')),
  });
  cutEverywhere(new TextEncoder().encode(small), 1);
  cutEverywhere(new Uint8Array(readFileSync(FIXTURE)), 23);
});

test('random bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const result = readSmallReqif([{ path: 'a.reqif', bytes }]);
      expect(result.statuses.get('a.reqif')).toBe('failed');
      expect(result.findings.length).toBeGreaterThan(0);
    }),
  );
});

test('a document with anything changed in it', () => {
  const text = readFileSync(FIXTURE, 'latin1');
  fc.assert(
    fc.property(
      fc.nat(text.length - 1),
      fc.nat(20),
      fc.string({ maxLength: 8 }),
      (at, cut, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + cut);
        const bytes = new TextEncoder().encode(changed);
        const result = readSmallReqif([{ path: 'a.reqif', bytes }]);
        expect(result).toEqual(readSmallReqif([{ path: 'a.reqif', bytes }]));
        const lines = changed.split('\n').length;
        for (const { line } of [...result.items, ...result.findings, ...result.links]) {
          expect(line).toBeGreaterThanOrEqual(0);
          expect(line).toBeLessThanOrEqual(lines);
        }
        const ids = new Set(result.items.map(({ id }) => id));
        for (const { parentId } of result.items) {
          if (parentId !== null) expect(ids.has(parentId)).toBe(true);
        }
      },
    ),
    { numRuns: 300 },
  );
});

describe('size and depth [PQRS-15]', () => {
  test('elements nested too deep', () => {
    const deep = '<xhtml:b>'.repeat(100_000);
    const result = readSmallReqif(
      reqifFile({ objects: object('o', value('XHTML', 'text', deep)) }),
    );
    expect(result.findings).toMatchObject([
      { code: 'unparsed_source', line: 6, detail: expect.stringContaining('deep') },
    ]);
  });

  test('a hierarchy as deep as may be', () => {
    const levels = Math.floor((XML_LIMITS.depth - 8) / 2);
    const objects = Array.from({ length: levels }, (_, at) => object(`o${at}`)).join('');
    let nested = place(`o${levels - 1}`);
    for (let at = levels - 2; at >= 0; at -= 1) nested = place(`o${at}`, nested);
    const result = readSmallReqif(
      reqifFile({ objects, specifications: specification('S', nested) }),
    );
    expect(result.findings).toEqual([]);
    expect(result.items.at(-1)?.parentId).toBe(`o${levels - 2}`);
  });

  test('entities that would expand to billions', () => {
    const entities = Array.from(
      { length: 10 },
      (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`,
    );
    const result = readSmallReqif(
      reqifFile({
        prolog: `<?xml version="1.0"?><!DOCTYPE REQ-IF [<!ENTITY e0 "x">${entities.join('')}]>`,
        objects: object('o', value('XHTML', 'text', '&e10;')),
      }),
    );
    expect(result.items[0]?.statement).toBe('&e10;');
  });

  test('very many elements in one value', () => {
    const many = '<xhtml:b/>'.repeat(XML_LIMITS.recordElements + 1);
    const result = readSmallReqif(
      reqifFile({ objects: object('o', value('XHTML', 'text', many)) }),
    );
    expect(result.findings).toMatchObject([{ code: 'unparsed_source' }]);
  }, 30_000);

  test('very many objects', () => {
    const objects = '<SPEC-OBJECT/>'.repeat(XML_LIMITS.records);
    const result = readSmallReqif(reqifFile({ objects }));
    expect(result.findings).toMatchObject([
      { code: 'unparsed_source', detail: expect.stringContaining('records') },
    ]);
  }, 30_000);

  test.each<[string, (count: number) => string]>([
    ['values of one attribute', (n) => object('o', value('STRING', 'id', 'x').repeat(n))],
    [
      'objects of one ForeignID',
      (n) =>
        Array.from({ length: n }, (_, at) => object(`o${at}`, value('STRING', 'id', 'x'))).join(''),
    ],
    ['objects of one IDENTIFIER', (n) => object('o', value('STRING', 'id', 'x')).repeat(n)],
    [
      'white space',
      (n) => object('o', value('XHTML', 'text', `<xhtml:pre>${' \t'.repeat(n * 10)}</xhtml:pre>`)),
    ],
    [
      'nested tables',
      (n) =>
        object(
          'o',
          value(
            'XHTML',
            'text',
            `${'<xhtml:table><xhtml:tr><xhtml:td>x'.repeat(100)}${'y '.repeat(n * 10)}${'</xhtml:td></xhtml:tr></xhtml:table>'.repeat(100)}`,
          ),
        ),
    ],
  ])(
    'time grows with size: %s',
    (_, objects) => {
      const bytes = new TextEncoder().encode(reqifText({ objects: objects(20_000) }));
      const result = readSmallReqif([{ path: 'a.reqif', bytes }]);
      expect(result.items.length).toBeGreaterThan(0);
      expect(result.findings.length).toBeLessThan(1000);
    },
    30_000,
  );

  test('25,000 objects in one file', () => {
    const count = 25_000;
    const objects = Array.from({ length: count }, (_, at) =>
      object(`o${at}`, value('STRING', 'id', `R-${at}`)),
    ).join('');
    const places = Array.from({ length: count }, (_, at) => place(`o${at}`));
    const bytes = new TextEncoder().encode(
      reqifText({ objects, specifications: specification('S', ...places) }),
    );
    const result = readSmallReqif([{ path: 'a.reqif', bytes }]);
    expect(result.items).toHaveLength(count + 1);
    expect(result.findings).toEqual([]);
  }, 30_000);
});
