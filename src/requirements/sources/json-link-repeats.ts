// Links that a file says more than once: all that say the same are one edge of the graph.
import type { AttributeValue, EdgeType } from './model.ts';
import type { FileNotes } from './source-result.ts';

/** What makes two edges one: all that they say but their status and their place. */
interface SaidEdge {
  from: string;
  to: string;
  type: EdgeType;
  role?: string | undefined;
  attributes?: Record<string, AttributeValue> | undefined;
}

/** Notes the edges that have been said before. */
export type NoteRepeat = (edge: SaidEdge, line: number) => void;

/** Opens the record of the edges of one file. */
export function openRepeats(notes: FileNotes): NoteRepeat {
  const lines = new Map<string, number>();
  return (edge, line) => {
    const key = keyOf(edge);
    const first = lines.get(key);
    if (first === undefined) {
      lines.set(key, line);
      return;
    }
    const { from, to, type } = edge;
    const detail = `${from} ${type} ${to} is said on line ${first} already; the edge is kept once.`;
    notes.note('duplicate_link', line, detail, { itemId: from, relatedIds: [to] });
  };
}

function keyOf({ from, to, type, role = '', attributes = {} }: SaidEdge): string {
  const key = `${type} ${from.length} ${from} ${to.length} ${to}`;
  const names = Object.keys(attributes);
  if (role === '' && names.length === 0) return key;
  const said = names.sort().map((name) => [name, attributes[name]]);
  return `${key} ${JSON.stringify([role, said])}`;
}
