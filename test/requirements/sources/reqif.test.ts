// Objects of ReqIF as items: their ids, values and meaning.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idFault } from '../../../src/requirements/sources/item-ids.ts';
import type {
  ReaderOptions,
  SourceFile,
  SourceResult,
} from '../../../src/requirements/sources/model.ts';
import { readReqif } from '../../../src/requirements/sources/reqif/reader.ts';
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

const FIXTURE = join(import.meta.dir, '..', '..', 'fixtures', 'reqif', 'brakes.reqif');

function itemOf(result: SourceResult, id: string) {
  const item = result.items.find((each) => each.id === id);
  if (item === undefined) throw new Error(`no item ${id}`);
  return item;
}

function codes(result: SourceResult): string[] {
  return result.findings.map(({ code, line }) => `${code}:${line}`);
}

describe('a document with everything in it, in an unusual order [PQRS-9]', () => {
  const result = readReqif([
    { path: 'brakes.reqif', bytes: new Uint8Array(readFileSync(FIXTURE)) },
  ]);

  test('is read but for what few tools write', () => {
    expect(result.statuses.get('brakes.reqif')).toBe('partial');
    const lost = result.findings.filter(({ severity }) => severity === 'warning');
    expect(lost.map(({ code, detail }) => [code, detail.split(': ')[1]])).toEqual([
      ['not_kept', 'SPEC-OBJECT/ALTERNATIVE-ID'],
    ]);
  });

  test('items in the order of the hierarchy', () => {
    expect(
      result.items.map(({ id, kind, parentId, line, order }) => [id, kind, parentId, line, order]),
    ).toEqual([
      ['s-1', 'document', null, 66, 0],
      ['o-chapter', 'section', 's-1', 15, 1],
      ['o-story', 'story', 'o-chapter', 58, 2],
      ['BRK-1', 'requirement', 'o-chapter', 24, 3],
      ['o-lost', 'requirement', null, 61, 4],
    ]);
    expect(itemOf(result, 'o-chapter').title).toBe('Emergency brake');
    expect(itemOf(result, 's-1').attributes['reqif:header:TITLE']).toBe('Brakes');
  });

  test('all seven kinds of values, and what an item says of itself', () => {
    expect(itemOf(result, 'BRK-1')).toMatchObject({
      title: 'Stop',
      statement: 'The train shall stop.',
      status: 'approved',
      priority: 'medium',
      active: true,
      attributes: {
        'reqif:identifier': '1-not-an-xsd-id',
        'reqif:type': 'Object',
        'reqif:last-change': '2025-01-01T00:00:00Z',
        'reqif:desc': 'described',
        'ReqIF.Text (original)': 'The train shall [object: stop.ole]',
        Variants: ['7', 'approved'],
        Safety: true,
        Effort: '12345678901234567890',
        Force: -1500,
        Due: '2025-01-31T00:00:00+01:00',
      },
    });
  });

  test('relations by the name of their type, with values and groups', () => {
    expect(result.links).toEqual([
      {
        from: 'o-story',
        to: 'BRK-1',
        type: 'verifies',
        role: 'isVerifiedBy',
        path: 'brakes.reqif',
        line: 87,
        attributes: {
          'reqif:identifier': 'r-1',
          'reqif:last-change': '2025-01-01T00:00:00Z',
          Why: 'because',
          'reqif:relation-groups': ['Brakes to brakes'],
        },
      },
    ]);
  });

  test('an object in two places, and one in none', () => {
    expect(codes(result)).toEqual([
      'not_kept:25',
      'not_kept:30',
      'ambiguous_place:79',
      'ambiguous_place:61',
    ]);
    expect(itemOf(result, 'o-story').attributes).toMatchObject({
      'reqif:place-name': 'first',
      'reqif:places': ['s-1'],
    });
  });
});

