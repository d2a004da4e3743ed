// Objects of ReqIF as items: their ids, values and meaning.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceResult } from '../../../src/requirements/sources/model.ts';
import { readReqifCounted } from '../../../src/requirements/sources/reqif.ts';
import { idFault } from '../../../src/requirements/sources/usable-id.ts';
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
  const { result, counts } = readReqifCounted([
    { path: 'brakes.reqif', bytes: new Uint8Array(readFileSync(FIXTURE)) },
  ]);

  test('counts', () => {
    expect(counts.get('brakes.reqif')).toEqual({
      objects: 4,
      relations: 1,
      places: 4,
      specifications: 1,
      relationGroups: 1,
    });
    expect(result.statuses.get('brakes.reqif')).toBe('parsed');
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
        'reqif:alternative-id': 'other-1',
        'reqif:table-internal': true,
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
      'unread_identifiers:4',
      'unread_details:30',
      'unread_details:33',
      'unplaced_item:61',
      'several_places:79',
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

  test('one that can be no id is kept, and its object goes by another, which is told', () => {
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
      ['S', 'o2', 'o1', 'o3'],
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

  test('one ForeignID of several objects is reported once', () => {
    expect(ids('A', 'A', 'A').findings).toMatchObject([
      { code: 'ambiguous_foreign_id', itemId: 'o1', relatedIds: ['o2', 'o3'], line: 6 },
    ]);
  });

  test('a ForeignID that is the IDENTIFIER of an object or a specification is told, and kept', () => {
    const { items, findings, statuses } = ids('o2', '', 'S');
    expect(items.map(({ id, attributes }) => [id, attributes['ReqIF.ForeignID']])).toEqual([
      ['S', undefined],
      ['o1', 'o2'],
      ['o2', undefined],
      ['o3', 'S'],
    ]);
    expect(
      findings.map(({ code, line, itemId, relatedIds }) => [code, line, itemId, relatedIds]),
    ).toEqual([
      ['ambiguous_foreign_id', 6, 'o1', ['o2']],
      ['ambiguous_foreign_id', 8, 'o3', ['S']],
    ]);
    expect([...statuses.values()]).toEqual(['parsed']);
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

  test('an object without IDENTIFIER, and two with one', () => {
    const objects = `${object('x', value('STRING', 'id', 'A'))}${object('x', value('STRING', 'id', 'B'))}${object('').replace(' IDENTIFIER=""', '')}`;
    const result = readSmallReqif(
      reqifFile({ objects, specifications: specification('S', place('x')) }),
    );
    expect(codes(result)).toContain('duplicate_identifier:7');
    expect(codes(result)).toContain('invalid_id:8');
    expect(result.items.map(({ id }) => id)).toEqual(['S', 'A', 'B', 'a.reqif#8']);
  });

  test('objects and specifications without IDENTIFIER on one line, or with one name, are several', () => {
    const nameless = object('').trim();
    const named = object('', value('STRING', 'chapter', 'N')).trim();
    const taken = object('a.reqif#6 (2)', value('STRING', 'chapter', 'T')).trim();
    const long = object('x'.repeat(1001)).trim();
    const objects = `\n${nameless}${nameless}${named}${named}${taken}${long}${long}`;
    const specifications = specification('S') + specification('').repeat(2);
    const result = readSmallReqif(reqifFile({ objects, specifications }));
    const ids = result.items.map(({ id }) => id);
    expect(ids).toEqual([
      ...['S', 'a.reqif#10', 'a.reqif#11', 'a.reqif#6', 'a.reqif#6 (3)'],
      ...['a.reqif#N', 'a.reqif#N (2)', 'a.reqif#6 (2)', 'a.reqif#6 (4)', 'a.reqif#6 (5)'],
    ]);
    expect(Math.max(...result.findings.map(({ detail }) => detail.length))).toBeLessThan(500);
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
    ['XHTML', 'Tags', '<ul><li>a</li><li>b-c</li></ul>', { tags: ['a', 'b-c'] }],
    ['XHTML', 'Tags', '<ol><li>a</li><li>-d</li></ol>', { tags: ['a', '-d'] }],
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
    ['DATE', 'yesterday'],
    ['DATE', '2025-13-01T00:00:00Z'],
    ['DATE', '2025-01-31'],
    ['DATE', '2020-02-30T00:00:00Z'],
    ['DATE', '2021-02-29T00:00:00Z'],
    ['DATE', '1900-02-29T00:00:00Z'],
    ['DATE', '2025-04-31T00:00:00Z'],
    ['DATE', '2025-04-30T24:00:01Z'],
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

  test('a text in an object whose type has ReqIF.Text is not taken from elsewhere', () => {
    const types = `${OBJECT_TYPE.replace('</SPEC-ATTRIBUTES>', `${definition('XHTML', 'c', 'Remark')}</SPEC-ATTRIBUTES>`)}`;
    const objects = object('o', value('XHTML', 'c', '<xhtml:p>remarked</xhtml:p>'));
    expect(readSmallReqif(reqifFile({ types, objects })).items[0]).toMatchObject({
      statement: '',
      attributes: { Remark: 'remarked' },
    });
  });

  test('a value of no attribute is reported', () => {
    const objects = object('o', '<ATTRIBUTE-VALUE-STRING THE-VALUE="x"/>');
    const result = readSmallReqif(
      reqifFile({ objects, specifications: specification('S', place('o')) }),
    );
    expect(result.findings).toMatchObject([
      { code: 'missing_definition', line: 6, detail: expect.stringContaining('"x"') },
    ]);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });

  test('an attribute with the name of a place or a header is kept beside it', () => {
    const attributes = ['reqif:place-name', 'reqif:places', 'reqif:header:TITLE'].map((name, at) =>
      definition('STRING', `n${at}`, name),
    );
    const values = ['1', '2', '3'].map((said, at) => value('STRING', `n${at}`, said)).join('');
    const inside = `<SPEC-ATTRIBUTES>${attributes.join('')}</SPEC-ATTRIBUTES>`;
    const named = specification('S', place('o'), place('o')).replace(
      '"p-o">',
      '"p-o" LONG-NAME="first">',
    );
    const text = reqifText({
      types: `<SPEC-OBJECT-TYPE IDENTIFIER="T">${inside}</SPEC-OBJECT-TYPE><SPECIFICATION-TYPE IDENTIFIER="ST"/>`,
      objects: object('o', values),
      specifications: named.replace('<CHILDREN>', `<VALUES>${values}</VALUES><CHILDREN>`),
    }).replace(
      '<CORE-CONTENT>',
      '<THE-HEADER><REQ-IF-HEADER><TITLE>t</TITLE></REQ-IF-HEADER></THE-HEADER><CORE-CONTENT>',
    );
    const { items } = readSmallReqif(filesOf({ 'a.reqif': text }));
    const kept = {
      'reqif:place-name (n0)': '1',
      'reqif:places (n1)': '2',
      'reqif:header:TITLE (n2)': '3',
    };
    expect(items[0]?.attributes).toMatchObject({ ...kept, 'reqif:header:TITLE': 't' });
    expect(items[1]?.attributes).toMatchObject({
      ...kept,
      'reqif:place-name': 'first',
      'reqif:places': ['S'],
    });
  });

  test('two values of one name of an enumeration are told apart', () => {
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
      value('XHTML', 'b', '<p>said</p>'),
      value('XHTML', 'r', '<p>remark</p>'),
    ];

    test('the first that the type declares is taken, in whatever order values stand, and told', () => {
      const objects = [said + remark, remark + said, remark].map((one, at) =>
        object(`o${at}`, one),
      );
      const { items, findings } = readSmallReqif(reqifFile({ types, objects: objects.join('') }));
      expect(items.map(({ statement, attributes }) => [statement, attributes.Bemerkung])).toEqual([
        ...[
          ['said', 'remark'],
          ['said', 'remark'],
          ['', 'remark'],
        ],
      ]);
      expect(findings.filter(({ code }) => code === 'guessed_text')).toMatchObject([
        {
          ...{ severity: 'info', line: 6 },
          detail:
            'The attribute Beschreibung of Anforderung is taken for the text of objects, since no name says which is (2 times, first here).',
        },
      ]);
    });

    test('of two that are named so the standard one is taken', () => {
      const both = [definition('STRING', 'b', 'Text'), definition('STRING', 'r', 'ReqIF.Text')];
      const own = `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${both.join('')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`;
      const [one, other] = [value('STRING', 'b', 'other'), value('STRING', 'r', 'said')];
      const objects = object('o', one + other) + object('p', other + one);
      const { items } = readSmallReqif(reqifFile({ types: own, objects }));
      expect(items.map(({ statement, attributes }) => [statement, attributes.Text])).toEqual([
        ...[
          ['said', 'other'],
          ['said', 'other'],
        ],
      ]);
    });
  });

  test('two attributes of one name are both kept', () => {
    const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${definition('STRING', 'a', 'X')}${definition('STRING', 'b', 'X')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>`;
    const objects = object('o', value('STRING', 'a', '1') + value('STRING', 'b', '2').repeat(3));
    expect(readSmallReqif(reqifFile({ types, objects })).items[0]?.attributes).toMatchObject({
      X: '1',
      'X (b)': '2',
      'X (b) (2)': '2',
      'X (b) (3)': '2',
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
