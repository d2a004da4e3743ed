// Relations of ReqIF as links, and its hierarchies as parents.
import { describe, expect, test } from 'bun:test';
import { readSources } from '../../../src/requirements/import/read-sources.ts';
import type { SourceFile, SourceResult } from '../../../src/requirements/sources/model.ts';
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

function codes(result: SourceResult): string[] {
  return result.findings.map(({ code, line }) => `${code}:${line}`);
}

describe('of declarations with one IDENTIFIER the first of a document is meant [PQRS-9]', () => {
  const enumeration = (...labels: string[]) =>
    labels.map((label) => `\n<ENUM-VALUE IDENTIFIER="v" LONG-NAME="${label}"/>`).join('');
  const text = (before: string, after: string) => {
    const chosen = `<ATTRIBUTE-VALUE-ENUMERATION><DEFINITION><ATTRIBUTE-DEFINITION-ENUMERATION-REF>e</ATTRIBUTE-DEFINITION-ENUMERATION-REF></DEFINITION><VALUES><ENUM-VALUE-REF>v</ENUM-VALUE-REF></VALUES></ATTRIBUTE-VALUE-ENUMERATION>`;
    return reqifText({
      types: `<SPEC-OBJECT-TYPE IDENTIFIER="T" LONG-NAME="One"><SPEC-ATTRIBUTES>${definition('ENUMERATION', 'e', 'Level')}${definition('STRING', 's', 'Note')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE><SPECIFICATION-TYPE IDENTIFIER="ST"/>`,
      objects: object('o', chosen + value('STRING', 's', 'x')),
      specifications: specification('S', place('o')),
    })
      .replace(
        '<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="d-ENUMERATION"/>',
        `<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="d-ENUMERATION"><SPECIFIED-VALUES>${enumeration('high')}</SPECIFIED-VALUES></DATATYPE-DEFINITION-ENUMERATION>`,
      )
      .replace(before, before + after);
  };
  const kept = { 'reqif:type': 'One', Level: 'high', Note: 'x' };
  test.each<[string, string, string, number[]]>([
    ['ENUM-VALUE', 'LONG-NAME="high"/>', enumeration('low'), [4, 5]],
    [
      'ATTRIBUTE-DEFINITION-STRING',
      '<SPEC-ATTRIBUTES>',
      `${definition('STRING', 's', 'Note')}\n`,
      [5, 6],
    ],
    [
      'SPEC-OBJECT-TYPE',
      '</SPEC-OBJECT-TYPE>',
      '\n<SPEC-OBJECT-TYPE IDENTIFIER="T" LONG-NAME="Two"/>',
      [5, 6],
    ],
    [
      'DATATYPE-DEFINITION-REAL',
      '<DATATYPES>',
      '<DATATYPE-DEFINITION-REAL IDENTIFIER="d-REAL"/>\n',
      [3, 4],
    ],
  ])('%s', (name, before, after, [first, line]) => {
    const { items, findings, statuses } = readSmallReqif(
      filesOf({ 'a.reqif': text(before, after) }),
    );
    expect(items.find(({ id }) => id === 'o')?.attributes).toMatchObject(kept);
    expect(findings).toMatchObject([{ code: 'duplicate_identifier', severity: 'error', line }]);
    expect(findings[0]?.detail).toStartWith(`The ${name} at line ${line} has the IDENTIFIER `);
    expect(findings[0]?.detail).toContain(` of that at line ${first}: `);
    expect(statuses.get('a.reqif')).toBe('partial');
  });

  test('files may repeat those of others', () => {
    const first = text('', '');
    const second = first.replace('"o"', '"o2"').replace('"S"', '"S2"').replace('>o<', '>o2<');
    const { findings } = readSmallReqif(filesOf({ 'a.reqif': first, 'b.reqif': second }));
    expect(findings).toEqual([]);
  });
});

