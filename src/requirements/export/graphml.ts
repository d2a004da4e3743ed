// The graph in GraphML (graphml.graphdrawing.org).
import type { Graph, GraphNode } from '../graph/model.ts';
import { escapeAttribute, escapeText, xmlSafeJson } from './xml-text.ts';

/** What a node has, by the types that GraphML has for it. */
const NODE_KEYS = {
  ...{ kind: 'string', title: 'string', statement: 'string', acceptance: 'string' },
  ...{ rationale: 'string', status: 'string', priority: 'string', tags: 'string' },
  ...{ attributes: 'string', active: 'boolean', path: 'string', line: 'int' },
  ...{ fingerprint: 'string', deepFingerprint: 'string' },
} as const;

/** A directed graph; nodes carry their content, edges what they say; lists and maps are JSON texts. */
export function writeGraphml({ nodes, edges }: Graph): string {
  const known = new Set(nodes.map(({ id }) => id));
  const ends = edges.flatMap(({ from, to }) => [from, to]);
  const missing = [...new Set(ends.filter((id) => !known.has(id)))];
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...Object.entries(NODE_KEYS).map(
      ([key, type]) => `  <key id="${key}" for="node" attr.name="${key}" attr.type="${type}"/>`,
    ),
    '  <key id="type" for="edge" attr.name="type" attr.type="string"/>',
    '  <key id="edgeStatus" for="edge" attr.name="status" attr.type="string"/>',
    '  <key id="role" for="edge" attr.name="role" attr.type="string"/>',
    '  <key id="edgeAttributes" for="edge" attr.name="attributes" attr.type="string"/>',
    '  <graph id="srs" edgedefault="directed">',
  ];
  for (const node of nodes) {
    lines.push(`    <node id="${escapeAttribute(node.id)}">`);
    for (const [key, value] of Object.entries(valuesOf(node))) {
      if (value !== '') lines.push(`      <data key="${key}">${quoted(value)}</data>`);
    }
    lines.push('    </node>');
  }
  for (const id of missing) lines.push(`    <node id="${escapeAttribute(id)}"/>`);
  for (const { from, to, type, status, role, attributes = {} } of edges) {
    lines.push(
      `    <edge source="${escapeAttribute(from)}" target="${escapeAttribute(to)}">`,
      `      <data key="type">${type}</data>`,
      `      <data key="edgeStatus">${status}</data>`,
    );
    if (role !== undefined) lines.push(`      <data key="role">${quoted(role)}</data>`);
    const more = jsonOf(attributes);
    if (more !== '') lines.push(`      <data key="edgeAttributes">${quoted(more)}</data>`);
    lines.push('    </edge>');
  }
  return `${lines.join('\n')}\n  </graph>\n</graphml>\n`;
}

/** What is written of a node, by the names of its keys; what is empty is not written. */
function valuesOf(node: GraphNode): Record<keyof typeof NODE_KEYS, string> {
  const { kind, title, statement, acceptance, rationale, status, priority, tags } = node;
  const { attributes, active, source, fingerprint, deepFingerprint } = node;
  return {
    ...{ kind, title, statement, acceptance: jsonOf(acceptance), rationale: rationale ?? '' },
    ...{ status: status ?? '', priority: priority ?? '', tags: jsonOf(tags) },
    ...{ attributes: jsonOf(attributes), active: String(active) },
    ...{ path: source.path, line: String(source.line), fingerprint, deepFingerprint },
  };
}

/** A list or a map as JSON; empty where it holds nothing. */
function jsonOf(value: object): string {
  return Object.keys(value).length === 0 ? '' : xmlSafeJson(value);
}

/** Content of an element, with each quotation mark as in an attribute. */
function quoted(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}
