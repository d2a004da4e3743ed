// What a ReqIF document declares and nothing uses is told, once.
import { describe, expect, test } from 'bun:test';
import { writeReqif } from '../../../src/requirements/export/reqif.ts';
import { readReqif } from '../../../src/requirements/sources/reqif.ts';
import {
  definition,
  object,
  place,
  reqifFile,
  reqifText,
  specification,
  value,
} from '../../support/reqif-documents.ts';
import { filesOf } from '../../support/source-files.ts';

const SPECIFICATIONS = specification('S', place('o'));

/** The findings on what is not used, of whatever files. */
function told(files: ReturnType<typeof filesOf>) {
  const { findings, statuses } = readReqif(files);
  expect(new Set(statuses.values())).toEqual(new Set(['parsed']));
  return findings
    .filter(({ code }) => code === 'unused_declaration')
    .map(({ path, line, severity, detail }) => `${severity} ${path}:${line} ${detail}`);
}

test('types, attributes and values of enumerations, by their names [PQRS-9]', () => {
  const values = [
    '<ENUM-VALUE IDENTIFIER="v1" LONG-NAME="High"/>',
    '<ENUM-VALUE IDENTIFIER="v2"/>',
  ];
  const attributes = ['ENUMERATION', 'STRING'].map((kind) => definition(kind, kind, `The ${kind}`));
  const chosen = value('ENUMERATION', 'ENUMERATION', '').replace(
    '</DEFINITION>',
    '</DEFINITION><VALUES><ENUM-VALUE-REF>v1</ENUM-VALUE-REF></VALUES>',
  );
  const text = reqifText({
    types: `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${attributes.join('')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE>\n<SPECIFICATION-TYPE IDENTIFIER="ST"/><SPEC-RELATION-TYPE IDENTIFIER="R" LONG-NAME="Blocks"/>`,
    objects: object('o', chosen),
    specifications: SPECIFICATIONS,
  }).replace(
    '<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="d-ENUMERATION"/>',
    `<DATATYPE-DEFINITION-ENUMERATION IDENTIFIER="d-ENUMERATION"><SPECIFIED-VALUES>${values.join('')}</SPECIFIED-VALUES></DATATYPE-DEFINITION-ENUMERATION>`,
  );
  expect(told(filesOf({ 'a.reqif': text }))).toEqual([
    'info a.reqif:3 Nothing uses this of what is declared from here on; it is not kept: types (1): Blocks; attributes (1): The STRING; values of enumerations (1): v2.',
  ]);
});

test('nothing where all is used, by a default too, or in another file [PQRS-9]', () => {
  const standard = '<DEFAULT-VALUE><ATTRIBUTE-VALUE-STRING THE-VALUE="x"/></DEFAULT-VALUE>';
  const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${definition('STRING', 'a', 'A', standard)}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE><SPECIFICATION-TYPE IDENTIFIER="ST"/>`;
  const whole = { types, objects: object('o'), specifications: SPECIFICATIONS };
  expect(told(reqifFile(whole))).toEqual([]);
  const parts = [
    ...reqifFile({ types, specifications: SPECIFICATIONS }, 'a.reqif'),
    ...reqifFile({ types: ' ', objects: object('o') }, 'b.reqif'),
  ];
  expect(told(parts)).toEqual([]);
});

describe('a default [PQRS-9]', () => {
  const standard = (said: string) =>
    `<DEFAULT-VALUE><ATTRIBUTE-VALUE-STRING THE-VALUE="${said}"/></DEFAULT-VALUE>`;
  const attributes = (id: string, said: string) =>
    `<SPEC-ATTRIBUTES>${definition('STRING', id, id.toUpperCase(), standard(said))}</SPEC-ATTRIBUTES>`;
  const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T">${attributes('a', 'x')}</SPEC-OBJECT-TYPE><SPECIFICATION-TYPE IDENTIFIER="ST"/>`;
  const set = (id: string) => object(id, value('STRING', 'a', 'own'));
  const read = (objects: string, more = '', groups = '') =>
    told(reqifFile({ types: types + more, objects, groups, specifications: SPECIFICATIONS }));
  const none = 'info a.reqif:3 Nothing uses this of what is declared from here on; it is not kept:';

  test('where every object has a value of its own', () => {
    expect(read(set('o'))).toEqual([`${none} defaults (1): A "x".`]);
    expect(read(set('o') + object('o2'))).toEqual([]);
  });

  test('of a type of groups, whose defaults no group has', () => {
    const more = `<RELATION-GROUP-TYPE IDENTIFIER="G">${attributes('b', 'y')}</RELATION-GROUP-TYPE>`;
    const group =
      '<RELATION-GROUP IDENTIFIER="g"><TYPE><RELATION-GROUP-TYPE-REF>G</RELATION-GROUP-TYPE-REF></TYPE></RELATION-GROUP>';
    const files = reqifFile({
      types: types + more,
      objects: object('o'),
      groups: group,
      specifications: SPECIFICATIONS,
    });
    const { findings } = readReqif(files);
    const unused = findings.filter(({ code }) => code === 'unused_declaration');
    expect(unused.map(({ detail }) => detail)).toEqual([
      `${none.slice('info a.reqif:3 '.length)} attributes (1): B; defaults (1): B "y".`,
    ]);
  });

  test('that names another attribute is that of the one in which it stands', () => {
    const other = types.replace(
      'THE-VALUE="x"/>',
      'THE-VALUE="x"><DEFINITION><ATTRIBUTE-DEFINITION-STRING-REF>z</ATTRIBUTE-DEFINITION-STRING-REF></DEFINITION></ATTRIBUTE-VALUE-STRING>',
    );
    const { items, findings } = readReqif(
      reqifFile({ types: other, objects: object('o'), specifications: SPECIFICATIONS }),
    );
    expect(items[1]?.attributes).toMatchObject({ A: 'x' });
    const [{ detail } = { detail: '' }] = findings.filter(
      ({ code }) => code === 'invalid_reference',
    );
    expect(detail).toBe(
      'The DEFAULT-VALUE of the attribute a names z; it is read as that of the attribute in which it stands.',
    );
  });
});

test('nothing of what our own writer declares [PQRS-19]', () => {
  const options = { title: 't', tool: 'pqrs', time: '2026-01-01T00:00:00Z' };
  expect(told(filesOf({ 'a.reqif': writeReqif([], [], options) }))).toEqual([]);
});

test('many of them in one line of bounded length [PQRS-15]', () => {
  const many = Array.from({ length: 50_000 }, (_, at) => definition('STRING', `a${at}`, `A${at}`));
  const types = `<SPEC-OBJECT-TYPE IDENTIFIER="T"><SPEC-ATTRIBUTES>${many.join('')}</SPEC-ATTRIBUTES></SPEC-OBJECT-TYPE><SPECIFICATION-TYPE IDENTIFIER="ST"/>`;
  const [one = ''] = told(
    reqifFile({ types, objects: object('o'), specifications: SPECIFICATIONS }),
  );
  expect(one).toContain('attributes (50000): A0, A1');
  expect(one.length).toBeLessThan(1000);
});
