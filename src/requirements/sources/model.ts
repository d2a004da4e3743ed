// What every reader of requirement sources takes and gives. A reader is a pure function of files:
// it runs nothing that it finds in them, opens no other file, and never throws for what they hold.

import type { FindingCode, Severity } from './findings.ts';

/** To be raised when the readers read something in another way: the same sources are then read again. */
export const READERS_VERSION = 1;

export const SOURCE_FORMATS = [
  'doorstop',
  'strictdoc',
  'needs-json',
  'reqif',
  'openfasttrace',
  'gherkin',
  'markdown',
  'srs-json',
  'openapi',
] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** What a document of our own format says of itself. */
export const SRS_FORMAT = 'pqrs-srs';
export const SRS_VERSION = 1;

export const NODE_KINDS = ['document', 'section', 'requirement', 'story'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export const EDGE_TYPES = [
  'contains',
  'refines',
  'derives',
  'depends',
  'verifies',
  'satisfies',
  'conflicts',
  'relates',
] as const;
export type EdgeType = (typeof EDGE_TYPES)[number];

export interface SourceFile {
  /** Relative, with `/`, without `.` and `..`. */
  path: string;
  bytes: Uint8Array;
  /** Of ReqIF: the name of the attribute that holds the text, where the sender says it. */
  textAttribute?: string | undefined;
}

export type AttributeValue = string | number | boolean | null | AttributeValue[];

export interface SourceItem {
  /**
   * The id that the source gives it. Where it gives none (a heading, a document): one that stays
   * the same while path and title do.
   */
  id: string;
  kind: NodeKind;
  title: string;
  /** The text, as plain text or Markdown; empty where there is none. */
  statement: string;
  acceptance: string[];
  rationale: string | null;
  status: string | null;
  priority: string | null;
  tags: string[];
  /** Whatever else the source says, under the source's own names. */
  attributes: Record<string, AttributeValue>;
  path: string;
  /** The line in its file, from 1. */
  line: number;
  /** The name of its document in the file, where that is an archive; the line is one of it. */
  inside?: string;
  /** The file that gave it, where that only tells what once stood at `path`. */
  givenBy?: string;
  /**
   * Its place among the items of its file as people read them, where that is not the order of the
   * lines; then all items of the file have one.
   */
  order?: number;
  /**
   * The path of the file whose items it stands among, where that is not its own: all that stand
   * there have an `order`.
   */
  among?: string;
  /** The id of the item that contains it, in the same result; null at the top. */
  parentId: string | null;
  /** False for an item that the source has retired. */
  active: boolean;
}

/** A link as the source declares it: from the item that depends to the one it depends on. */
export interface SourceLink {
  from: string;
  /** An id as the source writes it, in the spelling of the item where that is known; may dangle. */
  to: string;
  type: Exclude<EdgeType, 'contains'>;
  path: string;
  line: number;
  /**
   * The item that declares it, at either end: the link goes where that item loses its id to another.
   * Undefined for a link that stands apart from items, as a relation of ReqIF does.
   */
  item?: Pick<SourceItem, 'id' | 'path' | 'line' | 'givenBy'>;
  /**
   * Whether the source itself says that the target has changed since the link was confirmed, as
   * far as the format tells; undefined where it does not.
   */
  suspect?: boolean;
  /** The source's own name of the relation, where it says more than `type` does. */
  role?: string;
  /** Whether the source says that it goes to a parent, where `type` does not. */
  isParental?: boolean;
  /** Whatever else the source says of the relation, under the source's own names. */
  attributes?: Record<string, AttributeValue>;
}

export interface SourceFinding {
  code: FindingCode;
  severity: Severity;
  path: string;
  /** From 1; 0 where it concerns the file as a whole. */
  line: number;
  itemId: string | null;
  relatedIds: string[];
  /** A sentence for people. */
  detail: string;
}

export interface SourceScenario {
  key: string;
  feature: string;
  title: string;
  steps: { keyword: string; text: string }[];
  examples: string[][];
  /** Tags without `@`, inherited ones included. */
  tags: string[];
  /** Those of the tags and of the titles that look like ids of items. */
  storyIds: string[];
  path: string;
  line: number;
}

export interface SourceRoute {
  /** In capitals. */
  method: string;
  /** The path as clients see it, with `{name}` for each parameter: `/v1/users/{id}`. */
  template: string;
  operationId: string | null;
  summary: string;
  /** Ids of items that the document names for it. */
  storyIds: string[];
  /** Those of them that it says to be ids of items, where it does, and that are no mere look-alikes. */
  declaredIds?: string[];
  path: string;
  line: number;
}

/** How a file fared. `partial`: something of it could not be kept, and a finding says what. */
export type SourceStatus = 'parsed' | 'partial' | 'failed' | 'ignored';

/** What a reader makes of its files. Nothing vanishes: what is in none of the lists is in a finding. */
export interface SourceResult {
  /** In the order of path and line. */
  items: SourceItem[];
  links: SourceLink[];
  scenarios: SourceScenario[];
  routes: SourceRoute[];
  findings: SourceFinding[];
  /** One for each file, by its path. */
  statuses: Map<string, SourceStatus>;
  textAttributes?: TextAttributes;
}

/** By the path of a file and the identifier of a ReqIF type, the attribute that was taken for its text. */
export type TextAttributes = ReadonlyMap<string, Readonly<Record<string, string>>>;

export interface ReaderOptions {
  /** What the revision before took. */
  textAttributes?: TextAttributes | undefined;
}

/**
 * Reads all files of one format of a source set, since items of one file may belong to another.
 * @param files - in the order of their paths
 * @param others - files of the set that are of no format by themselves; those that `files` name as
 *   their parts are read, and have a status in the result
 */
export type SourceReader = (
  files: readonly SourceFile[],
  others?: readonly SourceFile[],
  options?: ReaderOptions,
) => SourceResult;
