// The XML around ReqIF's content: namespaces, encodings, DOCTYPE, what does not belong.
import { describe, expect, test } from 'bun:test';
import type { SourceResult } from '../../../src/requirements/sources/model.ts';
import { readReqif } from '../../../src/requirements/sources/reqif.ts';
import {
  object,
  place,
  reqifFile,
  reqifText,
  specification,
  value,
} from '../../support/reqif-documents.ts';

function itemOf(result: SourceResult, id: string) {
  const item = result.items.find((each) => each.id === id);
  if (item === undefined) throw new Error(`no item ${id}`);
  return item;
}

function codes(result: SourceResult): string[] {
  return result.findings.map(({ code, line }) => `${code}:${line}`);
}

describe('the document around', () => {
  test('the namespace of the drafts', () => {
    const result = readReqif(
      reqifFile({ namespace: 'http://www.omg.org/spec/ReqIF/20101201', objects: object('o1') }),
    );
    expect(result.items).toHaveLength(1);
  });

  test('DOCTYPE and entities: noted, never expanded [PQRS-15]', () => {
    const prolog =
      '<?xml version="1.0"?>\n<!DOCTYPE REQ-IF [\n<!ENTITY a "AAAA"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">\n]>\n';
    const objects = object('o', value('XHTML', 'text', '<xhtml:p>&b;&x;</xhtml:p>'));
    const result = readReqif(
      reqifFile({ prolog, objects, specifications: specification('S', place('o')) }),
    );
    expect(itemOf(result, 'o').statement).toBe('&b;&x;');
    expect(codes(result)).toEqual(['doctype:4', 'entity_not_expanded:9']);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });

  test('what does not belong is skipped and named once', () => {
    const result = readReqif(
      reqifFile({
        objects: `<OTHER/><OTHER/>${object('o')}<x:y xmlns:x="urn:x"><x:z/></x:y>`,
        specifications: specification('S', place('o')),
        extensions:
          '<TOOL-EXTENSIONS><REQ-IF-TOOL-EXTENSION/><REQ-IF-TOOL-EXTENSION><a:b xmlns:a="urn:a"/></REQ-IF-TOOL-EXTENSION></TOOL-EXTENSIONS>',
      }),
    );
    expect(result.items).toHaveLength(2);
    expect(result.findings.map(({ code, detail }) => [code, detail.split(' ')[0]])).toEqual([
      ['unknown_element', '<OTHER>'],
      ['unknown_element', '<x:y>'],
      ['tool_extension_ignored', 'Tool'],
    ]);
  });

  test.each([
    ['<?xml version="1.0"?>\n<RIF xmlns="http://automotive-his.de/schema/rif"/>', 2, 'RIF'],
    ['<REQ-IF/>', 1, 'no namespace'],
    ['', 1, 'root element'],
    ['not XML', 1, 'text data outside of root'],
    ['<?xml version="1.0" encoding="EBCDIC"?><x/>', 1, 'EBCDIC'],
  ])('%p is not read', (text, line, says) => {
    const result = readReqif([{ path: 'x.reqif', bytes: new TextEncoder().encode(text) }]);
    expect(result.findings).toMatchObject([{ code: 'unparsed_source', severity: 'error', line }]);
    expect(result.findings[0]?.detail).toContain(says);
    expect(result.statuses.get('x.reqif')).toBe('failed');
  });

  const accented = reqifText({
    prolog: '<?xml version="1.0" encoding="ENCODING"?>\n',
    objects: object('ö', value('XHTML', 'text', '<xhtml:p>Übergröße</xhtml:p>')),
    specifications: specification('S', place('ö')),
  });
  const latin = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
  const utf16 = (text: string, bigEndian: boolean, mark: boolean) => {
    const bytes = new Uint8Array((text.length + 1) * 2);
    const view = new DataView(bytes.buffer);
    [...`\ufeff${text}`].forEach((char, at) => {
      view.setUint16(at * 2, char.charCodeAt(0), !bigEndian);
    });
    return mark ? bytes : bytes.subarray(2);
  };
  const named = (encoding: string) => accented.replace('ENCODING', encoding);
  test.each<[string, Uint8Array, string[]]>([
    ['UTF-8', new TextEncoder().encode(named('UTF-8')), []],
    ['UTF-8 with a mark', new TextEncoder().encode(`\ufeff${named('UTF-8')}`), []],
    ['ISO-8859-1', latin(named('ISO-8859-1')), ['unexpected_encoding:1']],
    ['UTF-16LE with a mark', utf16(named('UTF-16'), false, true), []],
    ['UTF-16BE with a mark', utf16(named('UTF-16'), true, true), []],
    ['UTF-16LE', utf16(named('UTF-16'), false, false), []],
    ['UTF-16BE', utf16(named('UTF-16'), true, false), []],
  ])('encoding %s', (_, bytes, findings) => {
    const result = readReqif([{ path: 'a.reqif', bytes }]);
    expect(codes(result)).toEqual(findings);
    expect(itemOf(result, 'ö').statement).toBe('Übergröße');
  });

  test('bytes that are not in the encoding, with their line', () => {
    const result = readReqif([{ path: 'a.reqif', bytes: latin(named('UTF-8')) }]);
    expect(codes(result)).toEqual(['unparsed_source:6']);
  });
});
