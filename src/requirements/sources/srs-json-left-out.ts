// The nodes of a document that are left out. What each says of its edges is known only when these have
// been looked at, so that the nodes are told of last.
import type { FindingCode } from './finding-codes.ts';
import type { FileNotes } from './source-result.ts';

/** A node that is left out. */
interface LeftOutNode {
  code: FindingCode;
  line: number;
  /** Why, without the full stop. */
  detail: string;
  /** Null where what it gives can be no id. */
  itemId: string | null;
}

export interface LeftOutNodes {
  /**
   * @param named - what it gives as its id; null where that is no text
   */
  add(node: LeftOutNode, named: string | null): void;
  /** Whether a text was given as an id, and can be none: an edge from or to it has no node there. */
  isNoId(named: string | null): named is string;
  /** Whether an id is of a node that is left out. */
  has(id: string): boolean;
  /** Counts an edge that goes with the node that has been given this id, the first if several were. */
  takeEdge(named: string): void;
  /** Tells of all of them. */
  tell(notes: FileNotes): void;
}

export function openLeftOutNodes(): LeftOutNodes {
  const all: (LeftOutNode & { edges: number })[] = [];
  const byName = new Map<string, (typeof all)[number]>();
  return {
    add(node, named) {
      const counted = { ...node, edges: 0 };
      all.push(counted);
      if (named !== null && !byName.has(named)) byName.set(named, counted);
    },
    isNoId: (named): named is string => named !== null && byName.get(named)?.code === 'invalid_id',
    has: (id) => byName.has(id),
    takeEdge(named) {
      const node = byName.get(named);
      if (node) node.edges += 1;
    },
    tell(notes) {
      for (const { code, line, detail, itemId, edges } of all) {
        const gone = edges === 0 ? '' : edges === 1 ? '; its edge goes' : `; its ${edges} edges go`;
        notes.lose(code, line, `${detail}${gone}${edges === 0 ? '' : ' with it'}.`, {
          ...{ severity: 'error', itemId },
        });
      }
    },
  };
}
