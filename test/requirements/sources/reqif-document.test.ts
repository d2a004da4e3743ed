// The XML around ReqIF's content: namespaces, encodings, DOCTYPE, what does not belong.
import { describe, expect, test } from 'bun:test';
import type { SourceResult } from '../../../src/requirements/sources/model.ts';
import { readReqif } from '../../../src/requirements/sources/reqif.ts';
import {
  definition,
  OBJECT_TYPE,
  object,
  place,
  readSmallReqif,
  relation,
  reqifFile,
  reqifText,
  specification,
  value,
} from '../../support/reqif-documents.ts';
import { filesOf } from '../../support/source-files.ts';

function itemOf(result: SourceResult, id: string) {
  const item = result.items.find((each) => each.id === id);
  if (item === undefined) throw new Error(`no item ${id}`);
  return item;
}

function codes(result: SourceResult): string[] {
  return result.findings.map(({ code, line }) => `${code}:${line}`);
}

describe('the document around [PQRS-9]', () => {
  test('the namespace of the drafts', () => {
    const result = readSmallReqif(
      reqifFile({ namespace: 'http://www.omg.org/spec/ReqIF/20101201', objects: object('o1') }),
    );
    expect(result.items).toHaveLength(1);
  });

  test('DOCTYPE and entities: noted, never expanded [PQRS-15]', () => {
    const prolog =
      '<?xml version="1.0"?>\n<!DOCTYPE REQ-IF [\n<!ENTITY a "AAAA"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">\n]>\n';
    const objects = object('o', value('XHTML', 'text', '<xhtml:p>&b;&x;</xhtml:p>'));
    const result = readSmallReqif(
      reqifFile({ prolog, objects, specifications: specification('S', place('o')) }),
    );
    expect(itemOf(result, 'o').statement).toBe('&b;&x;');
    expect(codes(result)).toEqual(['doctype:4', 'entity_not_expanded:9']);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });

  test('what does not belong is skipped and named once', () => {
    const result = readSmallReqif(
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
    ['REQ-IF', '<REQ-IF', 'unknown_attribute'],
    ['CORE-CONTENT', '<CORE-CONTENT', 'unknown_attribute'],
    ['SPEC-OBJECTS', '<SPEC-OBJECTS', 'unknown_attribute'],
    ['REQ-IF-HEADER', '<REQ-IF-HEADER', 'unknown_attribute'],
    ['TITLE', '<TITLE', 'unknown_attribute'],
    ['SPEC-OBJECT', '<SPEC-OBJECT IDENTIFIER="o"', 'unknown_attribute'],
    ['SPEC-OBJECT-TYPE-REF', '</VALUES><TYPE><SPEC-OBJECT-TYPE-REF', 'unknown_attribute'],
    ['SPEC-HIERARCHY', '<SPEC-HIERARCHY', 'unknown_attribute'],
    ['ATTRIBUTE-VALUE-XHTML', '<ATTRIBUTE-VALUE-XHTML', 'unknown_attribute'],
    ['THE-VALUE', '<THE-VALUE', 'unknown_attribute'],
    ['div', '<xhtml:div', 'unread_details'],
    ['br', '<xhtml:br', 'unread_details'],
  ])('an attribute with a prefix of <%s> is told by its name', (name, tag, code) => {
    const text = reqifText({
      objects: object('o', value('XHTML', 'text', '<xhtml:div>a<xhtml:br/>b</xhtml:div>')),
      specifications: specification('S', place('o')),
    }).replace(
      '<CORE-CONTENT>',
      '<THE-HEADER><REQ-IF-HEADER><TITLE>t</TITLE></REQ-IF-HEADER></THE-HEADER><CORE-CONTENT>',
    );
    const read = (more: string) => readSmallReqif(filesOf({ 'a.reqif': text.replace(tag, more) }));
    const { findings } = read(`${tag} xmlns:t="urn:t" t:status="x"`);
    expect(findings.map((each) => each.code)).toEqual([code as never]);
    expect(findings[0]?.detail).toContain(`t:status of <${name}>`);
    const schema = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b"';
    expect(read(`${tag} ${schema}`).findings).toEqual([]);
  });

  test('attributes of the prefix xml: the language of the root is read', () => {
    const text = reqifText({ objects: object('o'), specifications: specification('S', place('o')) })
      .replace('<REQ-IF', '<REQ-IF xml:lang="de" xml:space="preserve"')
      .replace('<SPEC-OBJECT ', '<SPEC-OBJECT xml:lang="fr" xml:space="preserve" ');
    const { items, findings } = readSmallReqif(filesOf({ 'a.reqif': text }));
    expect(items[0]?.attributes['reqif:header:lang']).toBe('de');
    expect(findings.map(({ code, detail }) => [code, detail])).toEqual([
      [
        'unknown_attribute',
        'The attribute xml:lang of <SPEC-OBJECT> does not belong there in ReqIF (once, first here); it was not read.',
      ],
    ]);
  });

  test('a tool extension of which only attributes say something', () => {
    const extensions =
      '<TOOL-EXTENSIONS><REQ-IF-TOOL-EXTENSION xmlns:t="urn:t" t:x="1"/></TOOL-EXTENSIONS>';
    const { findings } = readSmallReqif(
      reqifFile({
        objects: object('o'),
        specifications: specification('S', place('o')),
        extensions,
      }),
    );
    expect(findings.map(({ code }) => code)).toEqual(['tool_extension_ignored']);
  });

  describe('what stands there again is told with its line', () => {
    const [id, other] = [value('STRING', 'id', 'A'), value('STRING', 'chapter', 'B')];
    const plain = object('o', id + other);
    const withText = object('o', id + other + value('XHTML', 'text', 'a'));
    const spec = specification('S', place('o'));
    const type = '<TYPE><SPEC-OBJECT-TYPE-REF>X</SPEC-OBJECT-TYPE-REF></TYPE>';
    const kept = (objects: string, specifications = spec) => {
      const result = readSmallReqif(reqifFile({ objects, specifications }));
      const told = result.findings.map(({ code, line }) => `${code} ${line}`);
      const { title, statement } = itemOf(result, 'A');
      return [told.join(), result.statuses.get('a.reqif'), title, statement];
    };

    test.each<[string, string, string, string, number, string]>([
      ['an empty VALUES', plain, '<VALUES>', '<VALUES/>\n<VALUES>', 7, 'parsed'],
      ['two VALUES', plain, other, `</VALUES>\n<VALUES>${other}`, 7, 'parsed'],
      ['two TYPEs', plain, '</TYPE>', `</TYPE>\n${type}`, 7, 'partial'],
      ['an empty TYPE', plain, '<TYPE>', '<TYPE/>\n<TYPE>', 6, 'partial'],
      ['two in one TYPE', plain, '</TYPE>', '\n<X-REF>x</X-REF></TYPE>', 7, 'partial'],
      [
        'two texts',
        withText,
        '</THE-VALUE>',
        '</THE-VALUE>\n<THE-VALUE>b</THE-VALUE>',
        7,
        'partial',
      ],
      ['an empty text', withText, '<THE-VALUE>', '<THE-VALUE/>\n<THE-VALUE>', 6, 'partial'],
    ])('%s', (_name, objects, before, after, line, status) => {
      expect(kept(objects.replace(before, after))).toEqual([
        ...[`repeated_element ${line}`, status, 'B', objects === plain ? '' : 'a'],
      ]);
    });

    test('of places and relations', () => {
      const children = spec.replace('<CHILDREN>', '<CHILDREN/>\n<CHILDREN>');
      expect(kept(plain, children)).toEqual(['repeated_element 10', 'parsed', 'B', '']);
      const places = spec.replace('</OBJECT>', '</OBJECT>\n<OBJECT><X-REF>x</X-REF></OBJECT>');
      expect(kept(plain, places)).toEqual(['repeated_element 11', 'partial', 'B', '']);
      const target = '<TARGET><SPEC-OBJECT-REF>x</SPEC-OBJECT-REF></TARGET>';
      const relations = relation('r', 'RT', 'o', 'o').replace('</TARGET>', `</TARGET>\n${target}`);
      const parts = { objects: plain, specifications: spec, relations };
      const { findings, links } = readSmallReqif(reqifFile(parts));
      expect(links.map(({ from, to }) => [from, to])).toEqual([['A', 'A']]);
      const told = findings.filter(({ code }) => code === 'repeated_element');
      expect(told.map(({ line }) => line)).toEqual([9]);
    });
  });

  test.each([
    ['in a type', '<SPEC-ATTRIBUTES>', '<xhtml:p/>', 'unknown_element'],
    ['among attributes', '<SPEC-ATTRIBUTES>', '<ATTRIBUTE-VALUE-STRING/>', 'unknown_element'],
    ['in an attribute', '</TYPE>', '<FOO/>', 'unknown_element'],
    ['among values', '<SPECIFIED-VALUES>', '<ATTRIBUTE-VALUE-STRING/>', 'unknown_element'],
    ['in a value', '<PROPERTIES>', '<FOO/>', 'unknown_element'],
    ['in the tag of a type', '<SPEC-OBJECT-TYPE', ' FOO="x"', 'unknown_attribute'],
  ])('what does not belong %s is named once', (_where, after, put, code) => {
    const one =
      '<ENUM-VALUE IDENTIFIER="v"><PROPERTIES><EMBEDDED-VALUE KEY="1"/></PROPERTIES></ENUM-VALUE>';
    const text = reqifText({ objects: object('o', value('STRING', 'id', 'A')) }).replace(
      '<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="d-ENUMERATION"/>',
      `<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="e"><SPECIFIED-VALUES>${one}</SPECIFIED-VALUES></DATATYPE-DEFINITION-ENUMERATION>`,
    );
    const unknown = (whole: string) =>
      readSmallReqif(filesOf({ 'a.reqif': whole })).findings.filter((each) =>
        /unknown/.test(each.code),
      );
    expect(unknown(text)).toEqual([]);
    const found: string[] = unknown(text.replace(after, after + put)).map((each) => each.code);
    expect(found).toEqual([code]);
  });

  describe('what does not belong inside an item is named once', () => {
    const withIn = (text: string, after: string, put: string) => text.replace(after, after + put);
    const plain = object('o', value('STRING', 'id', 'A'));
    const spec = specification('S', place('o'));
    test.each<[string, string, string, string[]]>([
      ['elements', withIn(plain, '"o">', '<FOO>x</FOO><FOO/>'), spec, ['unknown_element 6 <FOO>']],
      [
        'those of others',
        withIn(plain, '"o">', '<y xmlns="urn:x"/>'),
        spec,
        ['unknown_element 6 <y>'],
      ],
      [
        'those among values',
        withIn(plain, '<VALUES>', '<FOO/>'),
        spec,
        ['unknown_element 6 <FOO>'],
      ],
      [
        'those in a value',
        withIn(plain, '</DEFINITION>', '<FOO/>'),
        spec,
        ['unknown_element 6 <FOO>'],
      ],
      [
        'attributes',
        plain.replace('"o">', '"o" BAR="x">'),
        spec,
        ['unknown_attribute 6 BAR of <SPEC-OBJECT>'],
      ],
      [
        'those of values',
        plain.replace('THE-VALUE=', 'BAR="" THE-VALUE='),
        spec,
        ['unknown_attribute 6 BAR of <ATTRIBUTE-VALUE-STRING>'],
      ],
      ['text', withIn(plain, '"o">', 'x'), spec, ['stray_text 6 in <SPEC-OBJECT>']],
      [
        'text beside a reference',
        withIn(plain, '<DEFINITION>', 'x'),
        spec,
        ['stray_text 6 in <DEFINITION>'],
      ],
      ['text between items', `${plain}\n\nx\n`, spec, ['stray_text 8 in <SPEC-OBJECTS>']],
      [
        'elements of a specification',
        plain,
        withIn(spec, 'LONG-NAME="S">', '<QUX/>'),
        ['unknown_element 9 <QUX>'],
      ],
      [
        'those of a place',
        plain,
        withIn(spec, '</OBJECT>', '<QUX/>'),
        ['unknown_element 10 <QUX>'],
      ],
      [
        'all that the schema knows',
        `\n<SPEC-OBJECT IDENTIFIER="o" DESC="" LAST-CHANGE="" LONG-NAME=""><ALTERNATIVE-ID><ALTERNATIVE-ID IDENTIFIER="x"/></ALTERNATIVE-ID><VALUES><ATTRIBUTE-VALUE-XHTML IS-SIMPLIFIED=""><DEFINITION><ATTRIBUTE-DEFINITION-XHTML-REF>text</ATTRIBUTE-DEFINITION-XHTML-REF></DEFINITION><THE-VALUE><xhtml:div z="">x</xhtml:div></THE-VALUE><THE-ORIGINAL-VALUE><xhtml:object/></THE-ORIGINAL-VALUE></ATTRIBUTE-VALUE-XHTML></VALUES><TYPE><SPEC-OBJECT-TYPE-REF>T</SPEC-OBJECT-TYPE-REF></TYPE></SPEC-OBJECT>`,
        withIn(spec, '</OBJECT>', '<EDITABLE-ATTS/>').replace(
          '<SPEC-HIERARCHY',
          '<SPEC-HIERARCHY IS-EDITABLE="" IS-TABLE-INTERNAL="false"',
        ),
        [],
      ],
      [
        'those beside a reference, which is read',
        withIn(plain, '<TYPE>', '<FOO/>').replace('<DEFINITION>', '<DEFINITION><FOO/>'),
        withIn(spec, '<OBJECT>', '<QUX/>'),
        ['unknown_element 6 <FOO>', 'unknown_element 10 <QUX>'],
      ],
      [
        'those in a reference',
        plain,
        withIn(spec, '<SPEC-OBJECT-REF>', '<QUX/>'),
        ['unknown_element 10 <QUX>'],
      ],
    ])('%s', (_name, objects, specifications, expected) => {
      const { findings, statuses } = readSmallReqif(reqifFile({ objects, specifications }));
      const shown = findings.map(
        ({ code, line, detail }) =>
          `${code} ${line} ${/<\w+>|\S+ (?:of )?<[A-Z-]+>/.exec(detail)?.[0]}`,
      );
      expect(shown).toEqual(expected);
      expect([...statuses.values()]).toEqual([expected.length > 0 ? 'partial' : 'parsed']);
    });

    test('one among the values of an enumeration is none of them', () => {
      const refs = '<ENUM-VALUE-REF>v</ENUM-VALUE-REF><FOO>w</FOO>';
      const chosen = value('ENUMERATION', 'e', '').replace(
        '</DEFINITION>',
        `</DEFINITION><VALUES>${refs}</VALUES>`,
      );
      const { items, findings } = readSmallReqif(
        reqifFile({ objects: object('o', chosen), specifications: spec }),
      );
      expect(items.find(({ id }) => id === 'o')?.attributes.e).toBe('v');
      expect(findings.map(({ code }) => code)).toContain('unknown_element');
    });

    test('text in types and datatypes', () => {
      const [file] = reqifFile({ objects: plain, specifications: spec });
      const text = new TextDecoder()
        .decode(file?.bytes)
        .replaceAll('<SPEC-ATTRIBUTES>', '<SPEC-ATTRIBUTES>x')
        .replace(/<(DATATYPE-DEFINITION-STRING)([^>]*)\/>/, '<$1$2>x</$1>');
      const { findings } = readSmallReqif(filesOf({ 'a.reqif': text }));
      expect(findings.map(({ detail }) => /<[A-Z-]+>/.exec(detail)?.[0])).toEqual([
        '<DATATYPE-DEFINITION-STRING>',
        '<SPEC-ATTRIBUTES>',
      ]);
    });

    test('however often it is there, and a bounded number of names', () => {
      const odd = (count: number, name: (at: number) => string) =>
        Array.from({ length: count }, (_, at) =>
          object(`o${at}`).replace('<VALUES>', `<${name(at)}/><VALUES>`),
        ).join('');
      const same = readSmallReqif(reqifFile({ objects: odd(1000, () => 'FOO') }));
      const unknown = same.findings.filter(({ code }) => code === 'unknown_element');
      expect(unknown.map(({ detail }) => detail)).toEqual([
        '<FOO> does not belong here in ReqIF (1000 times, first here); it was not read.',
      ]);
      const many = readSmallReqif(reqifFile({ objects: odd(1000, (at) => `F${at}`) }));
      expect(many.findings.filter(({ code }) => code === 'unknown_element')).toHaveLength(201);
    });
  });

  const HEADER =
    '<THE-HEADER><REQ-IF-HEADER IDENTIFIER="h">\n<TITLE>Brakes</TITLE><COMMENT>Draft</COMMENT><SOURCE-TOOL-ID/></REQ-IF-HEADER></THE-HEADER>\n';
  const headed = (header: string, specifications = '') =>
    reqifText({ objects: object('o'), specifications }).replace('<CORE-CONTENT>', `${header}$&`);

  test.each<[string, string, string, number]>([
    ['objects', headed(HEADER), 'the header: TITLE, COMMENT (once)', 3],
    ['types', reqifText({}).replace('<CORE-CONTENT>', `${HEADER}$&`), 'header: TITLE, COMMENT', 3],
    ['a language', headed('').replace('<REQ-IF', '$& xml:lang="de"'), 'the header: lang', 2],
  ])('the header of a document of %s alone is told', (_name, text, says, line) => {
    const { findings } = readSmallReqif(filesOf({ 'a.reqif': text }));
    const told = findings.filter(({ code }) => code === 'unread_details');
    expect(told).toMatchObject([{ severity: 'info', line, detail: expect.stringContaining(says) }]);
  });

  test('of two headers the first is read, and the other told', () => {
    const again = HEADER.replace('Brakes', 'Doors').replace('<THE-HEADER>', '\n$&');
    const spec = specification('S', place('o'));
    const text = headed(HEADER + again, spec).replace('<REQ-IF', '$& xml:lang="de"');
    const result = readSmallReqif(filesOf({ 'a.reqif': text }));
    expect(itemOf(result, 'S').attributes).toMatchObject({
      'reqif:header:TITLE': 'Brakes',
      'reqif:header:lang': 'de',
    });
    expect(codes(result)).toEqual(['repeated_element:6']);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });

  test.each([
    ...['REQ-IF', 'THE-HEADER', 'REQ-IF-HEADER', 'TITLE', 'CORE-CONTENT', 'REQ-IF-CONTENT'],
    ...['DATATYPES', 'SPEC-TYPES', 'SPEC-OBJECTS', 'TYPE', 'SPEC-OBJECT-TYPE-REF', 'DEFINITION'],
    ...['OBJECT', 'SPEC-OBJECT-REF', 'THE-VALUE', 'ALTERNATIVE-ID'],
  ])('an attribute that does not belong to <%s> is told', (name) => {
    const alternative = '<ALTERNATIVE-ID><ALTERNATIVE-ID IDENTIFIER="x"/></ALTERNATIVE-ID>';
    const whole = object('o', value('XHTML', 'text', 'a')).replace('<VALUES>', `${alternative}$&`);
    const text = reqifText({ objects: whole, specifications: specification('S', place('o')) })
      .replace('<CORE-CONTENT>', `${HEADER}$&`)
      .replace(new RegExp(`<${name}(?=[ >])`), '$& BAR="x"');
    const { findings, statuses } = readSmallReqif(filesOf({ 'a.reqif': text }));
    expect(findings.map(({ code, detail }) => [code, detail.split(' does')[0]])).toEqual([
      ['unknown_attribute', `The attribute BAR of <${name}>`],
    ]);
    expect([...statuses.values()]).toEqual(['partial']);
  });

  test('what types, datatypes and places say and nothing can keep is told once', () => {
    const text = reqifText({
      objects: object('o', value('STRING', 'id', 'A')),
      specifications: specification('S', place('o')),
    })
      .replace('<DATATYPE-DEFINITION-INTEGER', '<DATATYPE-DEFINITION-INTEGER MIN="1" MAX=""')
      .replaceAll(/<ATTRIBUTE-DEFINITION-STRING (?=IDENT)/g, '$&DESC="why" ')
      .replace('</OBJECT>', '</OBJECT><EDITABLE-ATTS><A-REF>a</A-REF></EDITABLE-ATTS>');
    const { findings, statuses } = readSmallReqif(filesOf({ 'a.reqif': text }));
    expect(findings).toMatchObject([
      {
        code: 'unread_details',
        severity: 'info',
        line: 3,
        detail:
          'This is not kept: MIN of datatypes (once), DESC of types (2 times), EDITABLE-ATTS of places (once).',
      },
    ]);
    expect(statuses.get('a.reqif')).toBe('parsed');
  });

  test('what enumerations, attributes, values and the document say beside is told too', () => {
    const keyed = (id: string, key: string, name: string) =>
      `<ENUM-VALUE IDENTIFIER="${id}"${name}><PROPERTIES><EMBEDDED-VALUE KEY="${key}"/></PROPERTIES></ENUM-VALUE>`;
    const values = keyed('v1', '4711', ' LONG-NAME="High"') + keyed('v2', '2', '');
    const text = reqifText({
      types: `${OBJECT_TYPE}<SPEC-RELATION-TYPE IDENTIFIER="R" LONG-NAME="r"><SPEC-ATTRIBUTES>${definition('ENUMERATION', 'e', 'E')}</SPEC-ATTRIBUTES></SPEC-RELATION-TYPE>`,
      objects: object('o', value('XHTML', 'text', '<xhtml:p>a<?in text?></xhtml:p>')),
      specifications: specification('S', place('o')),
    })
      .replace(
        '<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="d-ENUMERATION"/>',
        `<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="d-ENUMERATION"><SPECIFIED-VALUES>${values}</SPECIFIED-VALUES></DATATYPE-DEFINITION-ENUMERATION>`,
      )
      .replace('<ATTRIBUTE-DEFINITION-ENUMERATION', '$& MULTI-VALUED="true"')
      .replace('<ATTRIBUTE-VALUE-XHTML', '$& IS-SIMPLIFIED="true"')
      .replace('<REQ-IF', '<?xml-stylesheet href="a"?>$&')
      .replace(
        '<CORE-CONTENT>',
        '<THE-HEADER><REQ-IF-HEADER IDENTIFIER="h"/></THE-HEADER><CORE-CONTENT>',
      );
    const { findings } = readReqif(filesOf({ 'a.reqif': text }));
    const details = findings
      .filter(({ code }) => code.startsWith('unread'))
      .map(({ severity, line, detail }) => `${severity} ${line} ${detail}`);
    // The second value is called by its key.
    expect(details).toEqual([
      'info 2 This is not kept: KEY of datatypes (once), MULTI-VALUED of types (once), IS-SIMPLIFIED of values (once), processing instructions (2 times).',
      'info 3 What refers by them is read, but they are not kept: the IDENTIFIERs of headers (1), datatypes (9), types (6), places (1).',
    ]);
  });

  test('the IDENTIFIERs of what has a name, or needs none, are told by their number', () => {
    const text = reqifText({
      objects: object('o', value('STRING', 'id', 'A')),
      specifications: specification('S', place('o')),
      groups: '<RELATION-GROUP IDENTIFIER="G" LONG-NAME="g"/><RELATION-GROUP IDENTIFIER="H"/>',
    });
    const identifiers = (files: ReturnType<typeof filesOf>) =>
      readReqif(files)
        .findings.filter(({ code }) => code === 'unread_identifiers')
        .map(({ severity, line, detail }) => `${severity} ${line} ${detail}`);
    // The type of specifications and the second group are called by theirs.
    expect(identifiers(filesOf({ 'a.reqif': text }))).toEqual([
      'info 3 What refers by them is read, but they are not kept: the IDENTIFIERs of datatypes (7), ' +
        'types (4), places (1), relation groups (1).',
    ]);
  });

  test.each([
    '<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd"/>',
    '<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd"><CORE-CONTENT/></REQ-IF>',
  ])('without its content it is not read: %p', (text) => {
    const result = readSmallReqif([{ path: 'x.reqif', bytes: new TextEncoder().encode(text) }]);
    expect(result.findings).toMatchObject([
      {
        code: 'unparsed_source',
        severity: 'error',
        line: 1,
        detail: expect.stringContaining('CORE-CONTENT'),
      },
    ]);
    expect(result.statuses.get('x.reqif')).toBe('failed');
  });

  test('a document of types alone is read, and told of', () => {
    const result = readSmallReqif(reqifFile({}));
    expect(codes(result)).toEqual(['empty_document:1']);
    expect(result.statuses.get('a.reqif')).toBe('parsed');
  });

  test.each([
    ['<?xml version="1.0"?>\n<RIF xmlns="http://automotive-his.de/schema/rif"/>', 2, 'RIF'],
    ['<REQ-IF/>', 1, 'no namespace'],
    ['', 1, 'root element'],
    ['not XML', 1, 'text data outside of root'],
    ['<?xml version="1.0" encoding="EBCDIC"?><x/>', 1, 'EBCDIC'],
  ])('%p is not read', (text, line, says) => {
    const result = readSmallReqif([{ path: 'x.reqif', bytes: new TextEncoder().encode(text) }]);
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
    const result = readSmallReqif([{ path: 'a.reqif', bytes }]);
    expect(codes(result)).toEqual(findings);
    expect(itemOf(result, 'ö').statement).toBe('Übergröße');
  });

  test.each<[string, Uint8Array, string, string]>([
    ['UTF-8', new TextEncoder().encode(named('us-ascii')), 'UTF-8', 'parsed'],
    ['another encoding', latin(named('us-ascii')), 'WINDOWS-1252', 'partial'],
  ])('bytes of %s in what is declared as ASCII are told', (_, bytes, readAs, status) => {
    const result = readSmallReqif([{ path: 'a.reqif', bytes }]);
    expect(itemOf(result, 'ö').statement).toBe('Übergröße');
    expect(result.findings.map(({ code, line, detail }) => [code, line, detail])).toEqual([
      [
        ...['unexpected_encoding', 6],
        `The document declares the encoding us-ascii, which has no such bytes as the first of them here; all was read as ${readAs}.`,
      ],
    ]);
    expect(result.statuses.get('a.reqif')).toBe(status as never);
  });

  test('bytes that are not in the encoding, with their line', () => {
    const result = readSmallReqif([{ path: 'a.reqif', bytes: latin(named('UTF-8')) }]);
    expect(codes(result)).toEqual(['unparsed_source:6']);
  });
});