describe('identifiers [PQRS-9]', () => {
  test('white space in them and around them is read as XML has it', () => {
    const { items, links, findings } = readSmallReqif(
      reqifFile({
        types: `${OBJECT_TYPE}<SPEC-RELATION-TYPE IDENTIFIER=" R" LONG-NAME="refines"/>`,
        objects: object(' o1 ') + object('a&#10; b'),
        specifications: specification('S&#9;1', place('o1'), place('a b')),
        relations: relation('r', 'R', 'a b', ' o1'),
      }),
    );
    expect(findings).toEqual([]);
    expect(items.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['S 1', null],
      ['o1', 'S 1'],
      ['a b', 'S 1'],
    ]);
    expect(links).toMatchObject([{ from: 'a b', to: 'o1', type: 'refines' }]);
  });

  test('one that can be no id is kept, and its object goes by another, which is reported', () => {
    const long = 'x'.repeat(1001);
    const { items, findings, links } = readSmallReqif(
      reqifFile({
        types: `${OBJECT_TYPE}<SPEC-RELATION-TYPE IDENTIFIER="R" LONG-NAME="refines"/>`,
        objects: object(long) + object('o2'),
        specifications: specification('S', place(long), place('o2')),
        relations: relation('r', 'R', 'o2', long),
      }),
    );
    const [, first] = items;
    expect(items.map(({ id }) => idFault(id))).toEqual(items.map(() => undefined));
    expect(first?.attributes['reqif:identifier']).toBe(long);
    expect(links).toMatchObject([{ from: 'o2', to: first?.id }]);
    expect(findings).toMatchObject([{ code: 'invalid_id', line: 6, itemId: first?.id }]);
  });
});

describe('ids', () => {
  const spec = specification('S', place('o1'), place('o2'), place('o3'));
  const ids = (...foreign: string[]) => {
    const objects = foreign.map((id, at) =>
      object(`o${at + 1}`, id === '' ? '' : value('STRING', 'id', id)),
    );
    return readSmallReqif(reqifFile({ objects: objects.join(''), specifications: spec }));
  };
  test.each<[string[], string[]]>([
    [
      ['A', 'B', 'C'],
      ['S', 'A', 'B', 'C'],
    ],
    [
      ['A', 'A', 'C'],
      ['S', 'o1', 'o2', 'C'],
    ],
    [
      ['', 'o1', 'C'],
      ['S', 'o1', 'o2', 'C'],
    ],
    [
      ['o2', 'o3', ''],
      ['S', 'o1', 'o2', 'o3'],
    ],
    [
      ['o2', 'o1', 'S'],
      ['S', 'o1', 'o2', 'o3'],
    ],
  ])('of ForeignIDs %p', (foreign, expected) => {
    expect(ids(...foreign).items.map(({ id }) => id)).toEqual(expected);
  });

  test.each([
    ['INTEGER', ['0042', '42', ' +7 ']],
    ['REAL', ['1.1', '1.10', '1e3', '2.20']],
  ])('a ForeignID that is of the kind %s is the text as written [PQRS-9]', (kind, ids) => {
    const attribute = definition(kind, 'n', 'ReqIF.ForeignID');
    const { items, findings } = readSmallReqif(
      reqifFile({
        types: `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${attribute}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE><SPECIFICATION-TYPE IDENTIFIER="ST"/>`,
        objects: ids.map((id, at) => object(`o${at}`, value(kind, 'n', id))).join(''),
        specifications: specification('S', ...ids.map((_, at) => place(`o${at}`))),
      }),
    );
    expect(items.map(({ id }) => id)).toEqual(['S', ...ids.map((id) => id.trim())]);
    expect(findings).toEqual([]);
  });

  test('one that is that of several objects, or cannot be an id, is kept', () => {
    const { items } = ids('A', 'A', 'a&#10;b');
    expect(items.map(({ attributes }) => attributes['ReqIF.ForeignID'])).toEqual([
      undefined,
      'A',
      'A',
      'a\nb',
    ]);
  });

  test('names that objects of JavaScript have', () => {
    const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T">${'<SPEC-ATTRIBUTES>'}${definition('STRING', 'p', '__proto__')}${definition('STRING', 'q', 'constructor')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`;
    const objects = object('__proto__', `${value('STRING', 'p', 'x')}${value('STRING', 'q', 'y')}`);
    const { items } = readSmallReqif(reqifFile({ types, objects }));
    const entries = Object.entries(items[0]?.attributes ?? {});
    expect(entries).toContainEqual(['__proto__', 'x']);
    expect(entries).toContainEqual(['constructor', 'y']);
  });
});

