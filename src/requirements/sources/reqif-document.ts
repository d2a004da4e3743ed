// Turns the records of a ReqIF document into its model (OMG ReqIF 1.2, clause 10): datatypes,
// types, objects, relations, specifications and groups, with references still by identifier.

import {
  childOf,
  childrenOf,
  elementsOf,
  firstOf,
  identifierOf,
  referenceIn,
  referencesIn,
  textOf,
  type XmlElement,
} from './reqif-element.ts';
import { OWN } from './reqif-names.ts';
import { type RawValue, readValues } from './reqif-raw-values.ts';
import { withoutRepeats } from './reqif-repeats.ts';
import type { ReqifReport } from './reqif-report.ts';
import { some, times } from './reqif-report.ts';
import { tellAttributes, tellElements, tellTexts } from './reqif-stray-findings.ts';
import { createStrays, type Strays } from './reqif-strays.ts';
import { createDeclared, type IsFirst, takeDatatype, takeType } from './reqif-types.ts';
import { createXhtmlNotes, type XhtmlNotes } from './reqif-xhtml-notes.ts';
import { parseReqifXml, type XmlBudget, XmlFault, type XmlNotes } from './reqif-xml.ts';

export interface AttributeDefinition {
  identifier: string;
  /** LONG-NAME; undefined where there is none. */
  name: string | undefined;
  kind: string;
  datatype: string;
  multiValued: boolean;
  defaultValue: RawValue | undefined;
  line: number;
}

export interface SpecType {
  identifier: string;
  name: string | undefined;
  definitions: AttributeDefinition[];
}

type WithDefault = AttributeDefinition & { defaultValue: RawValue };

/** The attributes of a type, each with its default, that are not among the values of an element. */
export function defaultsFor(
  values: readonly RawValue[],
  type: SpecType | undefined,
): readonly WithDefault[] {
  const standard = (type?.definitions ?? []).filter(
    (definition): definition is WithDefault => definition.defaultValue !== undefined,
  );
  if (standard.length === 0) return standard;
  const given = new Set(values.map(({ definition }) => definition));
  return standard.filter(({ identifier }) => !given.has(identifier));
}

/** What all elements with an identity and values say. */
export interface Identified {
  identifier: string;
  name: string | undefined;
  desc: string | undefined;
  lastChange: string | undefined;
  alternativeId: string | undefined;
  /** The identifier of its type; empty where it names none. */
  type: string;
  values: RawValue[];
  line: number;
}

export interface SpecRelation extends Identified {
  source: string;
  target: string;
}

/** A SPEC-HIERARCHY: a place of an object in a specification. */
export interface Place {
  identifier: string;
  object: string;
  name: string | undefined;
  desc: string | undefined;
  alternativeId: string | undefined;
  /** The IDENTIFIER of the object that we could not write it below; undefined for all others. */
  parent: string | undefined;
  tableInternal: boolean;
  children: Place[];
  line: number;
}

export interface Specification extends Identified {
  children: Place[];
}

export interface RelationGroup extends Identified {
  /** The identifiers of the specifications that it is between; empty where it names none. */
  source: string;
  target: string;
  relations: string[];
}

export interface ReqifDocument {
  report: ReqifReport;
  /** Whether a declaration is the first of its sort with its IDENTIFIER. */
  isFirst: IsFirst;
  xhtml: XhtmlNotes;
  header: Record<string, string>;
  /** The line of the header; 0 where there is none. */
  headerLine: number;
  /** The time that we wrote it, which all that came with none has; undefined for other tools. */
  written: string | undefined;
  /** The line of the first datatype or type; 1 where there is none. */
  declaredAt: number;
  /** Of each datatype the kind, by identifier. */
  datatypes: Map<string, string>;
  /** What each value of an enumeration is called, by identifier. */
  enumValues: Map<string, string>;
  types: Map<string, SpecType>;
  definitions: Map<string, AttributeDefinition>;
  objects: Identified[];
  relations: SpecRelation[];
  specifications: Specification[];
  groups: RelationGroup[];
  /** The number of SPEC-HIERARCHYs. */
  places: number;
}

