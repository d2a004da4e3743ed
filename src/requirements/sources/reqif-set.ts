// What the ReqIF documents of a source set declare, looked up by identifier: first in the document
// that refers to it, then in the others, since an exchange may spread over several files.

import type { FindingCode } from './finding-codes.ts';
import type { AttributeDefinition, ReqifDocument, SpecType } from './reqif-document.ts';
import { decodeName, OWN, OWN_PREFIX, type RankedRole, roleOf } from './reqif-names.ts';
import { createTally, some, type Tally, times } from './reqif-report.ts';
import { type Referenced, tellUnused } from './reqif-unused.ts';

/** What is known of the attribute that a value belongs to. */
export interface AttributeInfo {
  name: string;
  role: RankedRole | undefined;
  /** undefined where nothing declares it. */
  definition: AttributeDefinition | undefined;
  /** How a STRING is written: by our own writer as a list or as JSON. */
  form: 'plain' | 'list' | 'json';
}

/** Things that are referred to without being declared, and values that are not what they say. */
interface Lacks {
  datatypes: Tally;
  enumValues: Tally;
  definitions: Tally;
  values: Tally;
  /** By type and name, attributes that are taken for texts. */
  guesses: Tally;
  types: Tally;
  /** By type that is not declared, the attributes that are not declared either. */
  attributesOfTypes: Map<string, Set<string>>;
}

/** The documents of a source set. */
export interface ReqifSet {
  documents: readonly ReqifDocument[];
  typeOf(document: ReqifDocument, identifier: string, line: number): SpecType | undefined;
  attribute(document: ReqifDocument, identifier: string): AttributeInfo;
  /** Whether any document has a specification of this identifier. */
  isSpecification(identifier: string): boolean;
  enumLabel(document: ReqifDocument, identifier: string, line: number): string;
  /** Notes an attribute whose default an element has. */
  usesDefault(definition: AttributeDefinition): void;
  /** Notes that an attribute is taken for the text of an object, since none is named so. */
  guessedText(document: ReqifDocument, type: string, name: string, line: number): void;
  /** Notes a value that its kind does not allow. */
  invalidValue(document: ReqifDocument, name: string, line: number): void;
  /** Notes an attribute that nothing declares, of an object of the type. */
  undeclared(document: ReqifDocument, type: string, identifier: string, line: number): void;
  /** Writes all that was noted into the reports. */
  conclude(): void;
}

