// Reads one ReqIF document (OMG ReqIF 1.2, clause 10) record by record: datatypes, types, objects,
// relations, specifications and groups, with references still by identifier.
import { type Loss, lossesOf, type Part, take, takeAll, takeText } from '../account.ts';
import type { FindingCode } from '../findings.ts';
import type { FileReport } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { parseXml, type XmlBudget, type XmlShape } from '../tree/xml.ts';
import { roleOf } from './names.ts';
import { type Definition, foldSpace, readValues, refIn, refsIn, type Value } from './values.ts';

/** The published namespaces of ReqIF 1.x, and those of its drafts, which RMF writes. */
const REQIF = /^http:\/\/www\.omg\.org\/spec\/ReqIF\/(?:20110401|20101201)(?:\/reqif\.xsd)?$/;
const MARKUP = /^http:\/\/www\.w3\.org\/(?:1999\/xhtml|1998\/Math\/MathML)$/;

const LIST =
  /^(?:DATATYPES|SPEC-TYPES|SPEC-OBJECTS|SPEC-RELATIONS|SPECIFICATIONS|SPEC-RELATION-GROUPS)$/;
const ABOVE = [
  /^REQ-IF$/,
  /^(?:THE-HEADER|CORE-CONTENT|TOOL-EXTENSIONS)$/,
  /^REQ-IF-CONTENT$/,
  LIST,
];

