// What a file of StrictDoc says, before it becomes items: its blocks, their fields and relations, and
// the grammar that says which of them there may be.
import type { FileReport } from '../report.ts';

/** A field of a block, such as `STATEMENT`. */
export interface SdocField {
  name: string;
  value: string;
  line: number;
  /** Where its value begins: the same line, or one below it. */
  valueLine: number;
}

/** A relation as declared at one of its ends; `fields` is all that stands under it. */
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

/** A document that another takes in at a place. */
export interface SdocInclude {
  file: string;
  line: number;
  parent: number | null;
}

/** A field that a grammar knows. */
export interface GrammarField {
  type: 'String' | 'SingleChoice' | 'MultipleChoice' | 'Tag';
  options: ReadonlySet<string>;
  required: boolean;
}

/** The fields of a kind of node that a grammar knows, by their names. */
export type GrammarElement = Map<string, GrammarField>;

/** A grammar by the tags of its elements, or the name of the file that it is taken from. */
export interface Grammar {
  elements: Map<string, GrammarElement>;
  importedFrom: string | null;
  line: number;
}

/** What one file says. */
export interface SdocContent {
  fields: SdocField[];
  nodes: SdocNode[];
  includes: SdocInclude[];
  grammar: Grammar | null;
}

/** A document among others: what it says, with ids. */
export interface ParsedDocument {
  path: string;
  id: string;
  content: SdocContent;
  /** The ids of its nodes, in their order. */
  ids: string[];
  report: FileReport;
}

/** Gives the value of a field without blanks around it; of several with the name, the first. */
export function fieldOf({ fields }: { fields: SdocField[] }, name: string): string | null {
  return fields.find((field) => field.name === name)?.value.trim() ?? null;
}
