// ReqIF files that other tools wrote.
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { graphFindings } from '../../../src/requirements/audit/graph-findings.ts';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import type { SourceResult } from '../../../src/requirements/sources/model.ts';
import { readReqifCounted } from '../../../src/requirements/sources/reqif.ts';
import { sharedData } from '../../support/shared-data.ts';

function codes(result: SourceResult): string[] {
  return result.findings.map(({ code, line }) => `${code}:${line}`);
}

describe('files that other tools wrote', () => {
  const folder = sharedData('reqif');
  if (folder === undefined) return;
  const read = (name: string) =>
    readReqifCounted([{ path: name, bytes: new Uint8Array(readFileSync(join(folder, name))) }]);

  test.each(readdirSync(folder).filter((name) => name.endsWith('.reqif')))(
    '%s: as many items, relations and places as there are in the text',
    (name) => {
      const { result, counts } = read(name);
      const text = readFileSync(join(folder, name), 'utf8');
      const occurrences = (element: string) =>
        text.match(new RegExp(`<(\\w+:)?${element}[\\s/>]`, 'g'))?.length ?? 0;
      expect(counts.get(name)).toEqual({
        objects: occurrences('SPEC-OBJECT'),
        relations: occurrences('SPEC-RELATION'),
        places: occurrences('SPEC-HIERARCHY'),
        specifications: occurrences('SPECIFICATION'),
        relationGroups: occurrences('RELATION-GROUP'),
      });
      const objects = result.items.filter(({ kind }) => kind !== 'document');
      expect(objects).toHaveLength(occurrences('SPEC-OBJECT'));
      expect(result.items).toHaveLength(objects.length + occurrences('SPECIFICATION'));
      expect(result.links).toHaveLength(occurrences('SPEC-RELATION'));
      expect(result.statuses.get(name)).not.toBe('failed');
    },
  );

  test.each([
    ['validate-03_doctype_incorrect_encoding.reqif', 'unexpected_encoding', 1],
    ['validate-03_doctype_incorrect_encoding.reqif', 'unknown_datatype', 21],
    ['validate-SPEC-HIERARCHY-01_SPEC-OBJECT-REF_does_not_exist.reqif', 'dangling_reference', 11],
    ['validate-SPEC-RELATION-01_SOURCE_missing.reqif', 'incomplete_relation', 6],
    ['validate-SPEC-RELATION-04_TARGET_links_to_a_missing_SPEC-OBJECT.reqif', 'unknown_type', 6],
  ])('%s: %s', (name, code, line) => {
    const { result } = read(join('invalid', name));
    expect(codes(result)).toContain(`${code}:${line}`);
  });

  test('a relation to a missing object dangles in the graph', () => {
    const { result } = read(
      'invalid/validate-SPEC-RELATION-04_TARGET_links_to_a_missing_SPEC-OBJECT.reqif',
    );
    const graph = buildGraph(result, ['kind', 'title', 'statement']);
    const dangling = graphFindings(graph).filter(({ code }) => code === 'dangling_reference');
    expect(dangling).toMatchObject([
      { itemId: 'TEST_SPEC_OBJECT_IDENTIFIER', relatedIds: ['NON_EXISTING_UID'] },
    ]);
  });
});