describe('relations [PQRS-9]', () => {
  const types = (name: string) =>
    `${OBJECT_TYPE}<SPEC-RELATION-TYPE IDENTIFIER="R" LONG-NAME="${name}"/>`;
  const objects = object('o1') + object('o2');
  const specifications = specification('S', place('o1'), place('o2'));
  test.each([
    ['refines', 'refines', false, undefined],
    ['is refined by', 'refines', true, 'is refined by'],
    ['Parent relation', 'refines', false, 'Parent relation'],
    ['Child', 'refines', true, 'Child'],
    ['derivedFrom', 'derives', false, 'derivedFrom'],
    ['satisfies', 'satisfies', false, undefined],
    ['Implements', 'satisfies', false, 'Implements'],
    ['tested-by', 'verifies', true, 'tested-by'],
    ['Validates', 'verifies', false, 'Validates'],
    ['depends on', 'depends', false, 'depends on'],
    ['conflicts with', 'conflicts', false, 'conflicts with'],
    ['invalidates', 'relates', false, 'invalidates'],
    ['', 'relates', false, undefined],
  ])('%p is %s', (name, type, reversed, role) => {
    const result = readSmallReqif(
      reqifFile({
        types: types(name),
        objects,
        specifications,
        relations: relation('r', 'R', 'o1', 'o2'),
      }),
    );
    const [from, to] = reversed ? ['o2', 'o1'] : ['o1', 'o2'];
    expect(result.links).toMatchObject([{ from, to, type }]);
    expect(result.links[0]?.role).toBe(role);
    expect(result.findings).toEqual([]);
  });

  test('relations that say the same are one, which is told once', () => {
    const nameless = relation('', 'R', 'o1', 'o2');
    const result = readSmallReqif(
      reqifFile({
        types: types('refines'),
        objects,
        specifications,
        relations: nameless.repeat(3) + relation('r', 'R', 'o1', 'o2') + nameless.repeat(2),
      }),
    );
    expect(result.links).toHaveLength(6);
    expect(result.findings).toMatchObject([
      {
        ...{ code: 'duplicate_link', severity: 'info', line: 10, itemId: 'o1', relatedIds: ['o2'] },
        detail:
          'Relations that say no more than one before them are one with it (4, first here: o1 refines o2).',
      },
    ]);
    expect([...result.statuses.values()]).toEqual(['parsed']);
  });

  test('two relations of different types between the same objects are two', () => {
    const { links } = readSmallReqif(
      reqifFile({
        types: `${types('refines')}<SPEC-RELATION-TYPE IDENTIFIER="R2" LONG-NAME="verifies"/>`,
        objects,
        specifications,
        relations: relation('r', 'R', 'o1', 'o2') + relation('r2', 'R2', 'o1', 'o2'),
      }),
    );
    expect(links.map(({ type }) => type)).toEqual(['refines', 'verifies']);
  });

  test.each([
    ['', 'o2', 'incomplete_relation', 'o2', [], 0],
    ['o1', '', 'incomplete_relation', 'o1', [], 0],
    ['gone', 'o2', 'dangling_reference', 'o2', ['gone'], 0],
  ])('from %p to %p: %s', (source, target, code, itemId, relatedIds, links) => {
    const result = readSmallReqif(
      reqifFile({
        types: types('refines'),
        objects,
        specifications,
        relations: relation('r', 'R', source, target),
      }),
    );
    expect(result.findings).toMatchObject([{ code, itemId, relatedIds, line: 9 }]);
    expect(result.links).toHaveLength(links);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });

  test('a missing TARGET is a link that dangles, which the graph reports once', () => {
    const result = readSmallReqif(
      reqifFile({
        types: types('refines'),
        objects,
        specifications,
        relations: relation('r', 'R', 'o1', 'gone'),
      }),
    );
    expect(result.findings).toEqual([]);
    expect(result.links).toMatchObject([{ from: 'o1', to: 'gone' }]);
  });

  test('attributes that a relation says nothing of have the default of its type', () => {
    const standard = (id: string, said: string) =>
      `<DEFAULT-VALUE>${value('STRING', id, said)}</DEFAULT-VALUE>`;
    const { links, findings } = readSmallReqif(
      reqifFile({
        types: `${OBJECT_TYPE}<SPEC-RELATION-TYPE IDENTIFIER="R" LONG-NAME="refines"><SPEC-ATTRIBUTES>${definition('STRING', 'a', 'A', standard('a', 'x'))}${definition('STRING', 'b', 'B', standard('b', 'y'))}${definition('STRING', 'c', 'C')}</SPEC-ATTRIBUTES></SPEC-RELATION-TYPE>`,
        objects,
        specifications,
        relations: relation('r', 'R', 'o1', 'o2').replace(
          '<SOURCE>',
          `<VALUES>${value('STRING', 'a', 'said')}</VALUES><SOURCE>`,
        ),
      }),
    );
    expect(links[0]?.attributes).toEqual({ 'reqif:identifier': 'r', A: 'said', B: 'y' });
    expect(findings).toEqual([]);
  });

  describe('all that a relation says is kept', () => {
    const read = (attributes: string, values: string, groups = '') =>
      readSmallReqif(
        reqifFile({
          types: `${OBJECT_TYPE}<SPEC-RELATION-TYPE IDENTIFIER="R" LONG-NAME="refines"><SPEC-ATTRIBUTES>${attributes}</SPEC-ATTRIBUTES></SPEC-RELATION-TYPE>`,
          objects,
          specifications,
          groups,
          relations: relation('r', 'R', 'o1', 'o2').replace(
            '<SOURCE>',
            `<VALUES>${values}</VALUES><SOURCE>`,
          ),
        }),
      ).links[0]?.attributes;
    const original = `<ATTRIBUTE-VALUE-XHTML><DEFINITION><ATTRIBUTE-DEFINITION-XHTML-REF>x</ATTRIBUTE-DEFINITION-XHTML-REF></DEFINITION><THE-VALUE>new</THE-VALUE><THE-ORIGINAL-VALUE>old</THE-ORIGINAL-VALUE></ATTRIBUTE-VALUE-XHTML>`;
    test.each<[string, string, string, Record<string, unknown>]>([
      [
        'four values of one attribute',
        definition('STRING', 'a', 'A'),
        ['1', '2', '3', '4'].map((said) => value('STRING', 'a', said)).join(''),
        { A: '1', 'A (a)': '2', 'A (a) (2)': '3', 'A (a) (3)': '4' },
      ],
      [
        'what a value simplifies',
        definition('XHTML', 'x', 'X'),
        original,
        { X: 'new', 'X (original)': 'old' },
      ],
      [
        'what a default simplifies',
        definition('XHTML', 'x', 'X', `<DEFAULT-VALUE>${original}</DEFAULT-VALUE>`),
        '',
        { X: 'new', 'X (original)': 'old' },
      ],
      [
        'what has the name of another thing',
        definition('STRING', 'a', 'reqif:relation-groups') + definition('STRING', 'b', 'suspect'),
        value('STRING', 'a', '1') + value('STRING', 'b', '2'),
        { 'reqif:relation-groups (a)': '1', suspect: '2' },
      ],
    ])('%s', (_, attributes, values, kept) => {
      expect(read(attributes, values)).toEqual({ 'reqif:identifier': 'r', ...kept });
    });

    test('beside its groups', () => {
      const group =
        '<RELATION-GROUP IDENTIFIER="g" LONG-NAME="G"><SPEC-RELATIONS><SPEC-RELATION-REF>r</SPEC-RELATION-REF></SPEC-RELATIONS></RELATION-GROUP>';
      const attributes = definition('STRING', 'a', 'reqif:relation-groups');
      expect(read(attributes, value('STRING', 'a', '1'), group)).toEqual({
        'reqif:identifier': 'r',
        'reqif:relation-groups (a)': '1',
        'reqif:relation-groups': ['G'],
      });
    });
  });

  test('a specification at an end is linked, and told of', () => {
    const named = specification('S', place('o1'), place('o2')).replace(
      '<CHILDREN>',
      `<VALUES>${value('STRING', 'id', 'SPEC-1')}</VALUES><CHILDREN>`,
    );
    const { links, findings, statuses } = readSmallReqif(
      reqifFile({
        types: types('refines'),
        objects,
        specifications: named,
        relations: relation('r', 'R', 'S', 'o1') + relation('r2', 'R', 'o2', 'S'),
      }),
    );
    expect(links.map(({ from, to }) => [from, to])).toEqual([
      ['SPEC-1', 'o1'],
      ['o2', 'SPEC-1'],
    ]);
    expect(findings.map(({ code, line, itemId, detail }) => [code, line, itemId, detail])).toEqual([
      [
        ...['invalid_reference', 9, 'SPEC-1'],
        'The SOURCE of the relation r is the specification S; relations of ReqIF are between objects.',
      ],
      [
        ...['invalid_reference', 10, 'SPEC-1'],
        'The TARGET of the relation r2 is the specification S; relations of ReqIF are between objects.',
      ],
    ]);
    expect([...statuses.values()]).toEqual(['parsed']);
  });

  test('what another tool calls a relation and a place, and how it describes a place', () => {
    const alternative = (id: string) =>
      `<ALTERNATIVE-ID><ALTERNATIVE-ID IDENTIFIER="${id}"/></ALTERNATIVE-ID>`;
    const parts = {
      types: types('refines'),
      objects,
      specifications: specifications.replace(
        '"p-o1">',
        `"p-o1" DESC="first" LONG-NAME="one">${alternative('a-p')}`,
      ),
      relations: relation('r', 'R', 'o1', 'o2').replace('<TYPE>', `${alternative('a-r')}<TYPE>`),
    };
    const { items, links, findings } = readSmallReqif(reqifFile(parts));
    expect(findings).toEqual([]);
    expect(items[1]?.attributes).toMatchObject({
      'reqif:place-name': 'one',
      'reqif:place-desc': 'first',
      'reqif:place-alternative-id': 'a-p',
    });
    expect(links[0]?.attributes).toMatchObject({ 'reqif:alternative-id': 'a-r' });
  });

  test.each([
    ['o1', 'a&#x7f;b', 'TARGET'],
    ['&#x85;', 'o1', 'SOURCE'],
    ['x'.repeat(1001), 'o1', 'SOURCE'],
  ])('from %p to %p, of which one can be no id, is told with the other', (source, target, end) => {
    const { links, findings, statuses } = readSmallReqif(
      reqifFile({
        types: types('refines'),
        objects,
        specifications,
        relations: relation('r', 'R', source, target),
      }),
    );
    expect(links).toEqual([]);
    expect(findings).toMatchObject([{ code: 'invalid_reference', itemId: 'o1', relatedIds: [] }]);
    expect(findings[0]?.detail).toStartWith(`The ${end} of the relation r is "`);
    expect([...statuses.values()]).toEqual(['partial']);
  });

  describe('groups', () => {
    const group = (inside: string, attributes = '') =>
      `\n<RELATION-GROUP IDENTIFIER="g" LONG-NAME="G"${attributes}>${inside}<TYPE><RELATION-GROUP-TYPE-REF>GT</RELATION-GROUP-TYPE-REF></TYPE></RELATION-GROUP>`;
    const between = (source: string, target: string) =>
      `<SOURCE-SPECIFICATION><SPECIFICATION-REF>${source}</SPECIFICATION-REF></SOURCE-SPECIFICATION><TARGET-SPECIFICATION><SPECIFICATION-REF>${target}</SPECIFICATION-REF></TARGET-SPECIFICATION>`;
    const held = '<SPEC-RELATIONS><SPEC-RELATION-REF>r</SPEC-RELATION-REF></SPEC-RELATIONS>';
    test.each<[string, string, string[]]>([
      ['all that is kept', group(between('S', 'S') + held), []],
      [
        'a specification that is in no file',
        group(between('S', 'none') + held),
        [
          'dangling_reference: The TARGET-SPECIFICATION of the relation group G is none, which is in no file.',
        ],
      ],
      [
        'a description and values',
        group(`<VALUES>${value('STRING', 'ga', 'v')}</VALUES>${held}`, ' DESC="d"'),
        [
          'relation_group_ignored: Of the relation group G only the name and the relations are kept, and not DESC "d", Owner "v".',
        ],
      ],
      [
        'specifications in which none of its relations is',
        group(
          between('S', 'S2') +
            held.replace('<SPEC-RELATIONS>', '<SPEC-RELATIONS><SPEC-RELATION-REF/>'),
        ),
        [
          'dangling_reference: The relation group G has a reference that names no relation.',
          'relation_group_ignored: Of the relation group G only the name and the relations are kept, and not TARGET-SPECIFICATION "S2".',
        ],
      ],
      [
        'an identifier of another tool',
        group(`<ALTERNATIVE-ID><ALTERNATIVE-ID IDENTIFIER="x"/></ALTERNATIVE-ID>${held}`),
        [
          'relation_group_ignored: Of the relation group G only the name and the relations are kept, and not ALTERNATIVE-ID "x".',
        ],
      ],
      [
        'no relation',
        group(''),
        ['relation_group_ignored: The relation group G holds no relation; it was not kept.'],
      ],
      [
        'no relation, but a description',
        group('', ' DESC="d"'),
        [
          'relation_group_ignored: The relation group G holds no relation; it was not kept, nor its DESC "d".',
        ],
      ],
    ])('with %s', (_name, groups, told) => {
      const result = readSmallReqif(
        reqifFile({
          types: `${types('refines')}<RELATION-GROUP-TYPE IDENTIFIER="GT"><SPEC-ATTRIBUTES>${definition('STRING', 'ga', 'Owner')}</SPEC-ATTRIBUTES></RELATION-GROUP-TYPE>`,
          objects,
          specifications: specifications + specification('S2'),
          relations: relation('r', 'R', 'o1', 'o2'),
          groups,
        }),
      );
      expect(result.findings.map(({ code, detail }) => `${code}: ${detail}`)).toEqual(told);
      expect(result.findings.flatMap(({ relatedIds }) => relatedIds)).not.toContain('');
      expect([...result.statuses.values()]).toEqual([told.length > 0 ? 'partial' : 'parsed']);
    });
  });

  describe('groups of several', () => {
    const group = (id: string, name: string, relations: string[], ends: string[] = []) => {
      const refs = relations.map((one) => `<SPEC-RELATION-REF>${one}</SPEC-RELATION-REF>`).join('');
      const [source, target] = ends.map((one) => `<SPECIFICATION-REF>${one}</SPECIFICATION-REF>`);
      const between =
        source === undefined
          ? ''
          : `<SOURCE-SPECIFICATION>${source}</SOURCE-SPECIFICATION><TARGET-SPECIFICATION>${target}</TARGET-SPECIFICATION>`;
      return `\n<RELATION-GROUP IDENTIFIER="${id}" LONG-NAME="${name}">${between}<SPEC-RELATIONS>${refs}</SPEC-RELATIONS><TYPE><RELATION-GROUP-TYPE-REF>GT</RELATION-GROUP-TYPE-REF></TYPE></RELATION-GROUP>`;
    };
    const read = (groups: string, typeName = '', ...others: SourceFile[]) =>
      readSmallReqif([
        ...reqifFile({
          types: `${types('refines')}<RELATION-GROUP-TYPE IDENTIFIER="GT" LONG-NAME="${typeName}"/>`,
          objects,
          specifications: specification('S1', place('o1')) + specification('S2', place('o2')),
          relations: relation('r', 'R', 'o1', 'o2') + relation('r2', 'R', 'o2', 'o1'),
          groups,
        }),
        ...others,
      ]);
    const told = ({ findings, statuses }: SourceResult) => [
      findings.map(({ code, severity, detail }) => `${code} ${severity}: ${detail}`),
      statuses.get('a.reqif'),
    ];

    test('the other way round than their relations', () => {
      const only = 'Of the relation group G only the name and the relations are kept, and not';
      const ends = ['SOURCE-SPECIFICATION "S2", TARGET-SPECIFICATION "S1"', 'parsed'];
      expect(told(read(group('g', 'G', ['r'], ['S1', 'S2'])))).toEqual([[], 'parsed']);
      for (const relations of [['r'], ['r', 'r2']]) {
        expect(told(read(group('g', 'G', relations, ['S2', 'S1'])))).toEqual([
          [`relation_group_ignored warning: ${only} ${ends[0]}.`],
          'partial',
        ]);
      }
    });

    test('whose relations are no links', () => {
      const first = relation('r', 'R', 'o1', 'o2');
      const relations = relation('x', 'R', '', 'o2') + relation('y', 'R', 'o1', 'o2');
      const parts = (of: string[]) =>
        readSmallReqif(
          reqifFile({
            types: `${types('refines')}<RELATION-GROUP-TYPE IDENTIFIER="GT"/>`,
            objects,
            specifications: specification('S1', place('o1')) + specification('S2', place('o2')),
            relations: first + relations,
            groups: group('g', 'G', of, ['S1', 'S2']),
          }),
        )
          .findings.filter(({ code }) => code === 'relation_group_ignored')
          .map(({ severity, detail }) => `${severity}: ${detail}`);
      expect(parts(['x', 'none'])).toEqual([
        'warning: The relation group G holds no relation that is a link; it was not kept, nor its SOURCE-SPECIFICATION "S1", TARGET-SPECIFICATION "S2".',
      ]);
      expect(parts(['x', 'y'])).toEqual([]);
    });

    test('of relations with one IDENTIFIER mean the first', () => {
      const result = readSmallReqif(
        reqifFile({
          types: `${types('refines')}<RELATION-GROUP-TYPE IDENTIFIER="GT"/>`,
          objects,
          specifications,
          relations: relation('r', 'R', 'o1', 'o2') + relation('r', 'R', 'o2', 'o1'),
          groups: group('g', 'G', ['r']) + group('g', 'H', ['r']),
        }),
      );
      expect(result.links.map(({ attributes }) => attributes)).toEqual([
        { 'reqif:identifier': 'r', 'reqif:relation-groups': ['G', 'H'] },
        { 'reqif:identifier': 'r' },
      ]);
      expect(result.findings.map(({ code, line, detail }) => [`${code}:${line}`, detail])).toEqual([
        [
          'duplicate_identifier:10',
          'The SPEC-RELATION at line 10 has the IDENTIFIER r of that at line 9: both are read, and groups mean the first.',
        ],
        [
          'duplicate_identifier:17',
          'The RELATION-GROUP at line 17 has the IDENTIFIER g of that at line 16: both are read.',
        ],
      ]);
    });

    test('of one name', () => {
      expect(told(read(group('g', 'G', ['r']) + group('h', 'G', ['r2'])))).toEqual([
        [
          'relation_group_ignored warning: The relation group G has the name of that at line 17: the relations of both are kept as those of one group.',
        ],
        'partial',
      ]);
    });

    test('whose type has a name', () => {
      expect(told(read(group('g', 'G', ['r']), 'Satisfaction'))).toEqual([
        [
          'relation_group_ignored info: Of the relation group G only the name and the relations are kept, and not TYPE "Satisfaction".',
        ],
        'parsed',
      ]);
      expect(told(read(group('g', '', ['r']), 'Satisfaction'))).toEqual([[], 'parsed']);
    });

    test('whose relations are in another file', () => {
      const [other] = reqifFile({ groups: group('h', 'H', ['r', 'none']), types: '' }, 'b.reqif');
      const result = read(group('g', 'G', ['r']), '', other as SourceFile);
      expect(result.links[0]?.attributes?.['reqif:relation-groups']).toEqual(['G', 'H']);
      const missing = result.findings.filter(({ code }) => code === 'dangling_reference');
      expect(missing.map(({ path, detail }) => `${path}: ${detail}`)).toEqual([
        'b.reqif: The relation group H holds none, which is no relation of any file.',
      ]);
    });
  });

  test('what a relation without its ends says is told with it', () => {
    const said = `<VALUES>${value('STRING', 'a', 'said')}</VALUES><TYPE>`;
    const { findings } = readSmallReqif(
      reqifFile({
        types: `${OBJECT_TYPE}<SPEC-RELATION-TYPE IDENTIFIER="R"><SPEC-ATTRIBUTES>${definition('STRING', 'a', 'A')}</SPEC-ATTRIBUTES></SPEC-RELATION-TYPE>`,
        objects,
        specifications,
        relations: relation('r', 'R', '', '')
          .replace('"r"', '"r" DESC="why" LONG-NAME="one"')
          .replace('<TYPE>', said),
      }),
    );
    expect(findings.map(({ detail }) => detail)).toEqual([
      'The relation r has no SOURCE. What is said there is not kept: LONG-NAME "one", DESC "why", A "said".',
      'The relation r has no TARGET.',
    ]);
  });

  test('a group that holds what is no relation', () => {
    const result = readSmallReqif(
      reqifFile({
        types: `${types('refines')}<RELATION-GROUP-TYPE IDENTIFIER="G" LONG-NAME="Group"/>`,
        objects,
        specifications,
        relations: relation('r', 'R', 'o1', 'o2'),
        groups:
          '<RELATION-GROUP IDENTIFIER="g"><TYPE><RELATION-GROUP-TYPE-REF>G</RELATION-GROUP-TYPE-REF></TYPE><SPEC-RELATIONS><SPEC-RELATION-REF>r</SPEC-RELATION-REF><SPEC-RELATION-REF>none</SPEC-RELATION-REF></SPEC-RELATIONS></RELATION-GROUP>',
      }),
    );
    expect(result.links[0]?.attributes).toMatchObject({ 'reqif:relation-groups': ['Group'] });
    expect(result.findings).toMatchObject([{ code: 'dangling_reference', relatedIds: ['none'] }]);
  });
});

