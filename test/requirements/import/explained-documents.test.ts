// A document in which nothing stands, where it was told already why: that is one cause.
import { expect, test } from 'bun:test';
import { readSources } from '../../support/read-sources.ts';
import { object, place, reqifFile, specification } from '../../support/reqif-documents.ts';

test('a document is not said to be empty where what it holds stands elsewhere, or nowhere [PQRS-9, PQRS-20]', () => {
  const files = [
    ['a.reqif', object('o1'), specification('S', place('o1'))],
    ['b.reqif', '', specification('T', place('o1'))],
    ['c.reqif', '', specification('U', place('gone'))],
    ['d.reqif', '', specification('V')],
  ].map(([path, objects, specifications]) => ({
    ...{ path: path as string, format: null },
    bytes: (reqifFile({ objects, specifications })[0] as { bytes: Uint8Array }).bytes,
  }));
  const { findings } = readSources(files, ['title']);
  const told = findings
    .filter(({ code }) =>
      ['empty_document', 'ambiguous_place', 'dangling_reference'].includes(code),
    )
    .map(({ code, path, line }) => `${code} ${path} ${line > 0}`);
  expect(told.sort()).toEqual([
    'ambiguous_place b.reqif true',
    'dangling_reference c.reqif true',
    'empty_document d.reqif true',
  ]);
  const place1 = findings.find(({ code }) => code === 'ambiguous_place');
  const lines = new TextDecoder().decode(files[1]?.bytes).split('\n');
  expect(lines[(place1?.line ?? 0) - 1]).toContain('SPEC-HIERARCHY');
});
