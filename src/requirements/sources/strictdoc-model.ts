// What a file of StrictDoc says, before it becomes items: its blocks, their fields and relations, and
// the grammar that says which of them there may be.
import type { FindingCode } from './finding-codes.ts';
import type { SourceFinding } from './model.ts';

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

/**
 * How a node is written: `[X]`, `[[X]]`, or the older `[X]` ... `[/X]`. `foreign` is a block that is
 * no node, whose lines are its text.
 */
export type SdocSyntax = 'leaf' | 'composite' | 'older' | 'foreign';

/** A node of a document, in the order of the file. */
export interface SdocNode {
  tag: string;
  syntax: SdocSyntax;
  line: number;
  fields: SdocField[];
  relations: SdocRelation[];
  /** The place of the node around it in the list of nodes; null at the top of the document. */
  parent: number | null;
}

/** A document, or a fragment of one, that another takes in at a place. */
export interface SdocInclude {
  what: 'document' | 'fragment';
  file: string;
  line: number;
  parent: number | null;
}

export type FieldType = 'String' | 'SingleChoice' | 'MultipleChoice' | 'Tag';

/** A field that a grammar knows. */
export interface GrammarField {
  name: string;
  type: FieldType;
  options: ReadonlySet<string>;
  required: boolean;
  /** Where it stands; 0 for one that every grammar has. */
  line: number;
}

/** A relation that a grammar allows. */
export interface GrammarRelation {
  type: string;
  role: string | null;
  line: number;
}

/** A kind of node that a grammar knows. */
export interface GrammarElement {
  tag: string;
  composite: boolean;
  fields: Map<string, GrammarField>;
  /** Null where the grammar says nothing of relations. */
  relations: GrammarRelation[] | null;
  line: number;
}

/** Something that a grammar says and that nothing is made of. */
export interface GrammarDetail {
  /** What it is and what it says, such as `PREFIX of REQUIREMENT (A-)`. */
  text: string;
  line: number;
}

/** A grammar by the tags of its elements, or the name of the file that it is taken from. */
export interface Grammar {
  elements: Map<string, GrammarElement>;
  importedFrom: string | null;
  line: number;
  unread: GrammarDetail[];
}

/** What one file says. */
export interface SdocContent {
  fields: SdocField[];
  nodes: SdocNode[];
  includes: SdocInclude[];
  grammar: Grammar | null;
  /** Whether it is a part of a document, which the older notation begins with `[FRAGMENT]`. */
  isFragment: boolean;
}

/** Tells what a person should know about one line of a file. */
export type Report = (
  code: FindingCode,
  severity: SourceFinding['severity'],
  line: number,
  detail: string,
  itemId?: string | null,
  relatedIds?: string[],
) => void;

/** A document among others: what it says, with ids. */
export interface ParsedDocument {
  path: string;
  id: string;
  content: SdocContent;
  /** The ids of its nodes, in their order. */
  ids: string[];
  report: Report;
}

/** Gives the value of a field without blanks around it; of several with the name, the first. */
export function fieldOf({ fields }: { fields: SdocField[] }, name: string): string | null {
  return fields.find((field) => field.name === name)?.value.trim() ?? null;
}
