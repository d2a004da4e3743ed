// Our own format: what is written is read again as the same graph, and what is wrong is reported by line.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { writeSrsJson } from '../../../src/requirements/export/json.ts';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import type { Graph } from '../../../src/requirements/graph/model.ts';
import { idFault } from '../../../src/requirements/sources/item-ids.ts';
import {
  type AttributeValue,
  EDGE_TYPES,
  NODE_KINDS,
  type SourceItem,
  type SourceLink,
} from '../../../src/requirements/sources/model.ts';
import { readSrsJson } from '../../../src/requirements/sources/srs-json/reader.ts';
import { readSources } from '../../support/read-sources.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const read = (text: string) => readSrsJson(filesOf({ 'srs.json': text }));
const codesIn = (text: string) => read(text).findings.map(({ code, line }) => `${code} ${line}`);
const graphOf = (text: string): Graph => {
  const { nodes, edges } = buildGraph(read(text), ['kind', 'title', 'statement', 'links']);
  return { nodes, edges };
};

const text = fc.string({ unit: 'binary', maxLength: 12 });
const nullable = fc.option(text);
const { attribute } = fc.letrec<{ attribute: AttributeValue }>((tie) => ({
  attribute: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('attribute'), { maxLength: 3 }),
  ),
}));

const item = (id: string): fc.Arbitrary<SourceItem> =>
  fc.record({
    ...{ id: fc.constant(id), kind: fc.constantFrom(...NODE_KINDS), title: text, statement: text },
    ...{ acceptance: fc.array(text, { maxLength: 3 }), rationale: nullable, status: nullable },
    ...{ priority: nullable, tags: fc.array(text, { maxLength: 3 }) },
    attributes: fc.dictionary(text, attribute, { maxKeys: 3 }),
    ...{ path: fc.constantFrom('a.md', 'b/c.sdoc'), line: fc.integer({ min: 0, max: 9 }) },
    ...{ parentId: fc.constant(null), active: fc.boolean() },
  });

const anyId = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('', ' ', '\ufeff', '..', 'a\nb', '\ud800', 'x'.repeat(1001)),
);
const usable = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 6 })
  .filter((id) => idFault(id) === undefined);

const contentOf = (id: fc.Arbitrary<string>) =>
  fc
    .uniqueArray(id, { maxLength: 8 })
    .chain((ids) => {
      const links: fc.Arbitrary<SourceLink[]> =
        ids.length === 0
          ? fc.constant([])
          : fc.array(
              fc.record(
                {
                  from: fc.constantFrom(...ids),
                  to: fc.oneof(fc.constantFrom(...ids), fc.constant('gone')),
                  type: fc.constantFrom(...EDGE_TYPES.filter((type) => type !== 'contains')),
                  ...{ path: fc.constant('a.md'), line: fc.constant(1), suspect: fc.boolean() },
                  ...{ role: text, attributes: fc.dictionary(text, attribute, { maxKeys: 2 }) },
                },
                { requiredKeys: ['from', 'to', 'type', 'path', 'line'] },
              ),
              { maxLength: 10 },
            );
      const parents = fc.array(fc.option(fc.nat(100)), {
        minLength: ids.length,
        maxLength: ids.length,
      });
      return fc.record({ items: fc.tuple(...ids.map(item)), links, parents });
    })
    // Only what comes before may contain: no circles.
    .map(({ items, links, parents }) => ({
      links,
      items: items.map((one, at): SourceItem => {
        const parent = parents[at] ?? null;
        const placed = { ...one, order: (at * 7) % items.length };
        return parent === null || at === 0
          ? placed
          : { ...placed, parentId: items[parent % at]?.id ?? null };
      }),
    }));

const content = contentOf(usable);

describe('the round trip [PQRS-13]', () => {
  test('gives whatever came into a graph as it is there, whatever readers gave as ids', () => {
    fc.assert(
      fc.property(contentOf(anyId), (source) => {
        const { nodes, edges } = buildGraph(source, ['kind', 'title', 'statement', 'links']);
        const written = writeSrsJson({ nodes, edges });
        expect(read(written).findings).toEqual([]);
        expect(graphOf(written)).toEqual({ nodes, edges });
      }),
    );
  });

  test('gives every graph as it was', () => {
    fc.assert(
      fc.property(content, (source) => {
        const built = buildGraph(source, ['kind', 'title', 'statement', 'links']);
        const graph = { nodes: built.nodes, edges: built.edges };
        const written = writeSrsJson(graph);
        expect(read(written).findings).toEqual([]);
        expect(graphOf(written)).toEqual(graph);
        expect(writeSrsJson(graphOf(written))).toBe(written);
      }),
      { numRuns: 300 },
    );
  });

  test('keeps an attribute whatever its name', () => {
    const node = '{"id":"A","kind":"story","attributes":{"__proto__":1,"a\\nb":[null]}}';
    const { items, findings } = read(
      `{"format":"pqrs-srs","version":1,"nodes":[${node}],"edges":[]}`,
    );
    expect(findings).toEqual([]);
    expect(Object.entries(items[0]?.attributes ?? {})).toEqual([
      ['__proto__', 1],
      ['a\nb', [null]],
    ]);
  });
});

