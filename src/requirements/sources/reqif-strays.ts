// What ReqIF (OMG formal/2016-07-01) has no place for in an object, a relation, a specification, a
// relation group, a type or a datatype: elements, attributes and text, of which nothing is read. And
// what it has a place for, but the graph has none.

import {
  childOf,
  childrenOf,
  isReference,
  NO_ATTRIBUTES,
  type XmlElement,
} from './reqif-element.ts';
import { VALUE_KINDS } from './reqif-raw-values.ts';
import { createTally, type ReqifReport } from './reqif-report.ts';
import {
  tellAttributes,
  tellElements,
  tellIdentifiers,
  tellTexts,
  tellUnkept,
} from './reqif-stray-findings.ts';

/** What an element may have. */
interface Content {
  attributes: ReadonlySet<string>;
  /** Its elements by name: content; references; any XHTML. */
  elements: Map<string, Content | 'references' | 'text'>;
  /** Attributes and elements that are not kept. */
  unkept: ReadonlySet<string>;
  /** What it is part of, where that is not what the parts of its record are called. */
  part?: string;
  /** What it may have where it has no LONG-NAME. */
  nameless?: Content;
}

const REFERENCES = new Set(
  'TYPE DEFINITION OBJECT SOURCE TARGET SOURCE-SPECIFICATION TARGET-SPECIFICATION SPEC-RELATIONS EDITABLE-ATTS'.split(
    ' ',
  ),
);

function content(
  attributes: readonly string[],
  elements: readonly string[] = [],
  unkept: readonly string[] = [],
): Content {
  return {
    attributes: new Set(attributes),
    elements: new Map(elements.map((name) => [name, contentOf(name)])),
    unkept: new Set(unkept),
  };
}

function contentOf(name: string): Content | 'references' {
  if (REFERENCES.has(name)) return 'references';
  return name === 'ALTERNATIVE-ID'
    ? within(content([]), [name, content(['IDENTIFIER'])])
    : content([]);
}

const IDENTITY = ['DESC', 'IDENTIFIER', 'LAST-CHANGE', 'LONG-NAME'];
/** What types, and what they are made of, say beside their names. */
const NOTES = ['ALTERNATIVE-ID', 'DESC', 'IDENTIFIER', 'LAST-CHANGE'];

const VALUES = content([]);
for (const kind of VALUE_KINDS) {
  const value = content(['THE-VALUE'], ['DEFINITION']);
  if (kind === 'ENUMERATION') value.elements.set('VALUES', 'references');
  VALUES.elements.set(`ATTRIBUTE-VALUE-${kind}`, value);
}
const XHTML: Content = {
  ...content(['IS-SIMPLIFIED'], ['DEFINITION'], ['IS-SIMPLIFIED']),
  part: 'values',
};
XHTML.elements.set('THE-VALUE', 'text').set('THE-ORIGINAL-VALUE', 'text');
VALUES.elements.set('ATTRIBUTE-VALUE-XHTML', XHTML);

function valued(...others: string[]): Content {
  const element = content(IDENTITY, ['ALTERNATIVE-ID', 'TYPE', ...others]);
  element.elements.set('VALUES', VALUES);
  return element;
}

const CHILDREN = content([]);
const PLACE = content(
  [...IDENTITY, 'IS-EDITABLE', 'IS-TABLE-INTERNAL'],
  ['ALTERNATIVE-ID', 'EDITABLE-ATTS', 'OBJECT'],
  ['IDENTIFIER', 'LAST-CHANGE', 'IS-EDITABLE', 'EDITABLE-ATTS'],
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
    within(
      content(attributes, ['ALTERNATIVE-ID', 'TYPE'], [...NOTES, 'IS-EDITABLE', 'MULTI-VALUED']),
      ['DEFAULT-VALUE', VALUES],
    ),
  );
}
const TYPE = within(content(IDENTITY, ['ALTERNATIVE-ID'], NOTES), ['SPEC-ATTRIBUTES', DEFINITIONS]);

function enumValue(unkept: readonly string[]): Content {
  const embedded = content(['KEY', 'OTHER-CONTENT'], [], unkept);
  const properties = within(content([]), ['EMBEDDED-VALUE', embedded]);
  return within(content(IDENTITY, ['ALTERNATIVE-ID'], NOTES), ['PROPERTIES', properties]);
}

const ENUM_VALUES = within(content([]), [
  'ENUM-VALUE',
  // One without a name goes by its key.
  { ...enumValue(['KEY', 'OTHER-CONTENT']), nameless: enumValue(['OTHER-CONTENT']) },
]);
const LIMITS = ['ACCURACY', 'MAX', 'MIN', 'MAX-LENGTH'];
const DATATYPES = VALUE_KINDS.map((kind): [string, Content] => [
  `DATATYPE-DEFINITION-${kind}`,
  within(
    content([...IDENTITY, ...LIMITS], ['ALTERNATIVE-ID'], [...NOTES, 'LONG-NAME', ...LIMITS]),
    ['SPECIFIED-VALUES', ENUM_VALUES],
  ),
]);

const GROUP: Content = {
  ...valued('SOURCE-SPECIFICATION', 'TARGET-SPECIFICATION', 'SPEC-RELATIONS'),
  unkept: new Set(['IDENTIFIER', 'LAST-CHANGE']),
};

const RECORDS: ReadonlyMap<string, Content> = new Map([
  ['SPEC-OBJECT', valued()],
  ['SPEC-RELATION', valued('SOURCE', 'TARGET')],
  ['SPECIFICATION', SPECIFICATION],
  ['RELATION-GROUP', GROUP],
  ...['SPEC-OBJECT-TYPE', 'SPEC-RELATION-TYPE', 'SPECIFICATION-TYPE', 'RELATION-GROUP-TYPE'].map(
    (name): [string, Content] => [name, TYPE],
  ),
  ...DATATYPES,
]);

