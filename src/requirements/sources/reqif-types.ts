// Reads the datatypes and types that a ReqIF document declares. Of declarations of one sort with the
// same IDENTIFIER the first is what references mean.

import type { AttributeDefinition, ReqifDocument } from './reqif-document.ts';
import {
  childOf,
  childrenOf,
  elementsOf,
  identifierOf,
  referenceIn,
  type XmlElement,
} from './reqif-element.ts';
import { readValues } from './reqif-raw-values.ts';
import type { ReqifReport } from './reqif-report.ts';
import { named } from './reqif-set.ts';

/** What shares its identifiers; but the last two are declarations. */
type Sort = 'attribute' | 'datatype' | 'type' | 'value' | 'relation' | 'group';

export type IsFirst = (sort: Sort, element: XmlElement) => boolean;

/** Tells first declarations from others with their IDENTIFIER, each of which it reports. */
export function createDeclared(report: ReqifReport): IsFirst {
  const lines = new Map<Sort, Map<string, number>>();
  return (sort, element) => {
    const identifier = identifierOf(element);
    const ofSort = lines.get(sort) ?? new Map<string, number>();
    lines.set(sort, ofSort);
    const first = ofSort.get(identifier);
    if (first === undefined) {
      ofSort.set(identifier, element.line);
      return true;
    }
    // Nothing refers to one without IDENTIFIER.
    if (identifier !== '' && (sort === 'relation' || sort === 'group')) {
      const means = sort === 'group' ? '' : ', and groups mean the first';
      const detail = `The ${element.name} at line ${element.line} has the IDENTIFIER ${named(identifier)} of that at line ${first}: both are read${means}.`;
      report.say('duplicate_identifier', 'error', element.line, detail);
    } else if (identifier !== '') {
      const detail = `The ${element.name.slice(0, 100)} at line ${element.line} has the IDENTIFIER ${named(identifier)} of that at line ${first}: what refers to it means the first.`;
      report.lose('duplicate_identifier', 'error', element.line, detail);
    }
    return false;
  };
}

/** Reads a DATATYPE-DEFINITION with the values of an enumeration. */
export function takeDatatype(document: ReqifDocument, element: XmlElement): void {
  const kind = element.name.slice('DATATYPE-DEFINITION-'.length);
  if (document.isFirst('datatype', element)) document.datatypes.set(identifierOf(element), kind);
  const labels = new Set<string>();
  for (const value of childrenOf(childOf(element, 'SPECIFIED-VALUES'), 'ENUM-VALUE')) {
    if (!document.isFirst('value', value)) continue;
    const identifier = identifierOf(value);
    const { 'LONG-NAME': name } = value.attributes;
    const properties = childrenOf(childOf(value, 'PROPERTIES'), 'EMBEDDED-VALUE')[0];
    const key = properties?.attributes.KEY ?? identifier;
    const label = name?.trim() ? name : key;
    // Two values of one name are told apart as two attributes of one name are.
    document.enumValues.set(identifier, labels.has(label) ? `${label} (${identifier})` : label);
    labels.add(label);
  }
}

/** Reads a type of objects, relations, specifications or groups with its attributes. */
export function takeType(document: ReqifDocument, element: XmlElement): void {
  const declared = elementsOf(childOf(element, 'SPEC-ATTRIBUTES'));
  const definitions: AttributeDefinition[] = [];
  const identifiers = new Set<string>();
  for (const child of declared) {
    if (!child.name.startsWith('ATTRIBUTE-DEFINITION-')) continue;
    const definition = definitionOf(document, child);
    const { identifier } = definition;
    if (document.isFirst('attribute', child)) document.definitions.set(identifier, definition);
    // Another type may give what is defined twice a default of its own; this one has one already.
    if (!identifiers.has(identifier)) definitions.push(definition);
    identifiers.add(identifier);
  }
  const identifier = identifierOf(element);
  const name = element.attributes['LONG-NAME'];
  if (document.isFirst('type', element)) {
    document.types.set(identifier, { identifier, name, definitions });
  }
}

function definitionOf(document: ReqifDocument, element: XmlElement): AttributeDefinition {
  const standard = childOf(element, 'DEFAULT-VALUE');
  const [defaultValue] =
    standard === undefined ? [] : readValues(standard, document.report, document.xhtml);
  const identifier = identifierOf(element);
  if (defaultValue !== undefined && ![identifier, ''].includes(defaultValue.definition)) {
    const detail = `The DEFAULT-VALUE of the attribute ${named(identifier)} names ${named(defaultValue.definition)}; it is read as that of the attribute in which it stands.`;
    document.report.say('invalid_reference', 'warning', defaultValue.line, detail);
  }
  return {
    identifier,
    name: element.attributes['LONG-NAME'],
    kind: element.name.slice('ATTRIBUTE-DEFINITION-'.length),
    datatype: referenceIn(childOf(element, 'TYPE')),
    multiValued: /^(true|1)$/.test(element.attributes['MULTI-VALUED'] ?? ''),
    defaultValue,
    line: element.line,
  };
}
