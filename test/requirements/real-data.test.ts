// What other projects wrote, read as an import reads it, against what their own tools say of it and
// what stands in the raw files.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Graph, GraphNode } from '../../src/requirements/graph/model.ts';
import type { ReadSources } from '../../src/requirements/import/read-sources.ts';
import { DEFAULT_SETTINGS } from '../../src/requirements/projects/settings.ts';
import type { SourceFile } from '../../src/requirements/sources/model.ts';
import { readSources } from '../support/read-sources.ts';
import { sharedData } from '../support/shared-data.ts';
import { filesIn } from '../support/source-files.ts';
import { allNamed, elements, textIn, type XmlTree, xmlTree } from '../support/xml-tree.ts';

function read(files: readonly SourceFile[]): ReadSources {
  return readSources(
    files.map((file) => ({ ...file, format: null })),
    DEFAULT_SETTINGS.normative,
  );
}

const codesIn = ({ findings }: ReadSources) =>
  findings.map(({ code, itemId }) => `${itemId} ${code}`);
const links = ({ edges }: Graph) => edges.filter(({ type }) => type !== 'contains');

describe('Doorstop [PQRS-6]', () => {
  const folder = sharedData('doorstop');
  if (folder === undefined) return;
  const set = read(filesIn(folder));

  test('every item in its document', () => {
    const kinds = Map.groupBy(set.graph.nodes, ({ kind }) => kind === 'document');
    expect([kinds.get(true)?.length, kinds.get(false)?.length]).toEqual([5, 57]);
    expect(set.sources.filter(({ status }) => status === 'failed')).toEqual([]);
  });

  test('for each check that Doorstop makes, what it reports and nothing else', () => {
    const codes = [
      ...['unparsed_source', 'invalid_item', 'invalid_id', 'duplicate_id', 'prefix_mismatch'],
      ...['missing_statement', 'non_normative_linked', 'non_normative_referenced', 'orphan'],
      ...['wrong_parent_document', 'inactive_referenced', 'dangling_reference', 'self_reference'],
      ...['suspect_link', 'unreviewed_item', 'reference_changed', 'missing_reference', 'cycle'],
      ...['duplicate_level', 'skipped_level', 'empty_document'],
    ];
    const found = codesIn(set).filter((one) => codes.includes(one.split(' ')[1] ?? ''));
    expect(found.sort()).toEqual([
      'EXT001 orphan',
      'EXT002 orphan',
      'HLT001 suspect_link',
      'TUT003 missing_statement',
      'TUT003 orphan',
      'TUT017 unreviewed_item',
      'TUT022 missing_statement',
      'TUT022 non_normative_linked',
    ]);
  });

  test('what it only tells of', () => {
    const codes = ['no_child_links', 'not_kept'];
    const found = codesIn(set).filter((one) => codes.includes(one.split(' ')[1] ?? ''));
    expect(found.sort()).toEqual([
      'TUT003 no_child_links',
      'TUT020 no_child_links',
      'null not_kept',
    ]);
  });

  test('the one suspect link is one in the graph', () => {
    expect(links(set.graph).filter(({ status }) => status !== 'ok')).toEqual([
      { from: 'HLT001', to: 'TUT017', type: 'refines', status: 'suspect' },
    ]);
  });
});