/**
 * Reads a document. What is wrong with its XML is in its report.
 *
 * @param budget - of the source set; is used up
 * @returns undefined where it cannot be read as ReqIF at all
 */
export function readReqifDocument(
  bytes: Uint8Array,
  report: ReqifReport,
  budget: XmlBudget,
): ReqifDocument | undefined {
  const document: ReqifDocument = {
    report,
    isFirst: createDeclared(report),
    xhtml: createXhtmlNotes(),
    header: {},
    headerLine: 0,
    written: undefined,
    declaredAt: 1,
    datatypes: new Map(),
    enumValues: new Map(),
    types: new Map(),
    definitions: new Map(),
    objects: [],
    relations: [],
    specifications: [],
    groups: [],
    places: 0,
  };
  const strays = createStrays();
  try {
    const notes = parseReqifXml(bytes, budget, (container, element) => {
      withoutRepeats(element, report);
      if (takeRecord(document, container, element)) strays.look(element);
      else strays.element(element.name, element.line);
    });
    tellEncoding(notes, report);
    if (notes.doctypeLine !== null) {
      const detail =
        'The document has a DOCTYPE, which ReqIF has no use for; nothing of it was read.';
      report.lose('doctype', 'warning', notes.doctypeLine, detail);
    }
    for (const [, { line, times: count }] of notes.entities.entries()) {
      const detail = `An entity that XML does not predefine is referred to ${times(count)}, first here; it was left as written.`;
      report.lose('entity_not_expanded', 'warning', line, detail);
    }
    if (!notes.content) {
      throw new XmlFault(1, 'it has no CORE-CONTENT with a REQ-IF-CONTENT');
    }
    for (const [, { line, times: count }] of notes.extensions.entries()) {
      const detail = `Tool extensions (${count}) are not read.`;
      report.lose('tool_extension_ignored', 'info', line, detail);
    }
    if (notes.root.language !== '') document.header.lang = notes.root.language;
    tellElements(notes.skipped, report);
    tellAttributes(notes.attributes, report);
    tellTexts(notes.texts, report);
    noteHeader(document, strays, notes.root.line);
    for (const [what, { line, times: count }] of notes.instructions.entries()) {
      strays.unkept(what, line, count);
    }
    const isOwn = document.written !== undefined;
    strays.tell(report, isOwn);
    document.xhtml.tell(report, isOwn);
    const { objects, relations, specifications } = document;
    if (objects.length + relations.length + specifications.length === 0) {
      report.say(
        'empty_document',
        'info',
        1,
        'The document has no object, relation or specification.',
      );
    }
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    report.lose('unparsed_source', 'error', error.line, `Not read: ${error.message}.`);
    return undefined;
  }
  return document;
}

/** Tells of an encoding that others may not read, or that is not the one in which the bytes are. */
function tellEncoding({ encoding, beyondAscii }: XmlNotes, report: ReqifReport): void {
  if (encoding === null || /^utf-?(8|16)$/i.test(encoding)) return;
  const declared = `The document declares the encoding ${encoding}`;
  if (beyondAscii === undefined) {
    const detail = `${declared}; ReqIF tools exchange UTF-8, and others may refuse it.`;
    report.say('unexpected_encoding', 'warning', 1, detail);
    return;
  }
  const { line, label } = beyondAscii;
  const says = label === 'utf-8' ? 'say' : 'lose';
  const detail = `${declared}, which has no such bytes as the first of them here; all was read as ${label.toUpperCase()}.`;
  report[says]('unexpected_encoding', 'warning', line, detail);
}

/** Keeps the line of the first declaration. */
function noteDeclared(document: ReqifDocument, { line }: XmlElement): void {
  if (document.types.size + document.datatypes.size === 0) document.declaredAt = line;
}