test('the nodes of a file count as its own, wherever they once stood [PQRS-13]', () => {
  const node = (id: string, path: string) =>
    `{"id":"${id}","kind":"story","source":{"path":"${path}","line":4}}`;
  const text = `{"format":"pqrs-srs","version":1,"comment":"by hand","edges":[],
    "nodes":[${node('A', 'a.md')},${node('B', 'old/b.md')},${node('C', 'srs.json')}]}`;
  const files = filesOf({ 'a.md': '# US-1: x\n', 'srs.json': text });
  const { sources, graph } = readSources(
    files.map((file) => ({ ...file, format: null })),
    [],
  );
  expect(sources.map(({ path, status, items }) => [path, status, items])).toEqual([
    ['a.md', 'parsed', 2],
    ['srs.json', 'partial', 3],
  ]);
  expect(graph.nodes.find(({ id }) => id === 'B')?.source).toEqual({ path: 'old/b.md', line: 4 });
});

describe('the fixture [PQRS-13]', () => {
  const result = readSrsJson(filesIn(join(import.meta.dir, '..', '..', 'fixtures', 'srs-json')));

  test('is read whole', () => {
    expect(result.findings).toEqual([]);
    expect([...result.statuses]).toEqual([['shop.json', 'parsed']]);
    const places = result.items.map(({ id, path, line, parentId }) => [id, path, line, parentId]);
    expect(places).toEqual([
      ['REQ-1', 'old/cards.md', 12, null],
      ['shop', 'shop.json', 3, null],
      ['US-1', 'shop.json', 4, 'shop'],
    ]);
    expect(result.items[0]).toMatchObject({ status: 'agreed', priority: 'high', active: false });
    expect(result.items[2]?.attributes).toEqual({ risk: 2, sites: ['a', ['b']] });
    const links = result.links.map(({ item, ...link }) => ({ ...link, by: item?.id }));
    const place = (line: number) => ({ path: 'shop.json', line });
    expect(links).toEqual([
      { from: 'REQ-1', to: 'US-1', type: 'refines', ...place(9), suspect: true, by: 'REQ-1' },
      { from: 'US-1', to: 'US-9', type: 'depends', ...place(10), by: 'US-1' },
    ]);
  });
});

const document = (nodes: string, edges = '') =>
  `{"format":"pqrs-srs","version":1,\n"nodes":[\n${nodes}\n],\n"edges":[\n${edges}\n]}`;
const A = '{"id":"A","kind":"story"}';
const B = '{"id":"B","kind":"story"}';
const contains = (from: string, to: string) => `{"from":"${from}","to":"${to}","type":"contains"}`;