/** Whether an element that has no name goes by its IDENTIFIER. */
function isNamedByIt(element: XmlElement): boolean {
  const { name } = element;
  if (!isNameless(element)) return false;
  if (name === 'ENUM-VALUE') {
    const [embedded] = childrenOf(childOf(element, 'PROPERTIES'), 'EMBEDDED-VALUE');
    return embedded?.attributes.KEY === undefined;
  }
  return name !== 'SPEC-HIERARCHY' && !name.startsWith('DATATYPE-');
}

function isNameless({ attributes }: XmlElement): boolean {
  return !attributes['LONG-NAME']?.trim();
}

/** What the parts of a record are called. */
function partsIn(record: string): string {
  if (record.startsWith('DATATYPE-')) return 'datatypes';
  if (record.endsWith('-TYPE')) return 'types';
  return record === 'RELATION-GROUP' ? 'relation groups' : 'places';
}

/** Counts what does not belong into the records of a document. */
export interface Strays {
  /** Looks through a record. */
  look(record: XmlElement): void;
  /** An element that is not read at all. */
  element(name: string, line: number): void;
  /** What is read, though nothing keeps it. */
  unkept(what: string, line: number, times?: number): void;
  /**
   * Reports all that was counted, each name once.
   *
   * @param isOwn - whether our writer made the document: what is not kept came from nowhere then
   */
  tell(report: ReqifReport, isOwn: boolean): void;
}

/** Strays of a document before its first record. */
export function createStrays(): Strays {
  const elements = createTally();
  const attributes = createTally();
  const texts = createTally();
  const unkept = createTally();
  const identifiers = createTally();

  function look(element: XmlElement, content: Content, ofRecord: string): void {
    const known = content.nameless && isNameless(element) ? content.nameless : content;
    const parts = known.part ?? ofRecord;
    for (const name in element.attributes) {
      if (!known.attributes.has(name)) {
        attributes.count(`${name.slice(0, 100)} of <${element.name}>`, element.line);
      } else if (known.unkept.has(name) && element.attributes[name] !== '') {
        if (name !== 'IDENTIFIER') unkept.count(`${name} of ${parts}`, element.line);
        else if (!isNamedByIt(element)) identifiers.count(parts, element.line);
      }
    }
    for (const child of element.children) {
      if (typeof child === 'string') {
        texts.count(element.name, element.line);
        continue;
      }
      const inside = child.space === 'reqif' ? known.elements.get(child.name) : undefined;
      if (inside === undefined) {
        // What is no value is told of where values are read.
        if (known === VALUES && child.space === 'reqif') continue;
        elements.count(child.name, child.line);
        continue;
      }
      if (known.unkept.has(child.name) && child.children.length > 0) {
        unkept.count(`${child.name} of ${parts}`, child.line);
      }
      if (inside === 'references') lookAtReferences(child);
      else if (inside === 'text') lookForAttributes(child);
      else look(child, inside, parts);
    }
  }

  /** Looks at an element that has no attributes. */
  function lookForAttributes(element: XmlElement): void {
    if (element.attributes === NO_ATTRIBUTES) return;
    for (const name in element.attributes) {
      attributes.count(`${name.slice(0, 100)} of <${element.name.slice(0, 100)}>`, element.line);
    }
  }

  /** Looks at an element that holds references, each with nothing but the identifier in it. */
  function lookAtReferences(element: XmlElement): void {
    lookForAttributes(element);
    for (const child of element.children) {
      if (typeof child === 'string') {
        texts.count(element.name, element.line);
        continue;
      }
      if (isReference(child)) lookForAttributes(child);
      const inner = isReference(child) ? child.children : [child];
      for (const one of inner) if (typeof one !== 'string') elements.count(one.name, one.line);
    }
  }

  /** Looks at an element in which anything may stand but text. */
  function lookForTexts(element: XmlElement): void {
    for (const child of element.children) {
      if (typeof child === 'string') texts.count(element.name, element.line);
      else if (child.space === 'reqif') lookForTexts(child);
      else elements.count(child.name, child.line);
    }
  }

  /** Looks at the header: elements with nothing but text in them. */
  function lookAtHeader(header: XmlElement): void {
    for (const name in header.attributes) {
      if (name === 'IDENTIFIER') identifiers.count('headers', header.line);
      else attributes.count(`${name.slice(0, 100)} of <${header.name}>`, header.line);
    }
    for (const child of header.children) {
      if (typeof child === 'string') {
        texts.count(header.name, header.line);
      } else if (child.space !== 'reqif') {
        elements.count(child.name, child.line);
      } else {
        lookForAttributes(child);
        for (const one of child.children) {
          if (typeof one !== 'string') elements.count(one.name, one.line);
        }
      }
    }
  }

  return {
    look(record) {
      const known = RECORDS.get(record.name);
      if (known !== undefined) look(record, known, partsIn(record.name));
      else if (record.name === 'REQ-IF-HEADER') lookAtHeader(record);
      else lookForTexts(record);
    },
    element: (name, line) => elements.count(name, line),
    unkept: (what, line, count) => unkept.count(what, line, count),
    tell(report, isOwn) {
      tellElements(elements, report);
      tellAttributes(attributes, report);
      tellTexts(texts, report);
      if (isOwn) return;
      tellUnkept(unkept, report);
      tellIdentifiers(identifiers, report);
    },
  };
}
