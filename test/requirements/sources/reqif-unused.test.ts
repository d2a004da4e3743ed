// What a ReqIF document declares and nothing uses is told, once.
import { expect, test } from 'bun:test';
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