describe('hierarchies [PQRS-9]', () => {
  test('a place whose object is missing: reported, its children go one up', () => {
    const result = readSmallReqif(
      reqifFile({
        objects: object('o1') + object('o2'),
        specifications: specification('S', place('o1', place('gone', place('o2')))),
      }),
    );
    expect(result.items.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['S', null],
      ['o1', 'S'],
      ['o2', 'o1'],
    ]);
    expect(result.findings).toMatchObject([
      { code: 'dangling_reference', itemId: 'o1', relatedIds: ['gone'], line: 12 },
    ]);
  });

  test('what the place of a missing object says is told with it', () => {
    const gone = place('gone').replace('"p-gone"', '"p-gone" LONG-NAME="Brakes" DESC="why"');
    const { findings } = readSmallReqif(reqifFile({ specifications: specification('S', gone) }));
    expect(findings.map(({ detail }) => detail)).toEqual([
      'The SPEC-HIERARCHY p-gone is the place of gone, which is in no file. What is said there is not kept: "Brakes", "why".',
    ]);
  });

  test('an object within itself', () => {
    const result = readSmallReqif(
      reqifFile({
        objects: object('o1') + object('o2'),
        specifications: specification('S', place('o1', place('o2', place('o1')))),
      }),
    );
    expect(result.items.map(({ parentId }) => parentId)).toEqual([null, 'S', 'o1']);
    expect(codes(result)).toEqual(['several_places:13']);
  });

  test('what is below a further place alone is below what that is in, and told', () => {
    const result = readSmallReqif(
      reqifFile({
        objects: ['o1', 'o2', 'o3', 'o4', 'o5'].map((id) => object(id)).join(''),
        specifications:
          specification('S1', place('o1', place('o5'))) +
          specification('S2', place('o3', place('o1', place('o2', place('o4')), place('o5')))),
      }),
    );
    expect(result.items.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['S1', null],
      ['o1', 'S1'],
      ['o5', 'o1'],
      ['S2', null],
      ['o3', 'S2'],
      ['o2', 'o3'],
      ['o4', 'o2'],
    ]);
    expect(result.items.map(({ attributes }) => attributes['reqif:places'])).toEqual([
      ...[undefined, ['o3'], ['o1'], undefined, undefined, undefined, undefined],
    ]);
    expect(result.findings).toMatchObject([
      {
        ...{ code: 'several_places', severity: 'warning', itemId: 'o1' },
        detail:
          'o1 has 1 more place here; it belongs to its first. What is below it there is below o3: o2.',
        relatedIds: ['o3', 'o2'],
      },
      { code: 'several_places', severity: 'info', itemId: 'o5', relatedIds: ['o1'] },
    ]);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });

  describe('an object that is declared again in another file', () => {
    /** Reads files of the objects with the ids, and of what shows them. */
    const readAll = (...parts: { ids: string[]; specifications: string }[]) => {
      const files = parts.flatMap(({ ids, specifications }, at) =>
        reqifFile({ objects: ids.map((id) => object(id)).join(''), specifications }, `${at}.reqif`),
      );
      return readSources(
        files.map((file) => ({ ...file, format: null })),
        ['title'],
      );
    };
    const read = (...all: string[]) =>
      readAll(...all.map((specifications) => ({ ids: ['o1'], specifications })));
    const edgesOf = ({ graph }: ReturnType<typeof read>) =>
      graph.edges.map(({ from, to }) => `${from} ${to}`);
    const shown = ({ graph, findings }: ReturnType<typeof read>) => [
      graph.edges.map(({ from, to }) => `${from} ${to}`).join(),
      graph.nodes.find(({ id }) => id === 'o1')?.attributes['reqif:places'],
      findings
        .map(({ code, path }) => `${code} ${path}`)
        .filter((one) => !/missing|unused_declaration|unread_identifiers/.test(one)),
    ];

    test('keeps its place there', () => {
      const result = read(specification('S1', place('o1')), specification('S2', place('o1')));
      expect(shown(result)).toEqual([
        'S1 o1',
        ['S2'],
        ['duplicate_id 0.reqif', 'several_places 1.reqif'],
      ]);
    });

    test('belongs there where it has no other place', () => {
      const result = read('', specification('S2', place('o1')));
      expect(shown(result)).toEqual(['S2 o1', undefined, ['duplicate_id 0.reqif']]);
    });

    test('is told of what is below it there alone', () => {
      const shows = (id: string) =>
        specification(id, place('o1', place('o2', ...(id === 'S2' ? [place('o3')] : []))));
      const result = readAll(
        { ids: ['o1', 'o2'], specifications: shows('S1') },
        { ids: ['o1', 'o2', 'o3'], specifications: shows('S2') },
      );
      expect(edgesOf(result)).toEqual(['S1 o1', 'o1 o2', 'S2 o3']);
      const places = result.findings.filter(({ code }) => code === 'several_places');
      expect(places).toMatchObject([{ itemId: 'o1', relatedIds: ['S2', 'o3'], path: '1.reqif' }]);
    });

    test('has below it what each file shows there, where the specification is the same', () => {
      const shows = (id: string) => ({
        ...{ ids: ['o1', id], specifications: specification('S', place('o1', place(id))) },
      });
      const result = readAll(shows('o2'), shows('o3'));
      expect(edgesOf(result)).toEqual(['S o1', 'o1 o2', 'o1 o3']);
      const moved = result.findings.filter(({ detail }) =>
        /below the others|belongs to/.test(detail),
      );
      expect(moved).toEqual([]);
    });

    test('is told of what is below a place that it has elsewhere too', () => {
      const twice = (...below: string[]) =>
        specification('S', place('o1'), place('o5', place('o1', ...below.map((id) => place(id)))));
      const result = readAll(
        { ids: ['o1', 'o5'], specifications: twice() },
        { ids: ['o1', 'o5', 'o3'], specifications: twice('o3') },
      );
      expect(edgesOf(result)).toEqual(['S o1', 'S o5', 'o5 o3']);
      const told = result.findings.filter(
        ({ code, path }) => /places/.test(code) && path === '1.reqif',
      );
      expect(told).toMatchObject([
        {
          itemId: 'o1',
          relatedIds: ['o3'],
          detail:
            'o1 has a place here that it has elsewhere too; it belongs to its first. What is below it there is below o5: o3.',
        },
      ]);
    });

    test('has no further place where the specification is declared again too', () => {
      const result = read(specification('S', place('o1')), specification('S', place('o1')));
      expect(shown(result)).toEqual([
        'S o1',
        undefined,
        ['duplicate_id 0.reqif', 'duplicate_id 0.reqif'],
      ]);
    });
  });

  test('a specification with the IDENTIFIER of another: its places are below that one', () => {
    const again = specification('S', place('o2')).replace(
      'LONG-NAME="S"',
      'LONG-NAME="Again" DESC="why"',
    );
    const [here] = reqifFile({
      objects: object('o1') + object('o2'),
      specifications: specification('S', place('o1')) + again,
    });
    const [other] = reqifFile(
      { objects: object('o3'), specifications: specification('S', place('o3')) },
      'b.reqif',
    );
    const files = [here, other].map((file) => ({ ...file, format: null }));
    const { graph, findings } = readSources(files as (SourceFile & { format: null })[], ['title']);
    expect(graph.edges.map(({ from, to }) => `${from} ${to}`)).toEqual(['S o1', 'S o2', 'S o3']);
    expect(graph.nodes.map(({ id, title }) => `${id} ${title}`)).toEqual([
      ...['S S', 'o1 ', 'o2 ', 'o3 '],
    ]);
    const told = findings.filter(({ code }) => code.startsWith('duplicate_id'));
    expect(told.map(({ code, path, line, detail }) => [code, `${path}:${line}`, detail])).toEqual([
      [
        ...['duplicate_id', 'a.reqif:10'],
        'S stands here and again at a.reqif:12, b.reqif:9; the first is taken.',
      ],
      [
        ...['duplicate_identifier', 'a.reqif:12'],
        'The specification S stands at line 10 already: its places are below that one, and what it says beside is not kept: LONG-NAME "Again", reqif:desc "why".',
      ],
    ]);
  });

  test('what further places say is told, since an object has the names of its first', () => {
    const named = place('o1').replace('HIERARCHY', 'HIERARCHY LONG-NAME="Brakes, again"');
    const result = readSmallReqif(
      reqifFile({ objects: object('o1'), specifications: specification('S', place('o1'), named) }),
    );
    expect(result.findings).toMatchObject([
      { code: 'several_places', detail: expect.stringContaining('not kept: "Brakes, again".') },
    ]);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });

  test('a document without any hierarchy is reported once', () => {
    const result = readSmallReqif(reqifFile({ objects: object('o1') + object('o2') }));
    expect(result.findings).toMatchObject([
      { code: 'unplaced_item', relatedIds: ['o1', 'o2'], itemId: null },
    ]);
  });

  test('items of other files stand in the graph where a hierarchy shows them', () => {
    const files = [
      ...reqifFile({ objects: object('z') + object('y') }, 'a.reqif'),
      ...reqifFile(
        {
          objects: object('b') + object('c'),
          specifications: specification('S', place('b'), place('z'), place('c'), place('y')),
        },
        'b.reqif',
      ),
    ];
    const { graph } = readSources(
      files.map((file) => ({ ...file, format: null })),
      ['title'],
    );
    expect(graph.nodes.map(({ id }) => id)).toEqual(['S', 'b', 'z', 'c', 'y']);
    expect(graph.edges.map(({ to }) => to)).toEqual(['b', 'z', 'c', 'y']);
  });

  test('files of a set refer to one another, in whatever order they come', () => {
    const files = [
      ...reqifFile({ objects: object('o1'), types: '' }, 'a.reqif'),
      ...reqifFile({ specifications: specification('S', place('o1')) }, 'b.reqif'),
    ];
    const result = readSmallReqif(files);
    expect(result.findings).toEqual([]);
    expect(result.items.map(({ id, path, parentId }) => [id, path, parentId])).toEqual([
      ['o1', 'a.reqif', 'S'],
      ['S', 'b.reqif', null],
    ]);
    expect(readSmallReqif([...files].reverse())).toEqual(result);
  });
});
