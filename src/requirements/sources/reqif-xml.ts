// Streams the XML of a ReqIF document and hands out one small tree for each of its records (a
// datatype, a type, an object, a relation, a specification), so that the whole is never in memory.
// Nothing is expanded or fetched: a DOCTYPE and references to entities are only noted.

import { SaxesParser } from 'saxes';
import { NO_ATTRIBUTES, type XmlElement } from './reqif-element.ts';
import {
  type BeyondAscii,
  beyondAscii,
  decodeChunks,
  UndecodableError,
  xmlEncoding,
} from './reqif-encoding.ts';
import { createNamespaces, type ResolvedName } from './reqif-namespaces.ts';
import { createTally, type Tally } from './reqif-report.ts';

/** What was seen beside the records. */
export interface XmlNotes {
  /** The encoding that the declaration names, where it names one. */
  encoding: string | null;
  /** Bytes that the declared encoding does not have, and what they are read as. */
  beyondAscii: BeyondAscii | undefined;
  doctypeLine: number | null;
  /** Entities referred to but not expanded. */
  entities: Tally;
  /** Elements that have no place where they stand, by name. */
  skipped: Tally;
  /** Attributes of elements above the records, by what each is of. */
  attributes: Tally;
  /** The line of the root, and the language that it says the document is in, if it says one. */
  root: { line: number; language: string };
  /** Text between the records, by the name of the element that it stands in. */
  texts: Tally;
  /** Tool extensions that hold something. */
  extensions: Tally;
  /** Processing instructions. */
  instructions: Tally;
  /** Whether there is a REQ-IF-CONTENT, in which all that is read stands. */
  content: boolean;
}

/** XML that cannot be read, and where. */
export class XmlFault extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** How deep elements nest, and how many there may be: in one record, and in all files of a set. */
export const XML_LIMITS = {
  depth: 512,
  recordElements: 500_000,
  elements: 2_000_000,
  records: 300_000,
} as const;

/** What a source set may still have. */
export interface XmlBudget {
  elements: number;
  records: number;
}

/** The budget of a whole source set. */
export function createXmlBudget(): XmlBudget {
  return { elements: XML_LIMITS.elements, records: XML_LIMITS.records };
}

const CONTAINERS: ReadonlySet<string> = new Set([
  'DATATYPES',
  'SPEC-TYPES',
  'SPEC-OBJECTS',
  'SPEC-RELATIONS',
  'SPECIFICATIONS',
  'SPEC-RELATION-GROUPS',
]);

/**
 * Reads a document.
 *
 * @param budget - is used up
 * @param record - takes each record with the name of the element that it stands in
 * @throws XmlFault for what is not well-formed, not ReqIF, or beyond the limits
 */
export function parseReqifXml(
  bytes: Uint8Array,
  budget: XmlBudget,
  record: (container: string, element: XmlElement) => void,
): XmlNotes {
  const encoding = xmlEncoding(bytes);
  if (encoding.label === undefined) {
    throw new XmlFault(1, `the encoding ${encoding.declared} is not one that is read here`);
  }
  const notes: XmlNotes = {
    encoding: encoding.declared,
    beyondAscii: beyondAscii(bytes, encoding),
    doctypeLine: null,
    entities: createTally(),
    skipped: createTally(),
    attributes: createTally(),
    root: { line: 1, language: '' },
    texts: createTally(),
    extensions: createTally(),
    instructions: createTally(),
    content: false,
  };
  const parser = recordParser(notes, budget, record);
  try {
    const label = notes.beyondAscii?.label ?? encoding.label;
    for (const text of decodeChunks(bytes, label)) parser.write(text);
    parser.close();
  } catch (error) {
    if (error instanceof UndecodableError) throw new XmlFault(error.line, error.message);
    throw error;
  }
  return notes;
}

