// What is known of a file of OpenFastTrace while it is read.
import type { Defaults } from './markdown-draft.ts';
import type { SourceItem, SourceResult } from './model.ts';
import type { FileNotes } from './source-result.ts';

type TextPart = 'description' | 'rationale' | 'comment';
type Part = TextPart | 'covers' | 'depends' | 'needs' | 'tags';

/** Whether a part is of the texts of an item. */
export function isText(part: Part): part is TextPart {
  return part === 'description' || part === 'rationale' || part === 'comment';
}

/** An item that is being read. */
export interface Draft {
  item: SourceItem;
  type: string;
  part: Part;
  texts: Record<TextPart, string[]>;
  needs: string[];
  hasStatus: boolean;
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
  titled: boolean;
}
