// The graph in GraphML (graphml.graphdrawing.org).
import type { Graph, GraphEdge, GraphNode } from '../graph/model.ts';
import { element, escapeText } from './xml-text.ts';

const NODE_VALUES: Record<string, (node: GraphNode) => unknown> = {
  kind: ({ kind }) => kind,
  title: ({ title }) => title,
  statement: ({ statement }) => statement,
  acceptance: ({ acceptance }) => acceptance,
  rationale: ({ rationale }) => rationale,
  status: ({ status }) => status,
  priority: ({ priority }) => priority,
  tags: ({ tags }) => tags,
  attributes: ({ attributes }) => attributes,
  active: ({ active }) => active,
  path: ({ source }) => source.path,
  line: ({ source }) => source.line,
  fingerprint: ({ fingerprint }) => fingerprint,
  deepFingerprint: ({ deepFingerprint }) => deepFingerprint,
};
const EDGE_VALUES: Record<string, (edge: GraphEdge) => unknown> = {
  type: ({ type }) => type,
  edgeStatus: ({ status }) => status,
  role: ({ role }) => role,
  edgeAttributes: ({ attributes }) => attributes,
};
const NAMES: Record<string, string> = { edgeStatus: 'status', edgeAttributes: 'attributes' };
const TYPES: Record<string, string> = { active: 'boolean', line: 'int' };

export function writeGraphml({ nodes, edges }: Graph): string {
  const missing = new Set(edges.flatMap(({ from, to }) => [from, to]));
  for (const { id } of nodes) missing.delete(id);
  const keyOf = (of: string) => (id: string) =>
    element('key', {
      id,
      for: of,
      'attr.name': NAMES[id] ?? id,
      'attr.type': TYPES[id] ?? 'string',
    });
  const graph = element(
    'graph',
    { id: 'srs', edgedefault: 'directed' },
    ...nodes.map((node) => element('node', { id: node.id }, ...dataOf(NODE_VALUES, node))),
    ...[...missing].map((id) => element('node', { id })),
    ...edges.map((edge) =>
      element('edge', { source: edge.from, target: edge.to }, ...dataOf(EDGE_VALUES, edge)),
    ),
  );
  const keys = [
    ...Object.keys(NODE_VALUES).map(keyOf('node')),
    ...Object.keys(EDGE_VALUES).map(keyOf('edge')),
  ];
  const xmlns = 'http://graphml.graphdrawing.org/xmlns';
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('graphml', { xmlns }, ...keys, graph)}`;
}

/** What is empty is not written. */
function dataOf<T>(values: Record<string, (of: T) => unknown>, of: T): string[] {
  return Object.entries(values).flatMap(([key, read]) => {
    const value = read(of) ?? '';
    const text = typeof value === 'object' ? jsonOf(value) : String(value);
    const escaped = escapeText(text).replaceAll('"', '&quot;');
    return text === '' ? [] : element('data', { key }, escaped);
  });
}

/** JSON in which no character is one that XML 1.0 cannot hold. */
function jsonOf(value: object): string {
  if (Object.keys(value).length === 0) return '';
  return JSON.stringify(value).replace(
    /[\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16)}`,
  );
}
