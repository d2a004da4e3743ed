// The graph written for other tools: texts of every kind stay inside their quotes.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { writeDot, writeGraphml, writeMermaid } from '../../../src/requirements/export/diagrams.ts';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import { cutGraph } from '../../../src/requirements/graph/cut.ts';
import type { Graph } from '../../../src/requirements/graph/model.ts';
import type { SourceItem, SourceLink } from '../../../src/requirements/sources/model.ts';
import { allNamed, textIn, xmlTree } from '../../support/xml-tree.ts';

function graphOf(
  ids: [string, string][],
  links: [string, string, SourceLink['type']][] = [],
): Graph {
  const items = ids.map(([id, title], line) => ({
    ...{
      id,
      title,
      line,
      kind: 'requirement',
      statement: 's',
      acceptance: [],
      rationale: null,
      status: null,
    },
    ...{ priority: null, tags: [], attributes: {}, path: 'a.md', parentId: null, active: true },
  })) as SourceItem[];
  const all = links.map(([from, to, type]) => ({ from, to, type, path: 'a.md', line: 0 }));
  return buildGraph({ items, links: all }, ['title']);
}

/** A graph as {@link graphOf}, whose ids may be any texts. */
function looseGraphOf(
  ids: [string, string][],
  links: [string, string, SourceLink['type']][] = [],
): Graph {
  const { nodes } = graphOf(ids.map(([, title], at): [string, string] => [`N${at}`, title]));
  const named = nodes.map((node, at) => ({ ...node, id: ids[at]?.[0] ?? '' }));
  const edges = links.map(([from, to, type]) => ({ from, to, type, status: 'dangling' }) as const);
  return { nodes: named, edges };
}

describe('exports [PQRS-19]', () => {
  test('name the parent of an addition that has left', () => {
    const { nodes } = graphOf([['A', 'x']]);
    const edge = { from: 'LEFT', to: 'A', type: 'contains', status: 'dangling' } as const;
    const graph = { nodes, edges: [edge] };
    expect(cutGraph(graph, {})).toEqual(graph);
    expect(cutGraph(graph, { kind: ['story'] }).edges).toEqual([]);
    expect(writeMermaid(graph)).toContain('  n1["LEFT"]\n  n1 -. "contains" .-> n0');
    expect(writeDot(graph)).toContain('"LEFT" -> "A" [label="contains", style=dashed, color=red];');
    const xml = xmlTree(writeGraphml(graph));
    const named = allNamed(xml, 'node').map(({ attributes }) => attributes.id);
    expect(named).toEqual(['A', 'LEFT']);
  });

  test('DOT quotes what it writes', () => {
    const text = writeDot(graphOf([['A"\\', 'x\ny']], [['A"\\', 'gone', 'depends']]));
    expect(text).toContain('"A\\"\\\\" [shape=box, label="A\\"\\\\\\nx\\ny"];');
    expect(text).toContain('-> "gone" [label="depends", style=dashed, color=red];');
  });

  test('DOT holds no character that Graphviz stops at or cannot show', () => {
    const { nodes } = graphOf([['A', 'a\u0000b\u007f\r\n\tc\rd\uffff']]);
    const to = (id: string) =>
      ({ from: 'A', to: id, type: 'depends', status: 'dangling' }) as const;
    const text = writeDot({ nodes, edges: [to('x\u0000')] });
    expect(text).toContain('label="A\\na\ufffdb\ufffd\\n\tc\\nd\ufffd"');
    expect(text).toContain('-> "x\ufffd" ');
    const anyText = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(anyText, anyText, anyText, (id, title, role) => {
        const graph = looseGraphOf([[id, title]]);
        const edges = [{ ...to(title), from: id, role }];
        const text = writeDot({ nodes: graph.nodes, edges });
        expect(text).not.toMatch(/(?![\t\n\u0080-\u009f])\p{Cc}/u);
      }),
    );
  });

  test('Mermaid shows the names of characters as they are, and nothing that controls', () => {
    const text = writeMermaid(graphOf([['A', '&lt;b&gt; &#35; a\u0000b\u007f\r\n\tc\uffff']]));
    expect(text).toContain('n0["A: #amp;lt;b#amp;gt; #amp;#35;35; a\ufffdb\ufffd c\ufffd"]');
    const anyText = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(anyText, anyText, (id, title) => {
        const text = writeMermaid(looseGraphOf([[id, title]]));
        expect(text).not.toMatch(/(?![\n\u0080-\u009f])\p{Cc}/u);
      }),
    );
  });

  test('GraphML has all that nodes and edges say', () => {
    const { nodes } = graphOf([
      ['A', 'a'],
      ['B', 'b'],
    ]);
    const more = {
      ...{ acceptance: ['one\u0000', '<two>'], rationale: 'why', tags: ['t'], active: false },
      attributes: { 'a "b"': [1, null], c: '\uffff' },
    };
    const edge = {
      from: 'A',
      to: 'B',
      type: 'refines',
      status: 'ok',
      attributes: { x: 1 },
    } as const;
    const written = nodes.map((node, at) => (at === 0 ? { ...node, ...more } : node));
    const tree = xmlTree(writeGraphml({ nodes: written, edges: [edge] }));
    const dataOf = (name: 'node' | 'edge', at: number) => {
      const element = allNamed(tree, name)[at];
      const data = element ? allNamed(element, 'data') : [];
      return Object.fromEntries(data.map((one) => [one.attributes.key, textIn(one)]));
    };
    const { acceptance, tags, attributes, rationale, active } = dataOf('node', 0);
    expect({ rationale, active }).toEqual({ rationale: 'why', active: 'false' });
    expect([acceptance, tags, attributes].map((text = '') => JSON.parse(text))).toEqual([
      ...[more.acceptance, more.tags, more.attributes],
    ]);
    expect(dataOf('edge', 0).edgeAttributes).toBe('{"x":1}');
    expect(Object.keys(dataOf('node', 1))).toEqual([
      ...['kind', 'title', 'statement', 'active', 'path', 'line'],
      ...['fingerprint', 'deepFingerprint'],
    ]);
  });

  test('GraphML gives back each text that XML can hold, and U+FFFD for what it cannot', () => {
    const texts = fc.string({
      unit: fc.constantFrom(...'a \t\n\r\u007f\u0085\u2028<&>"\'é😀'),
      minLength: 1,
    });
    fc.assert(
      fc.property(texts, texts, (id, title) => {
        const { nodes } = looseGraphOf([[id, title]]);
        const edge = { from: id, to: `${id}-`, type: 'relates', status: 'dangling' } as const;
        const tree = xmlTree(writeGraphml({ nodes, edges: [edge] }));
        const [node, gone] = allNamed(tree, 'node');
        expect([node?.attributes.id, gone?.attributes.id]).toEqual([id, `${id}-`]);
        const data = allNamed(tree, 'data').find(({ attributes }) => attributes.key === 'title');
        expect(textIn(data)).toBe(title);
      }),
    );
    expect(writeGraphml(graphOf([['A', 'a\u0000b\u001f\uffff']]))).toContain(
      '>a\ufffdb\ufffd\ufffd<',
    );
  });

  test('GraphML of any text is well-formed, with every node and edge in it', () => {
    const anyText = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(anyText, anyText), { selector: ([id]) => id, maxLength: 5 }),
        (ids) => {
          const graph = looseGraphOf(
            ids,
            ids.map(([id]) => [id, 'gone', 'relates']),
          );
          const names: string[] = [];
          const parser = new SaxesParser();
          parser.on('error', (error) => {
            throw error;
          });
          parser.on('opentag', ({ name }) => names.push(name));
          parser.write(writeGraphml(graph)).close();
          expect(names.filter((name) => name === 'edge')).toHaveLength(graph.edges.length);
          expect(names.filter((name) => name === 'node')).toHaveLength(
            ids.length + (ids.length > 0 ? 1 : 0),
          );
        },
      ),
    );
  });
});

