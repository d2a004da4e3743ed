// The graph as a Mermaid flowchart.
import type { Graph } from '../graph/model.ts';
import { withPictures } from './control-pictures.ts';

/** A flowchart whose nodes are numbered in source order, since Mermaid takes few ids as they are. */
export function writeMermaid({ nodes, edges }: Graph): string {
  const names = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const lines = ['flowchart LR'];
  for (const { id, title } of nodes) {
    lines.push(`  ${names.get(id)}["${escaped(title && title !== id ? `${id}: ${title}` : id)}"]`);
  }
  for (const { from, to, type, status, role } of edges) {
    const [source, target] = [nameOf(from), nameOf(to)];
    const label = escaped(role === undefined ? type : `${type}: ${role}`);
    lines.push(
      `  ${source} ${status === 'ok' ? '--' : '-.'} "${label}" ${status === 'ok' ? '-->' : '.->'} ${target}`,
    );
  }
  return `${lines.join('\n')}\n`;

  /** The name of an end of an edge; what dangles is told first. */
  function nameOf(id: string): string {
    const known = names.get(id);
    if (known !== undefined) return known;
    const name = `n${names.size}`;
    names.set(id, name);
    lines.push(`  ${name}["${escaped(id)}"]`);
    return name;
  }
}

/**
 * Mermaid reads entities of its own, `#quot;` for a quotation mark, and a text that begins with a
 * backtick as Markdown.
 */
function escaped(text: string): string {
  return withPictures(text.replace(/\s+/g, ' '))
    .replaceAll('#', '#35;')
    .replaceAll('&', '#amp;')
    .replaceAll('"', '#quot;')
    .replaceAll('<', '#lt;')
    .replaceAll('>', '#gt;')
    .replace(/^`/, '#96;');
}
