// What is kept while API documents are read: how much may still be read, and what has been told.
import type { Library } from './openapi-references.ts';
import type { TreeEntry, TreeNode } from './openapi-tree.ts';

/** Characters of a text of an operation that are kept. */
export const LONGEST_TEXT = 300;

/** The state of a reading. */
export interface Reading {
  library: Library;
  /** How much may still be read. */
  left: number;
  /** The callbacks that are left out, by the files that they stand in. */
  callbacks: Map<string, { line: number; count: number }>;
  /** What has been told of paths and operations: several of them may be one by reference. */
  told: Set<TreeEntry | TreeNode>;
}

/** Notes a member that is not read, once for all paths and operations that are it by reference. */
export function loseOnce(
  entry: TreeEntry,
  file: string,
  detail: string,
  { library, told }: Reading,
): void {
  if (told.has(entry)) return;
  told.add(entry);
  library.notes(file).lose('invalid_field', entry.line, detail);
}
