// Links that a file says more than once: all that say the same are one edge of the graph.
import { linkKey, type SaidEdge } from './link-key.ts';
import type { FileNotes } from './source-result.ts';

/** Notes the edges that have been said before. */
export type NoteRepeat = (edge: SaidEdge, line: number) => void;

/** Opens the record of the edges of one file. */
export function openRepeats(notes: FileNotes): NoteRepeat {
  const lines = new Map<string, number>();
  return (edge, line) => {
    const key = linkKey(edge);
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