describe('what is wrong [PQRS-13]', () => {
  test.each([
    ['a text that breaks off', '{"format":"pqrs-srs",\n"nodes":[', 'unparsed_source 2', 'failed'],
    ['no JSON', '{"format":\n nonsense}', 'unparsed_source 2', 'failed'],
    ['another top', '[]', 'unparsed_source 1', 'failed'],
    ['another format', '{\n"format":"x"}', 'unparsed_source 2', 'failed'],
    ['another version', '{"format":"pqrs-srs",\n"version":2}', 'unparsed_source 2', 'failed'],
    [
      'nodes that are no list',
      '{"format":"pqrs-srs","version":1,"edges":[],\n"nodes":{}}',
      'invalid_value 2',
      'partial',
    ],
    ['a kind that is not known', document('{"id":"A","kind":"x"}'), 'invalid_value 3', 'partial'],
    ['no id', document(`${A},\n{"kind":"story"}`), 'invalid_value 4', 'partial'],
    ['an empty id', document(`${A},\n{"id":"","kind":"story"}`), 'invalid_id 4', 'partial'],
    ['a blank id', document('{"id":" ","kind":"story"}'), 'invalid_id 3', 'partial'],
    ['an id of a mark', document('{"id":"\ufeff","kind":"story"}'), 'invalid_id 3', 'partial'],
    [
      'an edge to what is no id',
      document(A, '{"from":"A","to":"a\\nb","type":"refines"}'),
      'invalid_link 6',
      'partial',
    ],
    ['NUL in an id', document('{"id":"x\\u0000y","kind":"story"}'), 'invalid_id 3', 'partial'],
    ['a new line in an id', document('{"id":"x\\ny","kind":"story"}'), 'invalid_id 3', 'partial'],
    [
      'half a surrogate pair',
      document('{"id":"\\ud800","kind":"story"}'),
      'invalid_id 3',
      'partial',
    ],
    ['an id of dots', document('{"id":"..","kind":"story"}'), 'invalid_id 3', 'partial'],
    ['a long id', document(`{"id":"${'x'.repeat(1001)}","kind":"x"}`), 'invalid_id 3', 'partial'],
    [
      'an object as attribute',
      document('{"id":"A","kind":"story","attributes":{"a":{}}}'),
      'invalid_value 3',
      'partial',
    ],
    [
      'deep nesting',
      document(`{"id":"A","kind":"story","attributes":{"a":${'['.repeat(100)}${']'.repeat(100)}}}`),
      'unparsed_source 3',
      'failed',
    ],
    [
      'a field that is not known in a place',
      document('{"id":"A","kind":"story","source":{"path":"p","line":1,\n"column":2}}'),
      'not_kept 4',
      'partial',
    ],
    [
      'one in the place of an edge',
      document(
        A,
        '{"from":"A","to":"A","type":"refines",\n"source":{"column":2,"path":"p","line":1}}',
      ),
      'not_kept 7',
      'partial',
    ],
    [
      'a field that is not known',
      document('{"id":"A","kind":"story",\n"colour":1}'),
      'not_kept 4',
      'partial',
    ],
    [
      'a field twice',
      document('{"id":"A","kind":"story",\n"title":"a","title":"b"}'),
      'not_kept 4',
      'partial',
    ],
    [
      'an attribute twice',
      document('{"id":"A","kind":"story","attributes":{"x":"a: \\"b",\n"x":1}}'),
      'not_kept 4',
      'partial',
    ],
    [
      'an attribute of an edge twice',
      document(A, '{"from":"A","to":"B","type":"refines","attributes":{"x":1,\n"x":2}}'),
      'not_kept 7',
      'partial',
    ],
    [
      'a place twice',
      document('{"id":"A","kind":"story","source":{"path":"a","line":1,\n"line":2}}'),
      'not_kept 4',
      'partial',
    ],
    ['an edge without a type', document(A, '{"from":"A","to":"A"}'), 'invalid_link 6', 'partial'],
    ['a parent that is not there', document(A, contains('B', 'A')), 'invalid_link 6', 'partial'],
    ['a child that is not there', document(A, contains('A', 'B')), 'invalid_link 6', 'partial'],
    ['a node in itself', document(A, contains('A', 'A')), 'invalid_link 6', 'partial'],
    [
      'a circle',
      document(`${A},${B}`, `${contains('A', 'B')},\n${contains('B', 'A')}`),
      'invalid_link 7',
      'partial',
    ],
    [
      'two parents',
      document(
        `${A},${B},{"id":"C","kind":"story"}`,
        `${contains('A', 'C')},\n${contains('B', 'C')}`,
      ),
      'invalid_link 7',
      'partial',
    ],
  ])('%s', (_name, source, finding, status) => {
    expect(codesIn(source)).toEqual([finding]);
    expect(read(source).statuses.get('srs.json')).toBe(status as 'failed');
  });

  test.each([
    ['{"kind":"story"}', '/id '],
    ['[]', 'object'],
    ['{"id":"A","kind":"epic"}', 'kind'],
    ['{"id":"A","kind":"story","title":1}', 'title'],
    ['{"id":"A","kind":"story","status":1}', 'status'],
    ['{"id":"A","kind":"story","tags":["a",1]}', 'tags'],
    ['{"id":"A","kind":"story","tags":[12345678901234567890]}', 'tags'],
    ['{"id":"A","kind":"story","active":0}', 'active'],
    ['{"id":"A","kind":"story","attributes":[]}', 'attributes'],
    ['{"id":"A","kind":"story","attributes":{"b":[{}]}}', '/attributes/b'],
    ['{"id":"A","kind":"story","source":{"line":1}}', 'path'],
    ['{"id":"A","kind":"story","source":{"path":"a","line":-1}}', 'line'],
  ])('the node %s is left out for its %s', (node, name) => {
    const { items, findings } = read(document(`${A},\n${node}`));
    expect(items.map(({ id }) => id)).toEqual(['A']);
    expect(findings.map(({ code, line }) => [code, line])).toEqual([['invalid_value', 4]]);
    expect(findings[0]?.detail).toContain(name);
  });

  test('a node that is wrong leaves the others', () => {
    expect(read(document(`{"id":1},\n${B}`)).items.map(({ id }) => id)).toEqual(['B']);
  });
});

test('25,000 nodes in circles and chains are read in seconds', () => {
  const nodes = Array.from({ length: 25_000 }, (_, i) => `{"id":"R${i}","kind":"story"}`);
  const edges = nodes.map((_, i) => contains(`R${i % 2 === 0 ? i + 1 : i - 1}`, `R${i}`));
  const { items } = read(document(nodes.join(',\n'), edges.join(',\n')));
  expect(items.length).toBe(25_000);
});