test('Zephyr has 288 requirements in 28 documents, and 257 links to parents [PQRS-7]', () => {
  const folder = sharedData('strictdoc', 'zephyr');
  if (folder === undefined) return;
  const { graph, sources, findings } = read(filesIn(folder));
  const count = (kind: string) => graph.nodes.filter((node) => node.kind === kind).length;
  expect([count('requirement'), count('document'), count('section')]).toEqual([288, 28, 37]);
  expect(new Set(graph.nodes.map(({ id }) => id)).size).toBe(288 + 28 + 37);
  const inside = new Set(graph.edges.filter(({ type }) => type === 'contains').map(({ to }) => to));
  expect(graph.nodes.filter(({ id }) => !inside.has(id)).map(({ id }) => id)).toEqual([
    'software_requirements/index.sdoc',
    'system_requirements/index.sdoc',
  ]);
  expect(links(graph)).toHaveLength(257);
  expect(links(graph).every(({ type, status }) => type === 'refines' && status === 'ok')).toBe(
    true,
  );
  expect(sources.every(({ status }) => status === 'parsed')).toBe(true);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

/** What a SPEC-OBJECT says in the raw file: of each attribute the texts of its value. */
function saidBy(object: XmlTree, file: XmlTree): string[] {
  const labels = new Map(
    allNamed(file, 'ENUM-VALUE').map((value) => {
      const { IDENTIFIER = '', 'LONG-NAME': name } = value.attributes;
      return [
        IDENTIFIER,
        name ?? allNamed(value, 'EMBEDDED-VALUE')[0]?.attributes.KEY ?? IDENTIFIER,
      ];
    }),
  );
  const typeId = textIn(elements(object, 'TYPE')[0]).trim();
  const type = allNamed(file, 'SPEC-OBJECT-TYPE').find(
    ({ attributes }) => attributes.IDENTIFIER === typeId,
  );
  const given = elements(elements(object, 'VALUES')[0]);
  const names = given.map((value) => textIn(elements(value, 'DEFINITION')[0]).trim());
  const defaults = elements(elements(type, 'SPEC-ATTRIBUTES')[0]).flatMap((definition) =>
    names.includes(definition.attributes.IDENTIFIER ?? '')
      ? []
      : elements(elements(definition, 'DEFAULT-VALUE')[0]),
  );
  return [...given, ...defaults].flatMap((value) => {
    if (value.name.endsWith('-ENUMERATION')) {
      const refs = elements(elements(value, 'VALUES')[0], 'ENUM-VALUE-REF');
      return refs.map((ref) => labels.get(textIn(ref).trim()) ?? textIn(ref).trim());
    }
    if (value.name.endsWith('-XHTML')) return wordsIn(elements(value, 'THE-VALUE')[0]);
    return [value.attributes['THE-VALUE'] ?? ''];
  });
}

/** The words of each text in an element: one that marks up a letter does not part them. */
function wordsIn(tree: XmlTree | undefined): string[] {
  return (tree?.children ?? []).flatMap((child) =>
    typeof child === 'string' ? (child.match(/[\p{L}\p{N}]+/gu) ?? []) : wordsIn(child),
  );
}

/** Whether a node says a text: as it is, or as the number or truth value that it stands for. */
function says(node: GraphNode, text: string): boolean {
  const { id, title, statement, acceptance, rationale, status, priority, tags, attributes } = node;
  const all = JSON.stringify([
    ...[id, title, statement, acceptance, rationale, status, priority, tags],
    Object.values(attributes),
    node.active,
  ]);
  const known = [text, text.trim(), String(Number(text)), String(text === '1'), String(text)];
  return known.some((one) => all.includes(JSON.stringify(one).slice(1, -1)));
}

describe('ReqIF [PQRS-9]', () => {
  const folder = sharedData('reqif');
  if (folder === undefined) return;
  const files = filesIn(folder);

  describe.each(files.map(({ path }) => path).filter((path) => !path.includes('/')))(
    '%s',
    (path) => {
      const file = files.find((one) => one.path === path) as SourceFile;
      const { graph, findings, sources } = read([file]);
      const raw = xmlTree(readFileSync(join(folder, path), 'utf8'));
      const count = (name: string) => allNamed(raw, name).length;

      test('as many nodes, relations and places as in the raw file', () => {
        const objects = graph.nodes.filter(({ kind }) => kind !== 'document');
        expect(objects).toHaveLength(count('SPEC-OBJECT'));
        expect(graph.nodes).toHaveLength(count('SPEC-OBJECT') + count('SPECIFICATION'));
        expect(links(graph)).toHaveLength(count('SPEC-RELATION'));
        const placed = graph.edges.filter(({ type }) => type === 'contains').length;
        const more = objects.flatMap(({ attributes }) => attributes['reqif:places'] ?? []).length;
        const lost = findings.filter(
          ({ code, detail }) => code === 'dangling_reference' && detail.includes('SPEC-HIERARCHY'),
        ).length;
        expect(placed + more + lost).toBe(count('SPEC-HIERARCHY'));
        expect(sources[0]?.items).toBe(graph.nodes.length);
      });

      test('every value is there: enumerations by name, XHTML as its text, defaults filled in', () => {
        const byIdentifier = new Map(
          graph.nodes.map((node) => [String(node.attributes['reqif:identifier']), node]),
        );
        for (const object of allNamed(raw, 'SPEC-OBJECT')) {
          const node = byIdentifier.get(object.attributes.IDENTIFIER ?? '') as GraphNode;
          const missing = saidBy(object, raw).filter((text) => !says(node, text));
          expect(missing).toEqual([]);
          expect(node.statement).not.toMatch(/<\/?(?:xhtml|reqif-xhtml|div|p|br)[:\s/>]/);
        }
      });

      test('names and groups of relations', () => {
        const names = new Map(
          allNamed(raw, 'SPEC-RELATION-TYPE').map(({ attributes }) => [
            attributes.IDENTIFIER,
            attributes['LONG-NAME'],
          ]),
        );
        const byIdentifier = new Map(
          links(graph).map((edge) => [String(edge.attributes?.['reqif:identifier']), edge]),
        );
        for (const relation of allNamed(raw, 'SPEC-RELATION')) {
          const id = relation.attributes.IDENTIFIER ?? '';
          expect(byIdentifier.get(id)?.role).toBe(
            names.get(textIn(elements(relation, 'TYPE')[0]).trim()),
          );
          const groups = allNamed(raw, 'RELATION-GROUP').filter((group) =>
            allNamed(group, 'SPEC-RELATION-REF').some((ref) => textIn(ref).trim() === id),
          );
          const inGroups = byIdentifier.get(id)?.attributes?.['reqif:relation-groups'] ?? [];
          expect(inGroups).toHaveLength(groups.length);
        }
      });
    },
  );

  test.each([
    ['validate-03_doctype_incorrect_encoding.reqif', ['invalid_encoding:1', 'unknown_type:21']],
    ['validate-SPEC-HIERARCHY-01_SPEC-OBJECT-REF_does_not_exist.reqif', ['dangling_reference:11']],
    ['validate-SPEC-RELATION-01_SOURCE_missing.reqif', ['missing_field:6']],
    [
      'validate-SPEC-RELATION-04_TARGET_links_to_a_missing_SPEC-OBJECT.reqif',
      ['dangling_reference:20', 'unknown_type:20'],
    ],
  ])('invalid/%s', (name, expected) => {
    const file = files.find(({ path }) => path === `invalid/${name}`) as SourceFile;
    const found = read([file]).findings.map(({ code, line }) => `${code}:${line}`);
    for (const one of expected) expect(found).toContain(one);
  });
});

describe('needs.json [PQRS-8]', () => {
  const folder = sharedData('needs-json');
  if (folder === undefined) return;
  const files = filesIn(folder);

  test('all needs of the current versions, with their links', () => {
    for (const file of files.filter(({ path }) => !path.includes('/'))) {
      const raw = JSON.parse(new TextDecoder().decode(file.bytes));
      const { needs } = raw.versions[raw.current_version];
      const { graph, findings } = read([file]);
      const ids = new Set(graph.nodes.map(({ id }) => id));
      expect(Object.keys(needs).filter((id) => !ids.has(id))).toEqual([]);
      const declared = Object.values<{ links?: string[] }>(needs).flatMap(
        (need) => need.links ?? [],
      );
      expect(links(graph).length).toBeGreaterThanOrEqual(new Set(declared).size);
      expect(findings.filter(({ code }) => code === 'unparsed_source')).toEqual([]);
    }
  });

  test.each([
    ['not_json.json', 'unparsed_source:1', 'failed'],
    ['no_needs.json', 'empty_document:1', 'parsed'],
  ])('invalid/%s', (name, finding, status) => {
    const file = files.find(({ path }) => path === `invalid/${name}`) as SourceFile;
    const { findings, sources } = read([file]);
    expect(findings.map(({ code, line }) => `${code}:${line}`)).toEqual([finding]);
    expect(sources[0]?.status).toBe(status as 'failed');
  });
});
