// A JSON or YAML document as a tree that is looked at only where somebody asks, each part with its
// line. Of repeated keys the last one holds, in both languages.
import type { FileNotes } from './source-result.ts';

/** A value in a document. */
export interface TreeNode {
  /** The file that it stands in. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly kind: 'map' | 'list' | 'text' | 'null';
  /** True for nothing that stands where an alias leads nowhere, which has been noted. */
  readonly isLost?: boolean;
  /** Whether it is a plain value that is a text, and no number or truth value. */
  readonly isString: boolean;
  /** A plain value as its document writes it; empty for others. */
  readonly text: string;
  /** The members of a map by key; nothing for others. */
  entries(): ReadonlyMap<string, TreeEntry>;
  /** The elements of a list; nothing for others. */
  items(): readonly TreeNode[];
}

/** A member of a map; `line` is that of its key. */
export interface TreeEntry {
  key: string;
  line: number;
  node: TreeNode;
}

/** Notes that a key stands twice in a map. */
export function noteRepeat(notes: FileNotes, key: string, line: number): void {
  notes.lose(
    'duplicate_field',
    line,
    `\`${key.slice(0, 100)}\` stands twice in its map: the last one holds.`,
  );
}
