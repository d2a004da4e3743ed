// What a file of StrictDoc says, before it becomes items: its blocks, their fields and relations, and
// the grammar that says which of them there may be.
import type { FileReport } from '../report.ts';

export interface SdocField {
  name: string;
  value: string;
  line: number;
  /** Where its value begins: the same line, or one below it. */
  valueLine: number;
}

export interface SdocRelation {
  type: string;
  value: string;
  role: string | null;
  line: number;
  fields: SdocField[];
}

/** A node of a document, in the order of the file. */
export interface SdocNode {
  tag: string;
  line: number;
  fields: SdocField[];
  relations: SdocRelation[];
  /** The place of the node around it in the list of nodes; null at the top of the document. */
  parent: number | null;
}

export interface SdocInclude {
  file: string;
  line: number;
  parent: number | null;
}

export interface GrammarField {
  type: 'String' | 'SingleChoice' | 'MultipleChoice' | 'Tag';
  options: ReadonlySet<string>;
  required: boolean;
}

export type GrammarElement = Map<string, GrammarField>;

export interface Grammar {
  elements: Map<string, GrammarElement>;
  importedFrom: string | null;
  line: number;
}

export interface SdocContent {
  fields: SdocField[];
  nodes: SdocNode[];
  includes: SdocInclude[];
  grammar: Grammar | null;
}

export interface ParsedDocument {
  path: string;
  id: string;
  content: SdocContent;
  /** The ids of its nodes, in their order. */
  ids: string[];
  report: FileReport;
}

export function fieldOf({ fields }: { fields: SdocField[] }, name: string): string | null {
  return fields.find((field) => field.name === name)?.value.trim() ?? null;
}
