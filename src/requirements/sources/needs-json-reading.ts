// What the parts of the reader of needs.json share: the needs of a file, and what is known of the set.
import { textValue } from './front-matter.ts';
import type { NoteRepeat } from './json-link-repeats.ts';
import type { SourceItem, SourceResult } from './model.ts';
import type { SaidLinks } from './needs-json-back.ts';
import { isEmpty, type NeedsSchema } from './needs-json-fields.ts';
import type { EntryLines } from './needs-json-lines.ts';
import type { OwnFields } from './needs-json-own.ts';
import type { NeedPart } from './needs-json-parts.ts';
import type { Nesting } from './nesting.ts';
import type { FileNotes } from './source-result.ts';

/** A need as it stands in the file. */
export interface Need {
  id: string;
  line: number;
  values: Record<string, unknown>;
  type: string;
  parts: readonly NeedPart[];
  lineOf: EntryLines;
}

/** A need that is known by its id, in whatever file of the set it stands. */
export interface KnownNeed {
  /** The ids of its parts. */
  parts: Set<string>;
  values: Readonly<Record<string, unknown>>;
}

/** What is known of all files together, since a need may name one of another file. */
export interface NeedsSet {
  result: SourceResult;
  needs: Map<string, KnownNeed>;
  nesting: Nesting;
  said: SaidLinks;
}

/** A file that is read. */
export interface Reading {
  set: NeedsSet;
  notes: FileNotes;
  schema: NeedsSchema;
  document: SourceItem;
  needs: Need[];
  /** The link fields of a file that we wrote; null for one of Sphinx-Needs. */
  own: OwnFields | null;
  noteRepeat: NoteRepeat;
}

/** An item that says nothing but its id. */
export function bare(id: string, path: string, line: number): SourceItem {
  return {
    ...{ id, kind: 'requirement', title: '', statement: '', acceptance: [], rationale: null },
    ...{ status: null, priority: null, tags: [], attributes: {}, path, line, parentId: null },
    active: true,
  };
}

/** The need that a need says it is in. */
export function parentIn(values: Readonly<Record<string, unknown>>): string | null {
  return textValue(values.parent_need) ?? textValue(listOf(values.parent_needs)[0]);
}

/** A value as a list; one that says nothing is an empty list. */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isEmpty(value) ? [] : [value];
}

/** A value as a sentence may show it. */
export function shown(value: unknown): string {
  return value === undefined ? 'it nests too deep' : JSON.stringify(value).slice(0, 100);
}