describe('cuts [PQRS-17]', () => {
  const graph = graphOf(
    [
      ['A', 'top'],
      ['B', 'middle'],
      ['C', 'low'],
      ['D', 'aside'],
    ],
    [
      ['B', 'A', 'refines'],
      ['C', 'B', 'verifies'],
      ['A', 'C', 'depends'],
      ['D', 'A', 'relates'],
    ],
  );
  const ids = (cut: Parameters<typeof cutGraph>[1]) =>
    cutGraph(graph, cut).nodes.map(({ id }) => id);

  test('reach what hangs below a root, rings included, step by step', () => {
    expect(ids({ root: 'A' })).toEqual(['A', 'B', 'C']);
    expect(ids({ root: 'A', depth: 1 })).toEqual(['A', 'B']);
    expect(ids({ root: 'D' })).toEqual(['D']);
  });

  test('keep only edges between what is left', () => {
    expect(cutGraph(graph, { root: 'A', depth: 1 }).edges).toEqual([
      { from: 'B', to: 'A', type: 'refines', status: 'ok' },
    ]);
  });

  test('by words look at id, title and statement', () => {
    expect(ids({ q: 'MIDDLE b' })).toEqual(['B']);
    for (const blank of ['', ' ']) expect(ids({ q: blank })).toEqual(['A', 'B', 'C', 'D']);
  });

  test.each([
    ['pay', ['US-1']],
    ['pay*', ['US-1', 'US-12']],
    ['us-1', ['US-1', 'US-2']],
    ['us-1*', ['US-1', 'US-12', 'US-2']],
    ['us', ['US-1', 'US-12', 'US-2']],
    ['"to pay once"', ['US-1']],
    ['"pay to once"', []],
    ['"pay  ONCE" us', ['US-1']],
    ['"pay once', ['US-1']],
    ['cafe', ['US-12']],
    ['CAFÉ payments', ['US-12']],
    ['once OR payments', []],
    ['title:pay', []],
    ['"payments s"', []],
    ['* " (', []],
    [':', []],
    ['😀', []],
    ['- pay', ['US-1']],
    ['a.b(', ['US-2']],
  ])('by %j finds words, phrases and beginnings', (q, found) => {
    const shop = graphOf([
      ['US-1', 'Wants to pay: once'],
      ['US-12', 'Payments in the cafe\u0301'],
      ['US-2', 'rests on US-1, a.b'],
    ]);
    expect(cutGraph(shop, { q }).nodes.map(({ id }) => id)).toEqual(found);
  });
});
