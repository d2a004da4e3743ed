// The state of a reading of API documents: how much of them may still be read, and what is known of
// parts that many paths are by reference.
import type { Part } from '../account.ts';
import type { Library, Node } from './library.ts';

/** Characters of a text of a route that are kept. */
const MAX_TEXT = 2000;
/** What all routes may hold together, in characters: references can repeat a text without end. */
const MAX_CONTENT = 64 * 1024 * 1024;

export interface Reading {
  library: Library;
  /** How much may still be read. */
  left: number;
  /** Prefixes by the lists of servers that they are of. */
  prefixes: Map<Part, string | null>;
  /** Ids of items by the paths and operations that name them. */
  declared: Map<Part, readonly string[]>;
}

export function createReading(library: Library): Reading {
  return { library, left: MAX_CONTENT, prefixes: new Map(), declared: new Map() };
}

/** A text as far as it is kept; that it is longer is reported. */
export function cutText(node: Node, text: string, { library }: Reading): string {
  if (text.length <= MAX_TEXT) return text;
  const detail = `A text is longer than ${MAX_TEXT} characters: the rest is not kept.`;
  library.report('limit_exceeded', node, detail);
  return text.slice(0, MAX_TEXT);
}
