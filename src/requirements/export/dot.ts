// The graph in the DOT language of Graphviz.
import type { Graph } from '../graph/model.ts';
import { withPictures } from './control-pictures.ts';

const SHAPES = { document: 'folder', section: 'tab', requirement: 'box', story: 'note' } as const;

/** A digraph: nodes with their titles, edges with their types; what dangles is dashed. */
export function writeDot({ nodes, edges }: Graph): string {
  const lines = ['digraph srs {', '  rankdir=LR;', '  node [fontname="Helvetica"];'];
  for (const { id, kind, title } of nodes) {
    lines.push(
      `  ${quoted(id)} [shape=${SHAPES[kind]}, label=${quoted(title && title !== id ? `${id}\n${title}` : id)}];`,
    );
  }
  for (const { from, to, type, status, role } of edges) {
    const style =
      status === 'ok' ? '' : `, style=dashed, color=${status === 'suspect' ? 'orange' : 'red'}`;
    lines.push(
      `  ${quoted(from)} -> ${quoted(to)} [label=${quoted(role === undefined ? type : `${type}: ${role}`)}${style}];`,
    );
  }
  return `${lines.join('\n')}\n}\n`;
}

/** A text in quotes. Graphviz stops at U+0000, and draws nothing for what controls. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replace(/\r\n?|\n/g, '\\n');
  return `"${withPictures(escaped)}"`;
}