describe('what attributes mean [PQRS-9]', () => {
  const read = (kind: string, name: string, said: string) =>
    readSmallReqif(
      reqifFile({
        types: `<SPEC-OBJECT-TYPE IDENTIFIER="T" LONG-NAME="Object"><SPEC-ATTRIBUTES>${definition(kind, 'a', name)}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`,
        objects: object('o', value(kind, 'a', said)),
      }),
    ).items[0];
  test.each([
    ['STRING', 'ReqIF.Name', 'N', { title: 'N', kind: 'requirement' }],
    ['STRING', 'ReqIF.ChapterName', 'N', { title: 'N', kind: 'section' }],
    ['STRING', 'Object Heading', 'N', { title: 'N', kind: 'section' }],
    ['XHTML', 'ReqIF.ChapterName', '<xhtml:div>A<xhtml:br/>B</xhtml:div>', { title: 'A B' }],
    ['STRING', 'Primary Text', 'short', { statement: 'short' }],
    ['XHTML', 'Whatever', '<xhtml:p>t</xhtml:p>', { statement: 't' }],
    [
      'STRING',
      'Whatever',
      'a long text with several words',
      { statement: 'a long text with several words' },
    ],
    ['STRING', 'Whatever', 'short', { statement: '', attributes: { Whatever: 'short' } }],
    ['STRING', 'ReqIF.ForeignCreatedBy', 'somebody with a very long name', { statement: '' }],
    ['STRING', 'Req Status', 'open', { status: 'open' }],
    ['INTEGER', 'Priority', '2', { priority: '2' }],
    ['STRING', 'Rationale', 'why', { rationale: 'why' }],
    ['STRING', 'Rationale', ' ', { rationale: null }],
    ['STRING', 'Tags', 'a, b;c', { tags: ['a', 'b', 'c'] }],
    [
      'XHTML',
      'Tags',
      '<xhtml:ul><xhtml:li>a</xhtml:li><xhtml:li>b-c</xhtml:li></xhtml:ul>',
      { tags: ['a', 'b-c'] },
    ],
    [
      'XHTML',
      'Tags',
      '<xhtml:ol><xhtml:li>a</xhtml:li><xhtml:li>-d</xhtml:li></xhtml:ol>',
      { tags: ['a', '-d'] },
    ],
    ['STRING', 'Acceptance Criteria', 'one&#10;two', { acceptance: ['one', 'two'] }],
    [
      'XHTML',
      'Acceptance Criteria',
      '<xhtml:ul><xhtml:li>one<xhtml:br/>more</xhtml:li><xhtml:li>two</xhtml:li></xhtml:ul>',
      { acceptance: ['one\nmore', 'two'] },
    ],
    ['BOOLEAN', 'ReqIF.ForeignDeleted', 'true', { active: false }],
    ['BOOLEAN', 'ReqIF.ForeignDeleted', 'false', { active: true }],
  ])('%s %s', (kind, name, said, expected) => {
    expect(read(kind, name, said)).toMatchObject(expected as object);
  });

  test.each([
    ['BOOLEAN', 'maybe'],
    ['INTEGER', '1.5'],
    ['REAL', 'abc'],
  ])('a %s that is none is kept as written and reported', (kind, said) => {
    const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${definition(kind, 'a', 'X')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`;
    const objects = object('o', value(kind, 'a', said)).repeat(2);
    const result = readSmallReqif(reqifFile({ types, objects }));
    expect(result.items[0]?.attributes.X).toBe(said);
    expect(result.findings.filter(({ code }) => code === 'invalid_value')).toMatchObject([
      { line: 6, detail: expect.stringContaining('2 times') },
    ]);
  });

  test.each([
    ['REAL', '1e300', 1e300],
    ['REAL', '-1.50', -1.5],
    ['REAL', '1e-400', '1e-400'],
    ['REAL', 'INF', 'INF'],
    ['INTEGER', '9007199254740993', '9007199254740993'],
    ['DATE', '2025-01-31T00:00:00.5+01:00', '2025-01-31T00:00:00.5+01:00'],
    ['DATE', '2020-02-29T24:00:00Z', '2020-02-29T24:00:00Z'],
    ['DATE', '12000-02-29T00:00:00Z', '12000-02-29T00:00:00Z'],
  ])('the %s %s is kept as it is', (kind, said, expected) => {
    const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${definition(kind, 'a', 'X')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`;
    const specifications = specification('S', place('o'));
    const objects = object('o', value(kind, 'a', said));
    const { items, findings } = readSmallReqif(reqifFile({ types, objects, specifications }));
    expect(items[1]?.attributes.X).toBe(expected);
    expect(findings.filter(({ code }) => code === 'invalid_value')).toEqual([]);
  });

  test('a value of no attribute is reported', () => {
    const objects = object('o', '<ATTRIBUTE-VALUE-STRING THE-VALUE="x"/>');
    const result = readSmallReqif(
      reqifFile({ objects, specifications: specification('S', place('o')) }),
    );
    expect(result.findings).toMatchObject([
      { code: 'not_kept', line: 6, detail: expect.stringContaining('@THE-VALUE x') },
    ]);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });

  test('two values of one name of an enumeration are distinct', () => {
    const values = ['v1', 'v2'].map((one) => `<ENUM-VALUE IDENTIFIER="${one}" LONG-NAME="Low"/>`);
    const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${definition('ENUMERATION', 'e', 'E')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`;
    const chosen = (one: string) =>
      value('ENUMERATION', 'e', '').replace(
        '</DEFINITION>',
        `</DEFINITION><VALUES><ENUM-VALUE-REF>${one}</ENUM-VALUE-REF></VALUES>`,
      );
    const text = reqifText({
      types,
      objects: object('o', chosen('v1')) + object('p', chosen('v2')),
    }).replace(
      '<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="d-ENUMERATION"/>',
      `<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="d-ENUMERATION"><SPECIFIED-VALUES>${values.join('')}</SPECIFIED-VALUES></DATATYPE-DEFINITION-ENUMERATION>`,
    );
    const { items } = readSmallReqif(filesOf({ 'a.reqif': text }));
    expect(items.map(({ attributes }) => attributes.E)).toEqual(['Low', 'Low (v2)']);
  });

  describe('where no attribute is named as the text', () => {
    const two = [definition('XHTML', 'b', 'Beschreibung'), definition('XHTML', 'r', 'Bemerkung')];
    const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T" LONG-NAME="Anforderung"><SPEC-ATTRIBUTES>${two.join('')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`;
    const [said, remark] = [
      value('XHTML', 'b', '<xhtml:p>said at length</xhtml:p>'),
      value('XHTML', 'r', '<xhtml:p>a remark</xhtml:p>'),
    ];

    const read = (types: string, options?: ReaderOptions, textAttribute?: string) => {
      const objects = [said + remark, remark + said, remark].map((one, at) =>
        object(`o${at}`, one),
      );
      const [file] = reqifFile({ types, objects: objects.join('') });
      return readReqif([{ ...(file as SourceFile), textAttribute }], [], options);
    };
    const swapped = types.replace(two.join(''), two.toReversed().join(''));
    const guesses = ({ findings }: SourceResult) =>
      findings.flatMap(({ code, severity, line, detail }) =>
        code === 'guessed_text' ? [[severity, line, detail.includes('last revision')]] : [],
      );

    test.each([types, swapped])('the one with most text, however they are declared', (declared) => {
      const result = read(declared);
      expect(
        result.items.map(({ statement, attributes }) => [statement, attributes]),
      ).toMatchObject([
        ['said at length', { Bemerkung: 'a remark' }],
        ['said at length', { Bemerkung: 'a remark' }],
        ['', { Bemerkung: 'a remark' }],
      ]);
      expect(guesses(result)).toEqual([['warning', 6, false]]);
      expect(result.textAttributes).toEqual(new Map([['a.reqif', { T: 'Beschreibung' }]]));
    });

    test('the one that the source names, also against ReqIF.Text', () => {
      const result = read(types, undefined, 'Bemerkung');
      expect(result.items.map(({ statement }) => statement)).toEqual(Array(3).fill('a remark'));
      expect(guesses(result)).toEqual([]);
      const named = types.replace('Beschreibung', 'ReqIF.Text');
      expect(read(named).items[0]?.statement).toBe('said at length');
      expect(read(named, undefined, 'Bemerkung').items[0]?.statement).toBe('a remark');
    });
  });

  test('undeclared types and attributes: one finding a cause, values kept by identifier', () => {
    const objects = object('o', value('STRING', 'zz_OBJECTTEXT', 'said'), 'nowhere').repeat(3);
    const result = readSmallReqif(
      reqifFile({ objects, specifications: specification('S', place('o')) }),
    );
    expect(result.items[1]).toMatchObject({ statement: 'said' });
    const unknown = result.findings.filter(({ code }) => code.startsWith('unknown'));
    expect(unknown).toMatchObject([
      { code: 'unknown_type', line: 6, detail: expect.stringContaining('3 times') },
    ]);
  });
});