const SHAPE: XmlShape = {
  nameOf: (uri, local) =>
    REQIF.test(uri) ? local : MARKUP.test(uri) ? `h:${local}` : `{${uri.slice(0, 200)}}${local}`,
  isAbove: (path) => path.every((name, depth) => ABOVE[depth]?.test(name)),
  isText: (name) => /^(?:h:|\{)/.test(name),
};

export interface SpecType {
  identifier: string;
  /** LONG-NAME; empty where there is none. */
  name: string;
  definitions: Definition[];
  /** The document that declares it. */
  document: ReqifDocument;
}

export interface Identified {
  identifier: string;
  /** LONG-NAME; empty where there is none. */
  name: string;
  desc: string;
  lastChange: string;
  /** The identifier of its type; empty where it names none. */
  type: string;
  values: Value[];
  /** Of a specification its places. */
  children: Place[] | undefined;
  line: number;
}

export interface Relation extends Identified {
  source: string;
  target: string;
}

export interface Place {
  object: string;
  /** LONG-NAME; empty where there is none. */
  name: string;
  children: Place[];
  line: number;
}

export interface ReqifDocument {
  path: string;
  /** Its name in an archive; null outside of one. */
  inside: string | null;
  report: FileReport;
  header: [name: string, value: string][];
  datatypes: Set<string>;
  /** The names of the values of enumerations, by identifier. */
  enumValues: Map<string, string>;
  types: Map<string, SpecType>;
  definitions: Map<string, Definition>;
  /** Of objects, relations and specifications. */
  identifiers: Set<string>;
  objects: Identified[];
  relations: Relation[];
  specifications: Identified[];
  groups: { name: string; relations: string[]; line: number }[];
  /** What is wrong in it, by what is said: one cause is one finding, however often it comes. */
  faults: Map<string, { code: FindingCode; line: number; times: number }>;
}

/**
 * Reads a document; what it holds and is not kept is in its report.
 * @param budget - of the source set; is used up
 * @throws SourceFault where it cannot be read as ReqIF
 */
export function readDocument(
  bytes: Uint8Array,
  inside: string | null,
  report: FileReport,
  budget: XmlBudget,
): ReqifDocument {
  const document: ReqifDocument = {
    path: report.path,
    inside,
    report,
    header: [],
    datatypes: new Set(),
    enumValues: new Map(),
    types: new Map(),
    definitions: new Map(),
    identifiers: new Set(),
    objects: [],
    relations: [],
    specifications: [],
    groups: [],
    faults: new Map(),
  };
  const losses = new Map<string, Loss>();
  let header: Part | undefined;
  const top = parseXml(bytes, SHAPE, budget, (record, container) => {
    if (container === 'THE-HEADER' && record.name === 'REQ-IF-HEADER' && !header) header = record;
    else if (takeRecord(document, container, record)) lossesOf(record, losses);
    else lossesOf({ ...record, name: container, parts: [record] }, losses);
  });
  const content = take(take(top.root, 'CORE-CONTENT'), 'REQ-IF-CONTENT');
  if (top.root.name !== 'REQ-IF' || !content)
    throw new SourceFault(1, 'The file has no CORE-CONTENT with a REQ-IF-CONTENT of ReqIF 1.x.');
  take(top.root, 'THE-HEADER');
  take(top.root, 'TOOL-EXTENSIONS');
  takeAll(content).forEach((list) => {
    list.kept = LIST.test(list.name);
  });
  if (header) {
    takeHeader(document, header);
    lossesOf(header, losses);
  }
  lossesOf(top.root, losses);
  report.reportLosses(losses.values(), isTrivial);
  if (top.doctypeLine !== null)
    report.report('doctype', top.doctypeLine, 'Entities are not expanded: they stay as written.');
  if (top.encoding !== null && !/^utf-?(?:8|16)$/i.test(top.encoding))
    report.report('invalid_encoding', 1, `${top.encoding}: tools of ReqIF exchange UTF-8.`);
  if (document.objects.length + document.relations.length + document.specifications.length === 0)
    report.report('empty_document', 1, 'The file has no object, relation or specification.');
  return document;
}

/**
 * What tools of ReqIF keep for themselves: identifiers that nothing refers to, times, bounds of
 * datatypes, switches of editors, looks of XHTML, tool extensions.
 */
function isTrivial({ what }: Loss): boolean {
  return (
    /\/@(?:LAST-CHANGE|IS-EDITABLE|IDENTIFIER|IS-SIMPLIFIED|IS-TABLE-INTERNAL|xml:space|xml:lang)$/.test(
      what,
    ) ||
    /^(?:DATATYPE-DEFINITION-|ENUM-VALUE\/|EMBEDDED-VALUE\/|TOOL-EXTENSIONS\/)/.test(what) ||
    /^(?:ATTRIBUTE-DEFINITION-[A-Z]+|[A-Z-]+-TYPE)\/(?:@DESC|ALTERNATIVE-ID)$/.test(what) ||
    what === 'SPEC-TYPES/RELATION-GROUP-TYPE' ||
    /^RELATION-GROUP\/(?:@|TYPE$|(?:SOURCE|TARGET)-SPECIFICATION$)/.test(what) ||
    // What these change is what the text says.
    /^h:[^/]+\/@(?!(?:start|value|rowspan|colspan)$)/.test(what)
  );
}

function takeRecord(document: ReqifDocument, container: string, record: Part): boolean {
  const { name, line } = record;
  if (container === 'DATATYPES' && name.startsWith('DATATYPE-DEFINITION-')) {
    takeDatatype(document, record);
  } else if (
    container === 'SPEC-TYPES' &&
    /^(?:SPEC-OBJECT|SPEC-RELATION|SPECIFICATION)-TYPE$/.test(name)
  ) {
    return takeType(document, record);
  } else if (container === 'SPEC-OBJECTS' && name === 'SPEC-OBJECT') {
    document.objects.push(identified(document, record));
  } else if (container === 'SPEC-RELATIONS' && name === 'SPEC-RELATION') {
    const source = refIn(record, 'SOURCE');
    const target = refIn(record, 'TARGET');
    document.relations.push({ ...identified(document, record), source, target });
  } else if (container === 'SPECIFICATIONS' && name === 'SPECIFICATION') {
    document.specifications.push(identified(document, record));
  } else if (container === 'SPEC-RELATION-GROUPS' && name === 'RELATION-GROUP') {
    const relations = refsIn(take(record, 'SPEC-RELATIONS'));
    // A group lives in the relations that are in it.
    if (relations.length === 0) return false;
    document.groups.push({ name: takeText(record, '@LONG-NAME') ?? idOf(record), relations, line });
  } else return false;
  return true;
}

function takeHeader({ header, specifications }: ReqifDocument, record: Part): void {
  if (specifications.length === 0) return;
  for (const part of record.parts.filter(({ kind }) => kind === 'element')) {
    part.kept = true;
    header.push([part.name, takeText(part, '#text')?.trim() ?? '']);
  }
}

function takeDatatype(document: ReqifDocument, record: Part): void {
  document.datatypes.add(idOf(record));
  const names = new Set<string>();
  for (const value of takeAll(take(record, 'SPECIFIED-VALUES'), 'ENUM-VALUE')) {
    const identifier = idOf(value);
    const named = takeText(value, '@LONG-NAME')?.trim();
    const embedded = take(take(value, 'PROPERTIES'), 'EMBEDDED-VALUE');
    const name = named || takeText(embedded, '@KEY') || identifier;
    // References mean the first of an identifier.
    value.kept = !document.enumValues.has(identifier);
    if (value.kept)
      document.enumValues.set(identifier, names.has(name) ? `${name} (${identifier})` : name);
    names.add(name);
  }
}

function takeType(document: ReqifDocument, record: Part): boolean {
  const identifier = idOf(record);
  if (document.types.has(identifier)) return false;
  const definitions: Definition[] = [];
  for (const part of take(record, 'SPEC-ATTRIBUTES')?.parts ?? []) {
    const of = idOf(part);
    part.kept = part.name.startsWith('ATTRIBUTE-DEFINITION-') && !document.definitions.has(of);
    if (!part.kept) continue;
    const name = takeText(part, '@LONG-NAME')?.trim() || of;
    const definition: Definition = {
      identifier: of,
      name,
      role: roleOf(name),
      datatype: refIn(part, 'TYPE'),
      isMultiValued: /^(?:true|1)$/.test(takeText(part, '@MULTI-VALUED') ?? ''),
      defaultValue: readValues(take(part, 'DEFAULT-VALUE'), of)[0],
      line: part.line,
    };
    document.definitions.set(of, definition);
    definitions.push(definition);
  }
  const name = takeText(record, '@LONG-NAME')?.trim() ?? '';
  document.types.set(identifier, { identifier, name, definitions, document });
  return true;
}

function identified(document: ReqifDocument, record: Part): Identified {
  const identifier = idOf(record);
  if (identifier !== '' && document.identifiers.has(identifier)) {
    const detail = `Another element has the IDENTIFIER ${identifier}: references mean the first.`;
    fault(document, 'duplicate_id', record.line, detail);
  }
  document.identifiers.add(identifier);
  return {
    identifier,
    name: takeText(record, '@LONG-NAME') ?? '',
    desc: takeText(record, '@DESC') ?? '',
    lastChange: takeText(record, '@LAST-CHANGE') ?? '',
    type: refIn(record, 'TYPE'),
    values: readValues(take(record, 'VALUES')),
    children: record.name === 'SPECIFICATION' ? placesIn(record) : undefined,
    line: record.line,
  };
}

function placesIn(part: Part): Place[] {
  return takeAll(take(part, 'CHILDREN'), 'SPEC-HIERARCHY').map((child) => ({
    object: refIn(child, 'OBJECT'),
    name: takeText(child, '@LONG-NAME') ?? '',
    children: placesIn(child),
    line: child.line,
  }));
}

function idOf(part: Part): string {
  return foldSpace(takeText(part, '@IDENTIFIER') ?? '');
}

export function fault(
  { faults }: ReqifDocument,
  code: FindingCode,
  line: number,
  detail: string,
): void {
  const known = faults.get(detail);
  if (known) known.times += 1;
  else faults.set(detail, { code, line, times: 1 });
}
