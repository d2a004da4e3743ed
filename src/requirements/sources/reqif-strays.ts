// What ReqIF (OMG formal/2016-07-01) has no place for in an object, a relation, a specification, a
// relation group, a type or a datatype: elements, attributes and text, of which nothing is read.

import { VALUE_KINDS } from './reqif-raw-values.ts';
import { createTally, type ReqifReport, type Tally, times } from './reqif-report.ts';
import type { XmlElement } from './reqif-xml.ts';

/** What an element may have. */
interface Content {
  attributes: ReadonlySet<string>;
  /** Its elements by name; null for those in which anything may stand. */
  elements: Map<string, Content | null>;
}

function content(attributes: readonly string[], ...anything: string[]): Content {
  return {
    attributes: new Set(attributes),
    elements: new Map(anything.map((name) => [name, null])),
  };
}

const IDENTITY = ['DESC', 'IDENTIFIER', 'LAST-CHANGE', 'LONG-NAME'];

const VALUES = content([]);
for (const kind of VALUE_KINDS) {
  const value = content(['THE-VALUE'], 'DEFINITION');
  if (kind === 'ENUMERATION') value.elements.set('VALUES', null);
  VALUES.elements.set(`ATTRIBUTE-VALUE-${kind}`, value);
}
VALUES.elements.set(
  'ATTRIBUTE-VALUE-XHTML',
  content(['IS-SIMPLIFIED', 'THE-VALUE'], 'DEFINITION', 'THE-VALUE', 'THE-ORIGINAL-VALUE'),
);

function valued(...anything: string[]): Content {
  const element = content(IDENTITY, 'ALTERNATIVE-ID', 'TYPE', ...anything);
  element.elements.set('VALUES', VALUES);
  return element;
}

const CHILDREN = content([]);
const PLACE = content(
  [...IDENTITY, 'IS-EDITABLE', 'IS-TABLE-INTERNAL'],
  ...['ALTERNATIVE-ID', 'EDITABLE-ATTS', 'OBJECT'],
);
PLACE.elements.set('CHILDREN', CHILDREN);
CHILDREN.elements.set('SPEC-HIERARCHY', PLACE);

const SPECIFICATION = valued();
SPECIFICATION.elements.set('CHILDREN', CHILDREN);

/** Content in which elements have content of their own. */
function within(of: Content, ...inside: [string, Content][]): Content {
  for (const [name, one] of inside) of.elements.set(name, one);
  return of;
}

const DEFINITIONS = content([]);
for (const kind of VALUE_KINDS) {
  const attributes = [
    ...IDENTITY,
    'IS-EDITABLE',
    ...(kind === 'ENUMERATION' ? ['MULTI-VALUED'] : []),
  ];
  DEFINITIONS.elements.set(
    `ATTRIBUTE-DEFINITION-${kind}`,
    within(content(attributes, 'ALTERNATIVE-ID', 'TYPE'), ['DEFAULT-VALUE', VALUES]),
  );
}
const TYPE = within(content(IDENTITY, 'ALTERNATIVE-ID'), ['SPEC-ATTRIBUTES', DEFINITIONS]);

const ENUM_VALUES = within(content([]), [
  'ENUM-VALUE',
  within(content(IDENTITY, 'ALTERNATIVE-ID'), [
    'PROPERTIES',
    within(content([]), ['EMBEDDED-VALUE', content(['KEY', 'OTHER-CONTENT'])]),
  ]),
]);
const DATATYPES = VALUE_KINDS.map((kind): [string, Content] => [
  `DATATYPE-DEFINITION-${kind}`,
  within(content([...IDENTITY, 'ACCURACY', 'MAX', 'MIN', 'MAX-LENGTH'], 'ALTERNATIVE-ID'), [
    'SPECIFIED-VALUES',
    ENUM_VALUES,
  ]),
]);

const RECORDS: ReadonlyMap<string, Content> = new Map([
  ['SPEC-OBJECT', valued()],
  ['SPEC-RELATION', valued('SOURCE', 'TARGET')],
  ['SPECIFICATION', SPECIFICATION],
  ['RELATION-GROUP', valued('SOURCE-SPECIFICATION', 'TARGET-SPECIFICATION', 'SPEC-RELATIONS')],
  ...['SPEC-OBJECT-TYPE', 'SPEC-RELATION-TYPE', 'SPECIFICATION-TYPE', 'RELATION-GROUP-TYPE'].map(
    (name): [string, Content] => [name, TYPE],
  ),
  ...DATATYPES,
]);

/** Elements whose content is text, or any XHTML. */
const TEXTS = new Set(['THE-VALUE', 'THE-ORIGINAL-VALUE']);

/** Counts what does not belong into the records of a document. */
export interface Strays {
  /** Looks through a record. */
  look(record: XmlElement): void;
  /** An element that is not read at all. */
  element(name: string, line: number): void;
  /** Reports all that was counted, each name once. */
  tell(report: ReqifReport): void;
}

/** Strays of a document before its first record. */
export function createStrays(): Strays {
  const elements = createTally();
  const attributes = createTally();
  const texts = createTally();

  function look(element: XmlElement, known: Content): void {
    for (const name in element.attributes) {
      if (!known.attributes.has(name)) {
        attributes.count(`${name.slice(0, 100)} of <${element.name}>`, element.line);
      }
    }
    for (const child of element.children) {
      if (typeof child === 'string') {
        texts.count(element.name, element.line);
        continue;
      }
      const inside = child.space === 'reqif' ? known.elements.get(child.name) : undefined;
      if (inside) look(child, inside);
      else if (inside === null) lookForTexts(child);
      // What is no value is told of where values are read.
      else if (inside === undefined && (known !== VALUES || child.space !== 'reqif')) {
        elements.count(child.name, child.line);
      }
    }
  }

  /** Looks at an element in which anything may stand but text, such as one with a reference. */
  function lookForTexts(element: XmlElement): void {
    if (TEXTS.has(element.name) || element.name.endsWith('-REF')) return;
    for (const child of element.children) {
      if (typeof child === 'string') texts.count(element.name, element.line);
      else if (child.space === 'reqif') lookForTexts(child);
      else elements.count(child.name, child.line);
    }
  }

  return {
    look(record) {
      const known = RECORDS.get(record.name);
      if (known !== undefined) look(record, known);
      else if (record.name !== 'REQ-IF-HEADER') lookForTexts(record);
    },
    element: (name, line) => elements.count(name, line),
    tell(report) {
      tellElements(elements, report);
      for (const [what, { line, times: count }] of attributes.entries()) {
        const detail = `The attribute ${what} does not belong there in ReqIF (${times(count)}, first here); it was not read.`;
        report.lose('unknown_attribute', 'warning', line, detail);
      }
      tellTexts(texts, report);
    },
  };
}

/** Reports elements that are not read, by their names. */
export function tellElements(elements: Tally, report: ReqifReport): void {
  for (const [name, { line, times: count }] of elements.entries()) {
    const detail = `<${name.slice(0, 100)}> does not belong here in ReqIF (${times(count)}, first here); it was not read.`;
    report.lose('unknown_element', 'warning', line, detail);
  }
}

/** Reports text that is not read, by the names of the elements in which it stands. */
export function tellTexts(texts: Tally, report: ReqifReport): void {
  for (const [name, { line, times: count }] of texts.entries()) {
    const detail = `Text stands in <${name}>, where ReqIF has none (${times(count)}, first here); it was not read.`;
    report.lose('stray_text', 'warning', line, detail);
  }
}
