// The graph in the languages of diagram tools: DOT of Graphviz, and Mermaid.
import type { Graph, GraphEdge, GraphNode } from '../graph/model.ts';

const SHAPES = { document: 'folder', section: 'tab', requirement: 'box', story: 'note' } as const;

export function writeDot({ nodes, edges }: Graph): string {
  const lines = ['digraph srs {', '  rankdir=LR;', '  node [fontname="Helvetica"];'];
  for (const node of nodes) {
    const label = inDot(titleOf(node, '\n'));
    lines.push(`  ${inDot(node.id)} [shape=${SHAPES[node.kind]}, label=${label}];`);
  }
  const styles = {
    ok: '',
    suspect: ', style=dashed, color=orange',
    dangling: ', style=dashed, color=red',
  };
  for (const edge of edges) {
    const label = `label=${inDot(labelOf(edge))}${styles[edge.status]}`;
    lines.push(`  ${inDot(edge.from)} -> ${inDot(edge.to)} [${label}];`);
  }
  return `${lines.join('\n')}\n}\n`;
}

/** A flowchart whose nodes are numbered in source order, since Mermaid takes few ids as they are. */
export function writeMermaid({ nodes, edges }: Graph): string {
  const names = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const lines = ['flowchart LR'];
  for (const node of nodes)
    lines.push(`  ${names.get(node.id)}["${inMermaid(titleOf(node, ': '))}"]`);
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `n${names.size}`;
    if (!names.has(id)) lines.push(`  ${name}["${inMermaid(id)}"]`);
    names.set(id, name);
    return name;
  };
  for (const edge of edges) {
    const [start, end] = edge.status === 'ok' ? ['--', '-->'] : ['-.', '.->'];
    const [from, to] = [nameOf(edge.from), nameOf(edge.to)];
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
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replace(/\r\n?|\n/g, '\\n');
  return `"${withPictures(escaped)}"`;
}

function inMermaid(text: string): string {
  const names: Record<string, string> = {
    '#': '35',
    '&': 'amp',
    '"': 'quot',
    '<': 'lt',
    '>': 'gt',
  };
  return withPictures(text.replace(/\s+/g, ' '))
    .replace(/[#&"<>]/g, (char) => `#${names[char]};`)
    .replace(/^`/, '#96;');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what cannot be shown.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * The text with the picture that Unicode has of each control character but the tab and the new line,
 * so that different texts stay different, and U+FFFD for what is no character.
 */
function withPictures(text: string): string {
  const pictureOf = (control: string) =>
    String.fromCharCode(control === '\u007f' ? 0x2421 : 0x2400 + control.charCodeAt(0));
  return text.replace(CONTROLS, pictureOf).replace(/[\ufffe\uffff]/g, '\ufffd');
}
