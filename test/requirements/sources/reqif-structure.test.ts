// Hierarchies, relations and groups of ReqIF, documents of one set, and what is not kept.
import { describe, expect, test } from 'bun:test';
import type { SourceResult } from '../../../src/requirements/sources/model.ts';
import { readSources } from '../../support/read-sources.ts';
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

const parents = ({ items }: SourceResult) =>
  Object.fromEntries(items.map(({ id, parentId }) => [id, parentId]));
const relationType = (name: string, inside = '') =>
  `${OBJECT_TYPE}<SPEC-RELATION-TYPE IDENTIFIER="R" LONG-NAME="${name}">${inside}</SPEC-RELATION-TYPE>`;
const objects = object('o1') + object('o2') + object('o3');
const all = specification('S', place('o1'), place('o2'), place('o3'));

describe('relations [PQRS-9]', () => {
  test.each([
    ['refines', 'o1', 'refines', undefined],
    ['Refinement', 'o1', 'refines', 'Refinement'],
    ['isVerifiedBy', 'o2', 'verifies', 'isVerifiedBy'],
    ['child', 'o2', 'refines', 'child'],
    ['smells like', 'o1', 'relates', 'smells like'],
  ])('of the type %p run from %p', (name, from, type, role) => {
    const { links } = readSmallReqif(
      reqifFile({ types: relationType(name), objects, relations: relation('r', 'R', 'o1', 'o2') }),
    );
    expect(links).toMatchObject([{ from, type, attributes: { 'reqif:identifier': 'r' } }]);
    expect(links[0]?.role).toBe(role as string);
  });

  test.each([
    ['', 'o2', 'missing_field', 'partial'],
    ['o1', '', 'missing_field', 'partial'],
    ['gone', 'o2', 'dangling_reference', 'parsed'],
    ['o1', 'gone', 'dangling_reference', 'parsed'],
  ])('from %p to %p', (source, target, code, status) => {
    const parts = {
      types: relationType('refines'),
      objects,
      relations: relation('r', 'R', source, target),
      specifications: all,
    };
    const files = reqifFile(parts).map((file) => ({ ...file, format: null }));
    const { findings, sources } = readSources(files, []);
    const found = findings.filter((one) => one.code === code);
    expect(found).toMatchObject([{ severity: 'error', line: 10 }]);
    expect(sources[0]?.status).toBe(status as 'parsed');
  });

  test('values, defaults, groups and the mark of a suspect', () => {
    const attributes = [
      definition('STRING', 'why', 'Why'),
      definition('BOOLEAN', 'sus', 'Suspect'),
      definition(
        'INTEGER',
        'n',
        'N',
        `<DEFAULT-VALUE>${value('INTEGER', 'n', '7')}</DEFAULT-VALUE>`,
      ),
    ];
    const inside = `<SPEC-ATTRIBUTES>${attributes.join('')}</SPEC-ATTRIBUTES>`;
    const values = `<VALUES>${value('STRING', 'why', 'because')}${value('BOOLEAN', 'sus', 'true')}</VALUES>`;
    const { links, findings } = readSmallReqif(
      reqifFile({
        types: relationType('refines', inside),
        objects,
        relations: relation('r', 'R', 'o1', 'o2').replace('<TYPE>', `${values}<TYPE>`),
        specifications: all,
        groups:
          '<RELATION-GROUP IDENTIFIER="g" LONG-NAME="G"><SPEC-RELATIONS><SPEC-RELATION-REF>r</SPEC-RELATION-REF><SPEC-RELATION-REF>x</SPEC-RELATION-REF></SPEC-RELATIONS></RELATION-GROUP>',
      }),
    );
    expect(links).toMatchObject([
      { suspect: true, attributes: { Why: 'because', N: 7, 'reqif:relation-groups': ['G'] } },
    ]);
    expect(findings).toMatchObject([{ code: 'dangling_reference', relatedIds: ['x'] }]);
  });
});

