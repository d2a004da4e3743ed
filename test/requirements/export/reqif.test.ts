// What the ReqIF export holds, and what of it is read again.
import { describe, expect, test } from 'bun:test';
import { writeReqif } from '../../../src/requirements/export/reqif.ts';
import type { Graph, GraphEdge, GraphNode } from '../../../src/requirements/graph/model.ts';
import { readSources } from '../../support/read-sources.ts';
import { filesOf } from '../../support/source-files.ts';
import { allNamed, elements, textIn, xmlTree } from '../../support/xml-tree.ts';

const SUBJECT = { project: 'a<b', revision: 3, at: 1_700_000_000_000 };

function node(id: string, more: Partial<GraphNode> = {}): GraphNode {
  return {
    ...{ id, kind: 'requirement', title: '', statement: '', acceptance: [], rationale: null },
    ...{ status: null, priority: null, tags: [], attributes: {}, active: true, order: 0 },
    ...{ source: { path: 'a', line: 1 }, fingerprint: '', deepFingerprint: '' },
    ...more,
  };
}

function graphOf(
  nodes: GraphNode[],
  ...edges: [from: string, type: string, to: string, role?: string][]
): Graph {
  return {
    nodes,
    edges: edges.map(
      ([from, type, to, role]): GraphEdge => ({
        ...{ from, to, type: type as GraphEdge['type'], status: 'ok' },
        ...(role === undefined ? {} : { role }),
      }),
    ),
  };
}

function again(graph: Graph) {
  const files = filesOf({ 'a.reqif': writeReqif(graph, SUBJECT) });
  return readSources(
    files.map((file) => ({ ...file, format: null })),
    [],
  ).graph;
}

const FULL = graphOf(
  [
    node('D', { kind: 'document', title: 'Doc' }),
    node('D#1', { kind: 'section', title: 'One' }),
    node('R-1', {
      title: 'T',
      statement: 'a\nb',
      status: 'open',
      tags: ['x', 'y'],
      attributes: { Size: 3, Safe: true, 'ReqIF.Text': 'other', status: 'mine' },
    }),
    node('S-1', { kind: 'story', title: 'Story', acceptance: ['one', 'two\nmore'], active: false }),
    node('loose', { statement: 'back\\slash' }),
  ],
  ['D', 'contains', 'D#1'],
  ['D#1', 'contains', 'R-1'],
  ['D', 'contains', 'S-1'],
  ['S-1', 'verifies', 'R-1', 'isVerifiedBy'],
  ['R-1', 'satisfies', 'loose', 'strange'],
  ['R-1', 'refines', 'D'],
  ['R-1', 'depends', 'gone'],
);

describe('a document [PQRS-19]', () => {
  const text = writeReqif(FULL, SUBJECT);
  const tree = xmlTree(text);

  test('identifiers are legal and there once; every reference is to one', () => {
    const ids = [...text.matchAll(/ IDENTIFIER="([^"]*)"/g)].map(([, id]) => id ?? '');
    expect(ids.filter((id) => !/^[A-Za-z_][\w.-]*$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    const refs = [...text.matchAll(/<[A-Z-]+-REF>([^<]*)</g)].map(([, id]) => id ?? '');
    expect(refs.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test('what StrictDoc cannot have is not there', () => {
    const types = allNamed(tree, 'SPEC-OBJECT-TYPE');
    expect(types.map(({ attributes }) => attributes['LONG-NAME'])).toEqual([
      'Heading',
      'Requirement',
      'Story',
    ]);
    for (const type of types) {
      const names = elements(elements(type, 'SPEC-ATTRIBUTES')[0]).map(({ attributes }) =>
        (attributes['LONG-NAME'] ?? '')
          .replace('ReqIF.Text', 'STATEMENT')
          .replace(/\W/g, '_')
          .toUpperCase(),
      );
      expect(new Set(names).size).toBe(names.length);
    }
    expect(text).not.toMatch(/-(?:BOOLEAN|REAL)[ >]/);
    for (const value of allNamed(tree, 'ATTRIBUTE-VALUE-STRING'))
      expect(value.attributes['THE-VALUE']).not.toMatch(/[\n\\#]/);
  });

  test('is read again', () => {
    const { nodes, edges } = again(FULL);
    expect(nodes.map(({ id, kind }) => [id, kind])).toEqual([
      ...[
        ['D', 'document'],
        ['D:1', 'section'],
        ['R-1', 'requirement'],
        ['S-1', 'story'],
      ],
      ...[
        ['pqrs.loose', 'document'],
        ['loose', 'requirement'],
      ],
    ] as never);
    expect(nodes[2]).toMatchObject({
      ...{ title: 'T', statement: 'a\nb', status: 'open', tags: ['x', 'y'] },
      attributes: {
        Size: '3',
        Safe: 'true',
        'ReqIF.Text 2': 'other',
        'status 2': 'mine',
        Links: 'refines D\ndepends gone',
      },
    });
    expect(nodes[3]).toMatchObject({ acceptance: ['one', 'two\nmore'], active: false });
    expect(nodes[5]?.statement).toBe('back\\slash');
    const links = edges.filter(({ type }) => type !== 'contains');
    expect(links).toMatchObject([
      { from: 'R-1', to: 'loose', type: 'satisfies', attributes: { Role: 'strange' } },
      { from: 'S-1', to: 'R-1', type: 'verifies', role: 'isVerifiedBy' },
    ]);
  });

  test('a relation runs as its name says', () => {
    const relation = allNamed(tree, 'SPEC-RELATION').find(
      (one) => textIn(elements(one, 'TYPE')[0]).trim() === 'pqrs.spec-relation.1',
    );
    expect(textIn(elements(relation, 'SOURCE')[0]).trim()).toBe('pqrs.item.R-1');
  });
});

test.each([
  ...['plain', 'a\nb', 'a\n\nb', '- a\n  b\n- c', 'a  b\tc', 'x < y & "z"', 'a\n\n\n\nb', '\\d'],
])('the text %j is read as it was [PQRS-19]', (statement) => {
  expect(again(graphOf([node('R', { statement })])).nodes[1]?.statement).toBe(statement);
});

test('deep nesting is bounded, and rings are written', () => {
  const nodes = Array.from({ length: 5000 }, (_, at) => node(`n${at}`));
  const chain = nodes
    .slice(1)
    .map((_, at): [string, string, string] => [`n${at}`, 'contains', `n${at + 1}`]);
  expect(again(graphOf(nodes, ...chain)).nodes).toHaveLength(5001);
  const ring = graphOf([node('a'), node('b')], ['a', 'contains', 'b'], ['b', 'contains', 'a']);
  expect(again(ring).nodes).toHaveLength(3);
});
