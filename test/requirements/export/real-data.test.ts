// What we write of the requirements of other projects, read again: the same nodes and edges.
import { describe, expect, test } from 'bun:test';
import { writeDot, writeGraphml, writeMermaid } from '../../../src/requirements/export/diagrams.ts';
import { writeNeedsJson, writeSrsJson } from '../../../src/requirements/export/json.ts';
import { writeReqif } from '../../../src/requirements/export/reqif.ts';
import { type Graph, isNormative } from '../../../src/requirements/graph/model.ts';
import { DEFAULT_SETTINGS } from '../../../src/requirements/projects/settings.ts';
import type { SourceFile } from '../../../src/requirements/sources/model.ts';
import { readSources } from '../../support/read-sources.ts';
import { sharedData } from '../../support/shared-data.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';
import { allNamed, elements, textIn, type XmlTree, xmlTree } from '../../support/xml-tree.ts';

function read(files: readonly SourceFile[]) {
  return readSources(
    files.map((file) => ({ ...file, format: null })),
    DEFAULT_SETTINGS.normative,
  );
}

describe('real sets, written and read again [PQRS-19]', () => {
  const subject = { project: 'real', revision: 7, at: 1_700_000_000_000 };
  const folders = ['doorstop', 'strictdoc/zephyr', 'reqif', 'needs-json'];
  const found = folders.flatMap((name) => {
    const folder = sharedData(...name.split('/'));
    if (folder === undefined) return [];
    const valid = filesIn(folder).filter(({ path }) => !path.startsWith('invalid/'));
    return [[name, read(valid).graph] as const];
  });
  if (found.length === 0) return;

  /** What ReqIF can hold: no `#` in the ids of sections, no documents in others, no links to them. */
  const summaryOf = ({ nodes, edges }: Graph) => {
    const objects = new Map(
      nodes.flatMap(({ id, kind }) => (kind === 'document' ? [] : [[id, kind]])),
    );
    const inside = new Map(
      edges.flatMap(({ from, to, type }) => (type === 'contains' ? [[to, from]] : [])),
    );
    const plain = (id: string | undefined) => id?.replaceAll('#', ':');
    return {
      nodes: nodes
        .flatMap(
          ({ id, kind, source, order, fingerprint, deepFingerprint, attributes, ...rest }) =>
            kind === 'requirement' || kind === 'story'
              ? [
                  {
                    id,
                    kind,
                    parent: plain(inside.get(id) ?? 'pqrs.loose'),
                    ...rest,
                  },
                ]
              : [],
        )
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      edges: edges
        .flatMap(({ from, to, type, role, status }) =>
          type !== 'contains' && objects.has(from) && objects.has(to)
            ? [[plain(from), plain(to), type, role, status].join(' ')]
            : [],
        )
        .sort(),
    };
  };

  /** What Sphinx-Needs has fields for: the texts of needs, and their links by type. */
  const needsOf = ({ nodes, edges }: Graph, ids: ReadonlySet<string>) => ({
    nodes: nodes
      .filter(({ id }) => ids.has(id))
      .map(({ id, kind, title, statement, acceptance, rationale, status, priority, tags }) => {
        return { id, kind, title, statement, acceptance, rationale, status, priority, tags };
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    edges: edges
      .filter(({ from, to, type }) => ids.has(from) && (type !== 'contains' || ids.has(to)))
      .map(({ from, to, type }) => `${from} ${type} ${to}`)
      .filter((edge, at, all) => all.indexOf(edge) === at)
      .sort(),
  });

  test.each(found)('%s as srs-json, place and order included', (_name, graph) => {
    const again = read(filesOf({ 'srs.json': writeSrsJson(graph) }));
    expect(again.graph).toEqual(graph);
    expect(again.sources[0]?.status).toBe('parsed');
  });

  test.each(found)('%s as ReqIF', (_name, graph) => {
    const text = writeReqif(graph, subject);
    expect(allNamed(xmlTree(text), 'SPEC-HIERARCHY').length).toBeGreaterThan(0);
    const again = read(filesOf({ 'a.reqif': text }));
    expect(summaryOf(again.graph)).toEqual(summaryOf(graph));
    expect(again.sources[0]?.status).toBe('parsed');
  });

  test.each(found)('%s as needs.json', (_name, graph) => {
    const again = read(filesOf({ 'needs.json': writeNeedsJson(graph, subject) }));
    const ids = new Set(graph.nodes.filter(isNormative).map(({ id }) => id));
    expect(needsOf(again.graph, ids)).toEqual(needsOf(graph, ids));
    expect(again.sources[0]?.status).toBe('parsed');
  });

  /** The nodes and edges as far as a drawing tells them. */
  const drawn = ({ nodes, edges }: Graph) => {
    const known = new Set(nodes.map(({ id }) => id));
    const missing = [...new Set(edges.map(({ to }) => to).filter((to) => !known.has(to)))];
    return {
      ids: [...known, ...missing].sort(),
      edges: edges.map(({ from, to, type, role }) =>
        JSON.stringify([from, to, role === undefined ? type : `${type}: ${role}`]),
      ),
    };
  };

  test.each(found)('%s as DOT', (_name, graph) => {
    const ids = new Set<string>();
    const edges: string[] = [];
    const quoted = '"((?:[^"\\\\]|\\\\.)*)"';
    const unquoted = (text = '') =>
      text.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char));
    const node = new RegExp(`^  ${quoted} \\[shape=\\w+, label=${quoted}\\];$`);
    const edge = new RegExp(
      `^  ${quoted} -> ${quoted} \\[label=${quoted}(?:, [a-z]+=[a-z]+)*\\];$`,
    );
    const lines = writeDot(graph).trimEnd().split('\n');
    expect([lines[0], lines.at(-1)]).toEqual(['digraph srs {', '}']);
    for (const line of lines.slice(3, -1)) {
      const [, from, to, label] = edge.exec(line) ?? [];
      const id = node.exec(line)?.[1] ?? to;
      expect(id).toBeDefined();
      ids.add(unquoted(id));
      if (from !== undefined)
        edges.push(JSON.stringify([unquoted(from), unquoted(to), unquoted(label)]));
    }
    expect({ ids: [...ids].sort(), edges }).toEqual(drawn(graph));
  });

  test.each(found)('%s as Mermaid', (_name, graph) => {
    const nodes: string[] = [];
    const edges: [string, string, string][] = [];
    const lines = writeMermaid(graph).trimEnd().split('\n');
    expect(lines.shift()).toBe('flowchart LR');
    for (const line of lines) {
      const node = /^ {2}n(\d+)\["([^"<>]*)"\]$/.exec(line);
      const edge = /^ {2}n(\d+) (?:--|-\.) "([^"<>]*)" (?:-->|\.->) n(\d+)$/.exec(line);
      if (node) expect(nodes.push(node[2] ?? '')).toBe(Number(node[1]) + 1);
      else edges.push([edge?.[1] ?? '', edge?.[3] ?? '', edge?.[2] ?? '']);
    }
    const place = new Map(drawn(graph).ids.map((id) => [id, -1]));
    for (const [at, { id }] of graph.nodes.entries()) place.set(id, at);
    expect(nodes).toHaveLength(place.size);
    expect(edges.map(([from, , label]) => [from, label])).toEqual(
      graph.edges.map(({ from, type, role }) => [
        String(place.get(from)),
        role === undefined ? type : `${type}: ${role}`,
      ]),
    );
    const known = edges.filter((_, at) => (place.get(graph.edges[at]?.to ?? '') ?? -1) >= 0);
    expect(known.map(([, to]) => to)).toEqual(
      graph.edges
        .map(({ to }) => place.get(to) ?? -1)
        .filter((at) => at >= 0)
        .map(String),
    );
  });

  test.each(found)('%s as GraphML', (_name, graph) => {
    const tree = xmlTree(writeGraphml(graph));
    const data = (element: XmlTree, key: string) =>
      textIn(elements(element, 'data').find(({ attributes }) => attributes.key === key));
    const ids = allNamed(tree, 'node').map(({ attributes }) => attributes.id ?? '');
    const edges = allNamed(tree, 'edge').map((edge) => {
      const [type, role] = [data(edge, 'type'), data(edge, 'role')];
      const { source, target } = edge.attributes;
      return JSON.stringify([source, target, role === '' ? type : `${type}: ${role}`]);
    });
    expect({ ids: ids.sort(), edges }).toEqual(drawn(graph));
    const titles = allNamed(tree, 'node')
      .slice(0, graph.nodes.length)
      .map((node) => data(node, 'title'));
    expect(titles).toEqual(graph.nodes.map(({ title }) => title));
  });
});