describe('hierarchies [PQRS-9]', () => {
  test('a place whose object is missing: its children go one up', () => {
    const result = readSmallReqif(
      reqifFile({
        objects,
        specifications: specification('S', place('o1', place('gone', place('o2'))), place('o3')),
      }),
    );
    expect(parents(result)).toEqual({ S: null, o1: 'S', o2: 'o1', o3: 'S' });
    expect(result.findings).toMatchObject([
      { code: 'dangling_reference', itemId: 'o1', relatedIds: ['gone'] },
    ]);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });

  test('the first place counts, what the others stand in is an attribute', () => {
    const result = readSmallReqif(
      reqifFile({
        objects,
        specifications: specification('S', place('o1'), place('o2', place('o1', place('o3')))),
      }),
    );
    expect(parents(result)).toEqual({ S: null, o1: 'S', o2: 'S', o3: 'o1' });
    expect(result.items[1]?.attributes['reqif:places']).toEqual(['o2']);
    expect(result.findings).toMatchObject([{ code: 'ambiguous_place', itemId: 'o1' }]);
  });

  test('an object within itself', () => {
    const result = readSmallReqif(
      reqifFile({
        objects: object('o1'),
        specifications: specification('S', place('o1', place('o1'))),
      }),
    );
    expect(parents(result)).toEqual({ S: null, o1: 'S' });
  });

  test('objects in no hierarchy are one finding', () => {
    const some = readSmallReqif(
      reqifFile({ objects, specifications: specification('S', place('o2')) }),
    );
    expect(some.findings).toMatchObject([
      { code: 'ambiguous_place', line: 6, itemId: 'o1', relatedIds: ['o3'] },
    ]);
  });

  test('items of other files stand where a hierarchy shows them', () => {
    const files = filesOf({
      'b.reqif': reqifText({ objects: object('o1') + object('o2') }),
      'a.reqif': reqifText({ specifications: specification('S', place('o2'), place('o1')) }),
    });
    const { items, findings } = readSmallReqif(files);
    expect(items.map(({ id, path, among, order }) => [id, path, among, order])).toEqual([
      ['S', 'a.reqif', undefined, 0],
      ['o2', 'b.reqif', 'a.reqif', 1],
      ['o1', 'b.reqif', 'a.reqif', 2],
    ]);
    expect(findings).toEqual([]);
  });
});

describe('what is not kept', () => {
  const MATH =
    '<xhtml:p><math xmlns="http://www.w3.org/1998/Math/MathML"><mn>1</mn></math></xhtml:p>';
  const SPAN = '<xhtml:table><xhtml:tr><xhtml:td colspan="2">a</xhtml:td></xhtml:tr></xhtml:table>';
  test.each<[string, [string, string], string]>([
    ['an unknown element', ['<SPEC-OBJECTS>', '<SPEC-OBJECTS><THING a="1">x</THING>'], 'THING'],
    ['text', ['<SPEC-OBJECTS>', '<SPEC-OBJECTS>words'], 'words'],
    ['text in a record', ['<VALUES>', 'words<VALUES>'], 'words'],
    ['a foreign element', ['<VALUES>', '<f:e xmlns:f="urn:f">x</f:e><VALUES>'], '{urn:f}e'],
    ['a foreign attribute', ['<VALUES>', '<VALUES xmlns:f="urn:f" f:a="x">'], '@f:a'],
    ['a second TYPE', ['<TYPE><SPEC-OBJECT', '<TYPE/><TYPE><SPEC-OBJECT'], 'SPEC-OBJECT/TYPE'],
    ['an instruction', ['<VALUES>', '<?do it?><VALUES>'], '?do'],
    [
      'deleted text',
      [
        '<VALUES>',
        `<VALUES>${value('XHTML', 'text', '<xhtml:p>a<xhtml:del>b</xhtml:del></xhtml:p>')}`,
      ],
      'h:del',
    ],
    [
      'a formula',
      ['<VALUES>', `<VALUES>${value('XHTML', 'text', MATH)}`],
      'h:p/h:math: h:math h:mn 1',
    ],
    [
      'the span of a cell',
      ['<VALUES>', `<VALUES>${value('XHTML', 'text', SPAN)}`],
      'h:td/@colspan',
    ],
    [
      'a second value',
      ['<VALUES>', `<VALUES>${value('STRING', 'id', 'A').repeat(2)}`],
      'ATTRIBUTE-VALUE-STRING',
    ],
  ])('%s', (_, [from, to], what) => {
    const text = reqifText({
      objects: object('o1'),
      specifications: specification('S', place('o1')),
    });
    const result = readSmallReqif(filesOf({ 'a.reqif': text.replace(from, to) }));
    const found = result.findings.filter(({ code }) => code === 'not_kept');
    expect(found).toMatchObject([{ severity: 'warning', detail: expect.stringContaining(what) }]);
    expect(result.statuses.get('a.reqif')).toBe('partial');
  });
});

describe('documents', () => {
  test.each([
    ['an unknown namespace', reqifText({ namespace: 'urn:other' })],
    ['no content', '<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd"/>'],
    ['another root', '<html/>'],
    ['a prefix that is not bound', reqifText({ objects: '<x:SPEC-OBJECT/>' })],
    [
      'an encoding that is not known',
      reqifText({ prolog: '<?xml version="1.0" encoding="EBCDIC"?>' }),
    ],
  ])('%s is not read', (_, text) => {
    const result = readSmallReqif(filesOf({ 'a.reqif': text }));
    expect(result.statuses.get('a.reqif')).toBe('failed');
    expect(result.findings).toMatchObject([{ code: 'unparsed_source' }]);
  });
});
