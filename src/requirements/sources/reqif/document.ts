// Reads one ReqIF document (OMG ReqIF 1.2, clause 10) record by record: datatypes, types, objects,
// relations, specifications and groups, with references still by identifier.
import { type Loss, lossesOf, type Part, take, takeAll, takeText } from '../account.ts';
import type { FileReport } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { parseXml, type XmlBudget, type XmlShape } from '../tree/xml.ts';
import { readValues, refIn, refsIn, type Value } from './values.ts';

/** The published namespaces of ReqIF 1.x, and those of its drafts, which RMF writes. */
const REQIF = /^http:\/\/www\.omg\.org\/spec\/ReqIF\/(?:20110401|20101201)(?:\/reqif\.xsd)?$/;
const MARKUP = /^http:\/\/www\.w3\.org\/(?:1999\/xhtml|1998\/Math\/MathML)$/;

const CONTENT = 'REQ-IF/CORE-CONTENT/REQ-IF-CONTENT';
const LISTS = [
  'DATATYPES',
  'SPEC-TYPES',
  'SPEC-OBJECTS',
  'SPEC-RELATIONS',
  'SPECIFICATIONS',
  'SPEC-RELATION-GROUPS',
];
const ABOVE: ReadonlySet<string> = new Set([
  'REQ-IF',
  'REQ-IF/THE-HEADER',
  'REQ-IF/CORE-CONTENT',
  'REQ-IF/TOOL-EXTENSIONS',
  CONTENT,
  ...LISTS.map((list) => `${CONTENT}/${list}`),
]);

