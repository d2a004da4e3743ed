// What is known of a file of OpenFastTrace while it is read.
import { ID_MOST } from '../../http/id-length.ts';
import type { Defaults } from './markdown-draft.ts';
import type { SourceItem, SourceResult } from './model.ts';
import type { FileNotes } from './source-result.ts';

type TextPart = 'description' | 'rationale' | 'comment';
type Part = TextPart | 'covers' | 'depends' | 'needs' | 'tags';

/** Whether a part is of the texts of an item. */
export function isText(part: Part): part is TextPart {
  return part === 'description' || part === 'rationale' || part === 'comment';
}

/** Lines in a list that are no entries of it. */
export interface Aside {
  line: number;
  lines: string[];
  /** Whether they go on an entry; else they may be text that follows the list. */
  ofEntry: boolean;
  hasBullet: boolean;
}

/** How far a list of an item is read: `Covers:`, `Needs:` and the others. */
export interface ListState {
  label: string;
  /** Whether the line of the label has entries. */
  isLine: boolean;
  /** Whether there is an entry already, on the line of the label or below it. */
  hasEntry: boolean;
  /** What the last line that is not blank was. */
  last: 'label' | 'entry' | 'other';
  /** Whether a blank line followed it. */
  gap: boolean;
  /** Whether the last entry ends in a comma. */
  goesOn: boolean;
  aside: Aside | null;
}

/** An item that is being read. */
export interface Draft {
  item: SourceItem;
  type: string;
  /** Its id as a sentence shows it. */
  shown: string;
  part: Part;
  list: ListState | null;
  texts: Record<TextPart, string[]>;
  needs: Set<string>;
  tags: Set<string>;
  hasStatus: boolean;
}

/** Adds a line to a text of an item; blank lines before the text are none of it. */
export function pushText({ texts }: Draft, part: TextPart, line: string): void {
  if (texts[part].length > 0 || line.trim() !== '') texts[part].push(line);
}

/** The lines of a text as one: without blank lines around it, the indent of code before it kept. */
export function textOfLines(lines: readonly string[]): string {
  const text = lines.join('\n').trimEnd();
  return /^(?: {4}| {0,3}\t)/.test(text) ? text : text.trimStart();
}

/** An id as a sentence shows it. */
export function shortId(id: string): string {
  return id.length > 200 ? `${id.slice(0, 200)}…` : id;
}

/** Names the item of a finding, where its id can be one. */
export function ofItem(id: string): { itemId?: string } {
  return id.length > ID_MOST ? {} : { itemId: id };
}

/** How far a file is read. */
export interface Reading {
  result: SourceResult;
  notes: FileNotes;
  path: string;
  document: SourceItem;
  /** What front matter says for all items. */
  defaults: Defaults;
  /** Whether front matter has the title of the document. */
  named: boolean;
  /** The sections that are open, with the depths of their headings. */
  sections: { item: SourceItem; depth: number }[];
  slugs: Map<string, number>;
  /** A heading of which it is not yet known whether it is an item's title. */
  heading: { title: string; depth: number; line: number } | null;
  draft: Draft | null;
  /** The item that ended last, as a sentence shows it, and the line that ended it. */
  ended: { shown: string; line: number } | null;
  /** The item below whose heading the next lines stand, and the depth of that heading. */
  within: { id: string; depth: number } | null;
  /** Blank lines after the text of a document or a section. */
  blanks: number;
  titled: boolean;
}
