// The graph in GraphML (graphml.graphdrawing.org).
import type { Graph } from '../graph/model.ts';
import { escapeAttribute, escapeText } from './xml-text.ts';

const NODE_KEYS = [
  'kind',
  'title',
  'statement',
  'status',
  'priority',
  'path',
  'line',
  'fingerprint',
  'deepFingerprint',
] as const;

/** A directed graph; nodes carry their content, edges their type and status. */
export function writeGraphml({ nodes, edges }: Graph): string {
  const known = new Set(nodes.map(({ id }) => id));
  const ends = edges.flatMap(({ from, to }) => [from, to]);
  const missing = [...new Set(ends.filter((id) => !known.has(id)))];
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...NODE_KEYS.map(
      (key) =>
        `  <key id="${key}" for="node" attr.name="${key}" attr.type="${key === 'line' ? 'int' : 'string'}"/>`,
    ),
    '  <key id="type" for="edge" attr.name="type" attr.type="string"/>',
    '  <key id="edgeStatus" for="edge" attr.name="status" attr.type="string"/>',
    '  <key id="role" for="edge" attr.name="role" attr.type="string"/>',
    '  <graph id="srs" edgedefault="directed">',
  ];
  for (const node of nodes) {
    const { kind, title, statement, status, priority, source, fingerprint, deepFingerprint } = node;
    const values = {
      kind,
      title,
      statement,
      status,
      priority,
      ...source,
      fingerprint,
      deepFingerprint,
    };
    lines.push(`    <node id="${escapeAttribute(node.id)}">`);
    for (const key of NODE_KEYS) {
      const value = values[key];
      if (value !== null && value !== '')
        lines.push(`      <data key="${key}">${quoted(String(value))}</data>`);
    }
    lines.push('    </node>');
  }
  for (const id of missing) lines.push(`    <node id="${escapeAttribute(id)}"/>`);
  for (const { from, to, type, status, role } of edges) {
    lines.push(
      `    <edge source="${escapeAttribute(from)}" target="${escapeAttribute(to)}">`,
      `      <data key="type">${type}</data>`,
      `      <data key="edgeStatus">${status}</data>`,
    );
    if (role !== undefined) lines.push(`      <data key="role">${quoted(role)}</data>`);
    lines.push('    </edge>');
  }
  return `${lines.join('\n')}\n  </graph>\n</graphml>\n`;
}

/** Content of an element, with each quotation mark as in an attribute. */
function quoted(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}
