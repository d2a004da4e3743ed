// The graph for diagram tools: DOT of Graphviz, Mermaid, and GraphML (graphml.graphdrawing.org).
import type { Graph, GraphEdge, GraphNode } from '../graph/model.ts';
import { element, escapeText } from './xml-text.ts';

const SHAPES = { document: 'folder', section: 'tab', requirement: 'box', story: 'note' } as const;
const STYLES = {
  ok: '',
  suspect: ', style=dashed, color=orange',
  dangling: ', style=dashed, color=red',
};

export function writeDot({ nodes, edges }: Graph): string {
  const lines = nodes.map((node) => {
    const label = inDot(titleOf(node, '\n'));
    return `  ${inDot(node.id)} [shape=${SHAPES[node.kind]}, label=${label}];\n`;
  });
  for (const edge of edges) {
    const label = `label=${inDot(labelOf(edge))}${STYLES[edge.status]}`;
    lines.push(`  ${inDot(edge.from)} -> ${inDot(edge.to)} [${label}];\n`);
  }
  return `digraph srs {\n  rankdir=LR;\n  node [fontname="Helvetica"];\n${lines.join('')}}\n`;
}

/** A flowchart whose nodes are numbered in source order, since Mermaid takes few ids as they are. */
export function writeMermaid({ nodes, edges }: Graph): string {
  const names = new Map<string, string>();
  const lines = ['flowchart LR'];
  const name = (id: string, title: string) => {
    const known = names.get(id);
    if (known) return known;
    const made = `n${names.size}`;
    names.set(id, made);
    lines.push(`  ${made}["${inMermaid(title)}"]`);
    return made;
  };
  for (const node of nodes) name(node.id, titleOf(node, ': '));
  for (const edge of edges) {
    const [start, end] = edge.status === 'ok' ? ['--', '-->'] : ['-.', '.->'];
    const [from, to] = [name(edge.from, edge.from), name(edge.to, edge.to)];
    lines.push(`  ${from} ${start} "${inMermaid(labelOf(edge))}" ${end} ${to}`);
  }
  return `${lines.join('\n')}\n`;
}

function titleOf({ id, title }: GraphNode, between: string): string {
  return title && title !== id ? `${id}${between}${title}` : id;
}

function labelOf({ type, role }: GraphEdge): string {
  return role === undefined ? type : `${type}: ${role}`;
}

function inDot(text: string): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/\r\n?|\n/g, '\\n');
  return `"${visible(escaped)}"`;
}

const MERMAID: Record<string, string> = {
  '#': '35',
  '&': 'amp',
  '"': 'quot',
  '<': 'lt',
  '>': 'gt',
};

function inMermaid(text: string): string {
  return visible(text.replace(/\s+/g, ' '))
    .replace(/[#&"<>]/g, (char) => `#${MERMAID[char]};`)
    .replace(/^`/, '#96;');
}

/** With U+FFFD for what controls or is no character. */
function visible(text: string): string {
  return text.replace(/(?![\t\n\u0080-\u009f])\p{Cc}|[\ufffe\uffff]/gu, '\ufffd');
}

const NODE_KEYS = [
  ...['kind', 'title', 'statement', 'acceptance', 'rationale', 'status', 'priority', 'tags'],
  ...['attributes', 'active', 'path', 'line', 'fingerprint', 'deepFingerprint'],
];
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
