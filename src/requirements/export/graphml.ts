// The graph in GraphML (graphml.graphdrawing.org).
import type { Graph } from '../graph/model.ts';
import { element, escapeText } from './xml-text.ts';

const NODE_TEXTS = ['kind', 'title', 'statement', 'acceptance', 'rationale', 'status', 'priority'];
const NODE_OTHERS = [
  'tags',
  'attributes',
  'active',
  'path',
  'line',
  'fingerprint',
  'deepFingerprint',
];
const NODE_KEYS = NODE_TEXTS.concat(NODE_OTHERS);
const EDGE_KEYS = ['type', 'edgeStatus', 'role', 'edgeAttributes'];
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
    ...nodes.map((node) => {
      return element('node', { id: node.id }, ...dataOf(NODE_KEYS, { ...node, ...node.source }));
    }),
    ...[...missing].map((id) => element('node', { id })),
    ...edges.map(({ from, to, type, role, status, attributes }) => {
      const values = { type, role, edgeStatus: status, edgeAttributes: attributes };
      return element('edge', { source: from, target: to }, ...dataOf(EDGE_KEYS, values));
    }),
  );
  const keys = [...NODE_KEYS.map(keyOf('node')), ...EDGE_KEYS.map(keyOf('edge'))];
  const xmlns = 'http://graphml.graphdrawing.org/xmlns';
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('graphml', { xmlns }, ...keys, graph)}`;
}

/** What is empty is not written. */
function dataOf(keys: readonly string[], values: Record<string, unknown>): string[] {
  return keys.flatMap((key) => {
    const value = values[key] ?? '';
    const text = typeof value === 'object' ? jsonOf(value) : String(value);
    return text === '' ? [] : element('data', { key }, escapeText(text).replaceAll('"', '&quot;'));
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