const SHAPE: XmlShape = {
  nameOf: (uri, local) =>
    REQIF.test(uri) ? local : MARKUP.test(uri) ? `h:${local}` : `{${uri.slice(0, 200)}}${local}`,
  isAbove: (path) => ABOVE.has(path.join('/')),
  isText: (name) => /^(?:h:|\{)/.test(name),
};

export interface Definition {
  identifier: string;
  /** LONG-NAME, else the identifier. */
  name: string;
  isDeclared: boolean;
  kind: string;
  datatype: string;
  isMultiValued: boolean;
  defaultValue: Value | undefined;
  line: number;
}

export interface SpecType {
  identifier: string;
  /** LONG-NAME; empty where there is none. */
  name: string;
  definitions: Definition[];
  /** The document that declares it. */
  document: ReqifDocument;
}

/** What all elements with an identity and values have. */
export interface Identified {
  identifier: string;
  /** LONG-NAME; empty where there is none. */
  name: string;
  desc: string;
  lastChange: string;
  alternativeId: string;
  /** The identifier of its type; empty where it names none. */
  type: string;
  values: Value[];
  line: number;
}

export interface Relation extends Identified {
  source: string;
  target: string;
}

/** A SPEC-HIERARCHY: a place of an object in a specification. */
export interface Place {
  object: string;
  /** What it holds besides, by the names of attributes of items. */
  attributes: [name: string, value: string | true][];
  children: Place[];
  line: number;
}

export interface Specification extends Identified {
  children: Place[];
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
  objects: Identified[];
  relations: Relation[];
  specifications: Specification[];
  groups: { name: string; relations: string[]; line: number }[];
}

/**
 * Reads a document; what it holds and is not kept is in its report.
 *
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
    objects: [],
    relations: [],
    specifications: [],
    groups: [],
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
    list.kept = LISTS.includes(list.name);
  });
  // A header is kept with the specifications.
  const language = document.specifications.length > 0 ? takeText(top.root, '@xml:lang') : undefined;
  if (language) document.header.push(['lang', language]);
  if (header) takeHeader(document, header);
  if (header) lossesOf(header, losses);
  lossesOf(top.root, losses);
  report.reportLosses(losses.values(), isTrivial);
  if (top.doctypeLine !== null) {
    const detail =
      'A DOCTYPE or an entity: nothing of it is expanded, and references stay as written.';
    report.report('doctype', top.doctypeLine, detail);
  }
  if (top.encoding !== null && !/^utf-?(?:8|16)$/i.test(top.encoding)) {
    const detail = `The file declares the encoding ${top.encoding}; tools of ReqIF exchange UTF-8.`;
    report.report('invalid_encoding', 1, detail);
  }
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
    /\/@(?:LAST-CHANGE|IS-EDITABLE|IDENTIFIER|IS-SIMPLIFIED|IS-TABLE-INTERNAL|xml:space)$/.test(
      what,
    ) ||
    /^(?:DATATYPE-DEFINITION-|ENUM-VALUE\/|EMBEDDED-VALUE\/|TOOL-EXTENSIONS\/)/.test(what) ||
    /^(?:ATTRIBUTE-DEFINITION-[A-Z]+|[A-Z-]+-TYPE)\/(?:@DESC|ALTERNATIVE-ID)$/.test(what) ||
    what === 'SPEC-TYPES/RELATION-GROUP-TYPE' ||
    /^RELATION-GROUP\/(?:@|TYPE$|(?:SOURCE|TARGET)-SPECIFICATION$)/.test(what) ||
    /^h:[^/]+\/@/.test(what)
  );
}

/** Whether the record is one that belongs in its container. */
function takeRecord(document: ReqifDocument, container: string, record: Part): boolean {
  const { name, line } = record;
  if (container === 'DATATYPES' && name.startsWith('DATATYPE-DEFINITION-')) {
    takeDatatype(document, record);
  } else if (
    container === 'SPEC-TYPES' &&
    /^(?:SPEC-OBJECT|SPEC-RELATION|SPECIFICATION)-TYPE$/.test(name)
  ) {
    takeType(document, record);
  } else if (container === 'SPEC-OBJECTS' && name === 'SPEC-OBJECT') {
    document.objects.push(identified(record));
  } else if (container === 'SPEC-RELATIONS' && name === 'SPEC-RELATION') {
    const source = refIn(record, 'SOURCE');
    document.relations.push({ ...identified(record), source, target: refIn(record, 'TARGET') });
  } else if (container === 'SPECIFICATIONS' && name === 'SPECIFICATION') {
    document.specifications.push({ ...identified(record), children: placesIn(record) });
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
  for (const part of takeAll(record)) {
    if (/^[@#?]/.test(part.name)) part.kept = false;
    else header.push([part.name, takeText(part, '#text')?.trim() ?? '']);
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
    if (isTaken(document, document.enumValues, identifier, value)) continue;
    document.enumValues.set(identifier, names.has(name) ? `${name} (${identifier})` : name);
    names.add(name);
  }
}

function takeType(document: ReqifDocument, record: Part): void {
  const identifier = idOf(record);
  const definitions: Definition[] = [];
  for (const part of takeAll(take(record, 'SPEC-ATTRIBUTES'))) {
    const kind = /^ATTRIBUTE-DEFINITION-(\w+)$/.exec(part.name)?.[1];
    if (kind === undefined) {
      part.kept = false;
      continue;
    }
    const of = idOf(part);
    const definition: Definition = {
      identifier: of,
      name: takeText(part, '@LONG-NAME')?.trim() || of,
      isDeclared: true,
      kind,
      datatype: refIn(part, 'TYPE'),
      isMultiValued: /^(?:true|1)$/.test(takeText(part, '@MULTI-VALUED') ?? ''),
      defaultValue: readValues(take(part, 'DEFAULT-VALUE'), of)[0],
      line: part.line,
    };
    if (isTaken(document, document.definitions, of, part)) continue;
    document.definitions.set(of, definition);
    definitions.push(definition);
  }
  const name = takeText(record, '@LONG-NAME')?.trim() ?? '';
  if (!isTaken(document, document.types, identifier, record))
    document.types.set(identifier, { identifier, name, definitions, document });
}

/** Whether an identifier is that of an earlier declaration, which references mean. */
function isTaken(
  { report }: ReqifDocument,
  known: ReadonlyMap<string, unknown>,
  identifier: string,
  { line, name }: Part,
): boolean {
  if (!known.has(identifier)) return false;
  const detail = `Another ${name} has the IDENTIFIER ${identifier}: references mean the first.`;
  report.report('duplicate_id', line, detail);
  return true;
}

function identified(record: Part): Identified {
  return {
    identifier: idOf(record),
    name: takeText(record, '@LONG-NAME') ?? '',
    desc: takeText(record, '@DESC') ?? '',
    lastChange: takeText(record, '@LAST-CHANGE') ?? '',
    alternativeId: alternativeOf(record),
    type: refIn(record, 'TYPE'),
    values: readValues(take(record, 'VALUES')),
    line: record.line,
  };
}

function alternativeOf(record: Part): string {
  return takeText(take(take(record, 'ALTERNATIVE-ID'), 'ALTERNATIVE-ID'), '@IDENTIFIER') ?? '';
}

function placesIn(part: Part): Place[] {
  return takeAll(take(part, 'CHILDREN'), 'SPEC-HIERARCHY').map((child) => {
    const attributes: Place['attributes'] = [];
    const add = (name: string, value: string | undefined) => {
      if (value) attributes.push([name, value]);
    };
    add('reqif:place-name', takeText(child, '@LONG-NAME'));
    add('reqif:place-desc', takeText(child, '@DESC'));
    add('reqif:place-alternative-id', alternativeOf(child));
    if (/^(?:true|1)$/.test(takeText(child, '@IS-TABLE-INTERNAL') ?? ''))
      attributes.push(['reqif:table-internal', true]);
    return {
      object: refIn(child, 'OBJECT'),
      attributes,
      children: placesIn(child),
      line: child.line,
    };
  });
}

/** An `xsd:ID` as it is read: its white space collapsed. */
function idOf(part: Part): string {
  return (takeText(part, '@IDENTIFIER') ?? '').replace(/\s+/g, ' ').trim();
}
