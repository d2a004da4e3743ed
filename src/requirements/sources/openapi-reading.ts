// What is kept while API documents are read: how much may still be read, and what has been told.

import type { FindingCode } from './finding-codes.ts';
import type { Library } from './openapi-references.ts';
import type { TreeEntry, TreeNode } from './openapi-tree.ts';
import { createUnkept, type Unkept } from './openapi-unkept.ts';

/** Characters of a text of a route that are kept. */
const LONGEST_TEXT = 2000;
/** What all routes may hold together, in characters: references can repeat a text without end. */
const MOST_CONTENT = 64 * 1024 * 1024;

/** The state of a reading. */
export interface Reading {
  library: Library;
  /** How much may still be read. */
  left: number;
  /** The callbacks that are left out, by the files that they stand in. */
  callbacks: Map<string, { line: number; count: number }>;
  /** What has been told of paths and operations: several of them may be one by reference. */
  told: Set<TreeEntry | TreeNode>;
  /** What stands beside routes. */
  unkept: Unkept;
}

/** A reading that has not begun. */
export function createReading(library: Library): Reading {
  const unkept = createUnkept();
  return { library, left: MOST_CONTENT, callbacks: new Map(), told: new Set(), unkept };
}

/** Notes a member that is not read, once for all paths and operations that are it by reference. */
export function loseOnce(
  entry: TreeEntry,
  file: string,
  detail: string,
  { library, told }: Reading,
  code: FindingCode = 'invalid_field',
): void {
  if (told.has(entry)) return;
  told.add(entry);
  library.notes(file).lose(code, entry.line, detail);
}

/**
 * What a node stands for, as {@link Library.resolve}; what stands beside references is not kept.
 *
 * @param owner - what the node is of, as a finding names it
 */
export function resolved(
  node: TreeNode,
  owner: () => string,
  { library, unkept }: Reading,
): TreeNode | null {
  const target = library.resolve(node, owner);
  if (target !== node) unkept.look('reference', node);
  return target;
}

/**
 * A text as far as it is kept; that it is longer is told, once for all that are it by reference.
 *
 * @param what - the text, as a finding names it
 */
export function keptText(
  text: string,
  what: () => string,
  node: TreeNode,
  reading: Reading,
): string {
  if (text.length <= LONGEST_TEXT) return text;
  const { library, told } = reading;
  // It is gone through again for each that is it by reference.
  reading.left -= text.length;
  if (!told.has(node)) {
    const detail = `${what()} is longer than ${LONGEST_TEXT} characters: the rest is not kept.`;
    library.notes(node.path).lose('too_much', node.line, detail);
  }
  told.add(node);
  return text.slice(0, LONGEST_TEXT);
}
