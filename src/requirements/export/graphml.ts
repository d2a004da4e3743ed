// The graph in GraphML (graphml.graphdrawing.org).
import type { Graph, GraphEdge, GraphNode } from '../graph/model.ts';
import { escapeAttribute, escapeText, xmlSafeJson } from './xml-text.ts';

const NODE_VALUES: Record<string, (node: GraphNode) => string | null> = {
  kind: ({ kind }) => kind,
  title: ({ title }) => title,
  statement: ({ statement }) => statement,
  acceptance: ({ acceptance }) => jsonOf(acceptance),
  rationale: ({ rationale }) => rationale,
  status: ({ status }) => status,
  priority: ({ priority }) => priority,
  tags: ({ tags }) => jsonOf(tags),
  attributes: ({ attributes }) => jsonOf(attributes),
  active: ({ active }) => String(active),
  path: ({ source }) => source.path,
  line: ({ source }) => String(source.line),
  fingerprint: ({ fingerprint }) => fingerprint,
  deepFingerprint: ({ deepFingerprint }) => deepFingerprint,
};
const EDGE_VALUES: Record<string, (edge: GraphEdge) => string | null> = {
  type: ({ type }) => type,
  edgeStatus: ({ status }) => status,
  role: ({ role = null }) => role,
  edgeAttributes: ({ attributes = {} }) => jsonOf(attributes),
};
const TYPES: Record<string, string> = { active: 'boolean', line: 'int' };

export function writeGraphml({ nodes, edges }: Graph): string {
  const known = new Set(nodes.map(({ id }) => id));
  const ends = edges.flatMap(({ from, to }) => [from, to]);
  const missing = [...new Set(ends.filter((id) => !known.has(id)))];
  const keyOf = (id: string, of: 'node' | 'edge') => {
    const name = of === 'edge' ? id.replace(/^edge(.)/, (_, first) => first.toLowerCase()) : id;
    return `  <key id="${id}" for="${of}" attr.name="${name}" attr.type="${TYPES[id] ?? 'string'}"/>`;
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...Object.keys(NODE_VALUES).map((id) => keyOf(id, 'node')),
    ...Object.keys(EDGE_VALUES).map((id) => keyOf(id, 'edge')),
    '  <graph id="srs" edgedefault="directed">',
    ...nodes.flatMap((node) => [
      `    <node id="${escapeAttribute(node.id)}">`,
      ...dataOf(NODE_VALUES, node),
      '    </node>',
    ]),
    ...missing.map((id) => `    <node id="${escapeAttribute(id)}"/>`),
    ...edges.flatMap((edge) => [
      `    <edge source="${escapeAttribute(edge.from)}" target="${escapeAttribute(edge.to)}">`,
      ...dataOf(EDGE_VALUES, edge),
      '    </edge>',
    ]),
    '  </graph>\n</graphml>\n',
  ].join('\n');
}

/** What is empty is not written. */
function dataOf<T>(values: Record<string, (of: T) => string | null>, of: T): string[] {
  return Object.entries(values).flatMap(([key, read]) => {
    const text = escapeText(read(of) ?? '').replaceAll('"', '&quot;');
    return text === '' ? [] : `      <data key="${key}">${text}</data>`;
  });
}

function jsonOf(value: object): string {
  return Object.keys(value).length === 0 ? '' : xmlSafeJson(value);
}