function recordParser(
  notes: XmlNotes,
  budget: XmlBudget,
  record: (container: string, element: XmlElement) => void,
): SaxesParser {
  const parser = new SaxesParser();
  const namespaces = createNamespaces();
  /** Names of the open elements above the records. */
  const above: string[] = [];
  let open: XmlElement[] = [];
  let depth = 0;
  /** The depth of the element whose whole content is passed over; 0 while nothing is. */
  let skipping = 0;
  let extensionLine = 0;
  let elements = 0;
  let line = 1;
  /** Whether the tag that is being read has no attribute; whether one has a prefix. */
  let plain = true;
  let prefixed = false;

  parser.on('opentagstart', () => {
    // The character after the name has been read: where that ended the line, the tag began before.
    line = parser.column === 0 ? parser.line - 1 : parser.line;
    depth += 1;
    if (depth > XML_LIMITS.depth) {
      throw new XmlFault(line, `elements nested more than ${XML_LIMITS.depth} deep`);
    }
  });

  // Few elements have attributes, and hardly any of these a prefix: the others cost no look.
  parser.on('attribute', ({ name }) => {
    plain = false;
    if (name === 'xmlns' || name.includes(':')) prefixed = true;
  });

  parser.on('opentag', ({ name: written, attributes: given }) => {
    const name = namespaces.open(written, prefixed ? given : undefined);
    const attributes = plain ? NO_ATTRIBUTES : prefixed ? withoutXml(given, name) : given;
    plain = true;
    prefixed = false;
    if (typeof name === 'string') throw new XmlFault(parser.line, name);
    if (skipping !== 0) {
      if (extensionLine !== 0) noteExtension();
      return;
    }
    const parent = open[open.length - 1];
    if (parent !== undefined) {
      elements += 1;
      budget.elements -= 1;
      if (elements > XML_LIMITS.recordElements) {
        throw new XmlFault(line, `more than ${XML_LIMITS.recordElements} elements in one record`);
      }
      if (budget.elements < 0) {
        throw new XmlFault(line, `more than ${XML_LIMITS.elements} elements in all ReqIF files`);
      }
      const element = elementOf(name, attributes, line);
      parent.children.push(element);
      open.push(element);
      return;
    }
    const place = placeOf(above, name);
    if (place === 'not-reqif') throw new XmlFault(line, notReqif(name));
    if (place === 'record') {
      elements = 1;
      budget.records -= 1;
      if (budget.records < 0) {
        throw new XmlFault(line, `more than ${XML_LIMITS.records} records in all ReqIF files`);
      }
      open = [elementOf(name, attributes, line)];
    } else if (place === 'inside') {
      if (name.local === 'REQ-IF-CONTENT') notes.content = true;
      if (above.length === 0) notes.root = { line, language: given['xml:lang']?.trim() ?? '' };
      for (const one in attributes) {
        // The language of the document is read.
        if (above.length === 0 && one === 'xml:lang') continue;
        notes.attributes.count(`${one.slice(0, 100)} of <${name.local}>`, line);
      }
      above.push(name.local);
    } else {
      skipping = depth;
      if (place === 'extension') {
        extensionLine = line;
        if (Object.keys(attributes).length > 0) noteExtension();
      } else notes.skipped.count(written, line);
    }
  });

  parser.on('closetag', () => {
    namespaces.close();
    if (skipping !== 0) {
      if (skipping === depth) {
        skipping = 0;
        extensionLine = 0;
      }
    } else {
      const element = open.pop();
      if (element === undefined) above.pop();
      else if (open.length === 0) record(above[above.length - 1] ?? '', element);
    }
    depth -= 1;
  });

  const takeText = (text: string) => {
    const parent = open[open.length - 1];
    if (skipping !== 0 || parent === undefined) {
      if ((skipping === 0 || extensionLine !== 0) && /\S/.test(text)) noteText(text);
    } else if (parent.space !== 'reqif' || /\S/.test(text)) {
      parent.children.push(text);
    }
  };
  const noteText = (text: string) => {
    if (extensionLine !== 0) return noteExtension();
    // The text ends where the parser is now.
    const lines = text.trimStart().split('\n').length - 1;
    notes.texts.count(above[above.length - 1] ?? '', Math.max(1, parser.line - lines));
  };
  const noteExtension = () => {
    notes.extensions.count('REQ-IF-TOOL-EXTENSION', extensionLine);
    extensionLine = 0;
  };
  parser.on('text', takeText);
  parser.on('cdata', takeText);
  parser.on('processinginstruction', () => {
    if (extensionLine !== 0) noteExtension();
    else if (skipping === 0) notes.instructions.count('processing instructions', parser.line);
  });
  parser.on('doctype', () => {
    notes.doctypeLine = parser.line;
  });
  parser.on('error', (error) => {
    const message = error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    if (message !== 'undefined entity') throw new XmlFault(parser.line, message);
    notes.entities.count('', parser.line);
  });
  return parser;
}

/** What an element is that stands above the records. */
function placeOf(
  above: readonly string[],
  { local, space }: ResolvedName,
): 'inside' | 'record' | 'extension' | 'not-reqif' | 'unknown' {
  if (above.length === 0) return space === 'reqif' && local === 'REQ-IF' ? 'inside' : 'not-reqif';
  if (space !== 'reqif') return 'unknown';
  if (above.length === 4) return 'record';
  if (above.length === 3) return CONTAINERS.has(local) ? 'inside' : 'unknown';
  const path = above.slice(1).concat(local).join('/');
  switch (path) {
    case 'THE-HEADER':
    case 'CORE-CONTENT':
    case 'TOOL-EXTENSIONS':
    case 'CORE-CONTENT/REQ-IF-CONTENT':
      return 'inside';
    case 'THE-HEADER/REQ-IF-HEADER':
      return 'record';
    case 'TOOL-EXTENSIONS/REQ-IF-TOOL-EXTENSION':
      return 'extension';
    default:
      return 'unknown';
  }
}

function notReqif({ local, uri }: ResolvedName): string {
  const where = uri === '' ? 'no namespace' : `the namespace ${uri.slice(0, 200)}`;
  return `the root is <${local.slice(0, 100)}> in ${where}, not the REQ-IF of ReqIF 1.x`;
}

function elementOf(
  { local, space }: ResolvedName,
  attributes: Record<string, string>,
  line: number,
): XmlElement {
  return { name: local, space, attributes, children: [], line };
}

/**
 * The attributes that say something of an element: they declare no namespace, do not say where a
 * schema is, nor, but of text, what white space is.
 */
function withoutXml(
  given: Readonly<Record<string, string>>,
  name: ResolvedName | string,
): Record<string, string> {
  const isReqif = typeof name !== 'string' && name.space === 'reqif';
  const attributes: Record<string, string> = Object.create(null);
  for (const [one, value] of Object.entries(given)) {
    const isXml =
      one === 'xmlns' ||
      one.startsWith('xmlns:') ||
      one === 'xsi:schemaLocation' ||
      one === 'xsi:noNamespaceSchemaLocation' ||
      (isReqif && one === 'xml:space');
    if (!isXml) attributes[one] = value;
  }
  return attributes;
}