/** Joins the documents, in the order of their paths. */
export function createReqifSet(documents: readonly ReqifDocument[]): ReqifSet {
  const types = merged(documents.map((each) => each.types));
  const definitions = merged(documents.map((each) => each.definitions));
  const enumValues = merged(documents.map((each) => each.enumValues));
  const datatypes = merged(documents.map((each) => each.datatypes));
  const specifications = new Set(
    documents.flatMap((each) => each.specifications.map(({ identifier }) => identifier)),
  );
  const infos = new Map<ReqifDocument, Map<string, AttributeInfo>>();
  const lacks = new Map<ReqifDocument, Lacks>();
  for (const document of documents) {
    infos.set(document, new Map());
    lacks.set(document, {
      datatypes: createTally(),
      enumValues: createTally(),
      definitions: createTally(),
      values: createTally(),
      guesses: createTally(),
      types: createTally(),
      attributesOfTypes: new Map(),
    });
  }
  const lacksOf = (document: ReqifDocument): Lacks => lacks.get(document) as Lacks;
  const used: Referenced = { types: new Set(), values: new Set(), defaults: new Set() };

  function typeOf(document: ReqifDocument, identifier: string, line: number) {
    const type = document.types.get(identifier) ?? types.get(identifier);
    used.types.add(identifier);
    if (type === undefined) lacksOf(document).types.count(identifier, line);
    return type;
  }

  function attribute(document: ReqifDocument, identifier: string): AttributeInfo {
    const known = infos.get(document)?.get(identifier);
    if (known !== undefined) return known;
    const definition = document.definitions.get(identifier) ?? definitions.get(identifier);
    const own = identifier.startsWith(OWN_PREFIX);
    const name = identifier.startsWith(OWN.name)
      ? decodeName(identifier.slice(identifier.lastIndexOf('.') + 1))
      : definition?.name;
    const info: AttributeInfo = {
      name: name !== undefined && (own || name.trim() !== '') ? name : identifier,
      role: roleOf(identifier, definition === undefined ? undefined : (name ?? '')),
      definition,
      form:
        definition?.datatype === OWN.listDatatype
          ? 'list'
          : definition?.datatype === OWN.jsonDatatype
            ? 'json'
            : 'plain',
    };
    infos.get(document)?.set(identifier, info);
    return info;
  }

  function enumLabel(document: ReqifDocument, identifier: string, line: number): string {
    const label = document.enumValues.get(identifier) ?? enumValues.get(identifier);
    used.values.add(identifier);
    if (label === undefined) lacksOf(document).enumValues.count(identifier, line);
    return label ?? identifier;
  }

  function undeclared(document: ReqifDocument, type: string, identifier: string, line: number) {
    const { attributesOfTypes, definitions: tally } = lacksOf(document);
    if (document.types.has(type) || types.has(type)) {
      tally.count(identifier, line);
      return;
    }
    const attributes = attributesOfTypes.get(type);
    if (attributes === undefined) attributesOfTypes.set(type, new Set([identifier]));
    else attributes.add(identifier);
  }

  function conclude(): void {
    tellUnused(documents, used);
    for (const document of documents) {
      const noted = lacksOf(document);
      for (const definition of document.definitions.values()) {
        const { datatype, line } = definition;
        if (!document.datatypes.has(datatype) && !datatypes.has(datatype)) {
          noted.datatypes.count(datatype, line);
        }
      }
      concludeDocument(document, noted);
    }
  }

  return {
    documents,
    typeOf,
    attribute,
    isSpecification: (identifier) => specifications.has(identifier),
    enumLabel,
    usesDefault: (definition) => used.defaults.add(definition),
    guessedText: (document, type, name, line) =>
      lacksOf(document).guesses.count(`${named(name)} of ${named(type)}`, line),
    invalidValue: (document, name, line) => lacksOf(document).values.count(name, line),
    undeclared,
    conclude,
  };
}

function concludeDocument({ report }: ReqifDocument, noted: Lacks): void {
  const say = (code: FindingCode, line: number, detail: string) =>
    report.say(code, 'warning', line, detail);
  for (const [id, { line, times: count }] of noted.datatypes.entries()) {
    say('unknown_datatype', line, `The datatype ${named(id)} is not declared (${times(count)}).`);
  }
  for (const [id, { line, times: count }] of noted.types.entries()) {
    const attributes = [...(noted.attributesOfTypes.get(id) ?? [])];
    const also =
      attributes.length === 0
        ? ''
        : `; nor are its attributes, kept by identifier: ${some(attributes)}`;
    if (id === '') {
      report.say('missing_type', 'info', line, `No type is named (${times(count)}, first here).`);
      continue;
    }
    say('unknown_type', line, `The type ${named(id)} is not declared (${times(count)})${also}.`);
  }
  for (const [id, { line, times: count }] of noted.definitions.entries()) {
    const detail = `The attribute ${named(id)} is not declared (${times(count)}); its values are kept by identifier.`;
    say('unknown_attribute_definition', line, detail);
  }
  for (const [id, { line, times: count }] of noted.enumValues.entries()) {
    const detail = `The enumeration value ${named(id)} is not declared (${times(count)}); it is kept by identifier.`;
    say('unknown_enum_value', line, detail);
  }
  for (const [what, { line, times: count }] of noted.guesses.entries()) {
    const detail = `The attribute ${what} is taken for the text of objects, since no name says which is (${times(count)}, first here).`;
    report.say('guessed_text', 'info', line, detail);
  }
  for (const [name, { line, times: count }] of noted.values.entries()) {
    const detail = `A value of ${named(name)} is not of its kind (${times(count)}, first here); it is kept as written.`;
    say('invalid_value', line, detail);
  }
}

/** An identifier as a sentence may name it. */
export function named(identifier: string): string {
  if (identifier === '') return '(none named)';
  return identifier.length > 200 ? `${identifier.slice(0, 200)}…` : identifier;
}

function merged<T>(maps: readonly Map<string, T>[]): Map<string, T> {
  const all = new Map<string, T>();
  for (const map of maps) {
    for (const [key, value] of map) if (!all.has(key)) all.set(key, value);
  }
  return all;
}