/** Whether the record is one that belongs in its container. */
function takeRecord(document: ReqifDocument, container: string, element: XmlElement): boolean {
  const { name } = element;
  if (container === 'THE-HEADER') {
    takeHeader(document, element);
  } else if (container === 'DATATYPES' && name.startsWith('DATATYPE-DEFINITION-')) {
    noteDeclared(document, element);
    takeDatatype(document, element);
  } else if (container === 'SPEC-TYPES' && name.endsWith('-TYPE')) {
    noteDeclared(document, element);
    takeType(document, element);
  } else if (container === 'SPEC-OBJECTS' && name === 'SPEC-OBJECT') {
    document.objects.push(identified(document, element));
  } else if (container === 'SPEC-RELATIONS' && name === 'SPEC-RELATION') {
    document.isFirst('relation', element);
    document.relations.push({
      ...identified(document, element),
      source: referenceIn(childOf(element, 'SOURCE')),
      target: referenceIn(childOf(element, 'TARGET')),
    });
  } else if (container === 'SPECIFICATIONS' && name === 'SPECIFICATION') {
    const children = placesOf(document, element);
    document.specifications.push({ ...identified(document, element), children });
  } else if (container === 'SPEC-RELATION-GROUPS' && name === 'RELATION-GROUP') {
    document.isFirst('group', element);
    document.groups.push({
      ...identified(document, element),
      source: referenceIn(childOf(element, 'SOURCE-SPECIFICATION')),
      target: referenceIn(childOf(element, 'TARGET-SPECIFICATION')),
      relations: referencesIn(childOf(element, 'SPEC-RELATIONS')),
    });
  } else {
    return false;
  }
  return true;
}

function takeHeader(document: ReqifDocument, element: XmlElement): void {
  if (document.headerLine !== 0) {
    const detail = `The document has a header at line ${document.headerLine} already; this one was not read.`;
    document.report.lose('repeated_element', 'warning', element.line, detail);
    return;
  }
  document.headerLine = element.line;
  for (const child of elementsOf(element)) document.header[child.name] = textOf(child) ?? '';
  if (element.attributes.IDENTIFIER === OWN.header) {
    document.written = document.header['CREATION-TIME'];
  }
}

/** What the header says is kept with the specifications: without one it is lost. */
function noteHeader(
  { header, headerLine, specifications }: ReqifDocument,
  strays: Strays,
  rootLine: number,
): void {
  if (specifications.some((specification) => !isOwnRoot(specification))) return;
  const said = Object.keys(header).filter((name) => header[name] !== '');
  if (said.length > 0) strays.unkept(`the header: ${some(said)}`, headerLine || rootLine);
}

/** Whether a specification only holds, in a file of ours, what no document holds. */
export function isOwnRoot(specification: Specification): boolean {
  return specification.identifier.startsWith(OWN.root);
}

function identified(document: ReqifDocument, element: XmlElement): Identified {
  const { attributes } = element;
  const values = childOf(element, 'VALUES');
  return {
    identifier: identifierOf(element),
    name: attributes['LONG-NAME'],
    desc: attributes.DESC,
    lastChange: attributes['LAST-CHANGE'],
    alternativeId: alternativeOf(element),
    type: referenceIn(childOf(element, 'TYPE')),
    values: values === undefined ? [] : readValues(values, document.report, document.xhtml),
    line: element.line,
  };
}

function alternativeOf(element: XmlElement): string | undefined {
  return firstOf(childOf(element, 'ALTERNATIVE-ID'))?.attributes.IDENTIFIER;
}

function placesOf(document: ReqifDocument, element: XmlElement): Place[] {
  return childrenOf(childOf(element, 'CHILDREN'), 'SPEC-HIERARCHY').map((child) => {
    document.places += 1;
    const parent = parentOf(child);
    return {
      identifier: identifierOf(child),
      object: referenceIn(childOf(child, 'OBJECT')),
      name: child.attributes['LONG-NAME'],
      desc: parent === undefined ? child.attributes.DESC : undefined,
      alternativeId: alternativeOf(child),
      parent,
      tableInternal: /^(true|1)$/.test(child.attributes['IS-TABLE-INTERNAL'] ?? ''),
      children: placesOf(document, child),
      line: child.line,
    };
  });
}

function parentOf({ attributes: { DESC: said = '' } }: XmlElement): string | undefined {
  return said.startsWith(OWN.parent) ? said.slice(OWN.parent.length) : undefined;
}
