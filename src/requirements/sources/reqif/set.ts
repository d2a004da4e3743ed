// The ReqIF documents of a source set together: a reference is to the document that holds it, else to
// another one, since an exchange may spread over several files.
import type { AttributeValue } from '../model.ts';
import { fault, type Identified, type ReqifDocument, type SpecType } from './document.ts';
import { roleOf } from './names.ts';
import { type Definition, jsonValue, type Value } from './values.ts';

export interface Read {
  value: Value;
  json: AttributeValue;
  definition: Definition;
  used: boolean;
}

export interface Element<T extends Identified = Identified> {
  document: ReqifDocument;
  source: T;
  /** Undefined where none is declared. */
  type: SpecType | undefined;
  /** Its values, and the defaults of its type where it has none. */
  reads: Read[];
}

export type Lookup<T> = (document: ReqifDocument, identifier: string) => T | undefined;

function lookup<T>(
  documents: readonly ReqifDocument[],
  partsOf: (document: ReqifDocument) => ReadonlyMap<string, T>,
): Lookup<T> {
  const anywhere = new Map(documents.toReversed().flatMap((one) => [...partsOf(one)]));
  return (document, identifier) => partsOf(document).get(identifier) ?? anywhere.get(identifier);
}

export function finderOf<T extends Element>(
  documents: readonly ReqifDocument[],
  elements: readonly T[],
): Lookup<T> {
  const inside = new Map(documents.map((one) => [one, new Map<string, T>()]));
  for (const one of elements.toReversed()) {
    const { identifier } = one.source;
    if (identifier !== '') inside.get(one.document)?.set(identifier, one);
  }
  return lookup(documents, (one) => inside.get(one) ?? new Map<string, T>());
}

/** Joins the documents, in the order of their paths, to resolve what is in them. */
export function joinDocuments(
  documents: readonly ReqifDocument[],
): <T extends Identified>(document: ReqifDocument, source: T) => Element<T> {
  const typeOf = lookup(documents, (one) => one.types);
  const definitionOf = lookup(documents, (one) => one.definitions);
  const enumValueOf = lookup(documents, (one) => one.enumValues);
  const datatypes = new Set(documents.flatMap((one) => [...one.datatypes]));
  for (const document of documents)
    for (const { datatype, line } of document.definitions.values())
      if (!datatypes.has(datatype))
        fault(document, 'unknown_type', line, `The datatype ${datatype} is not declared.`);

  function read(document: ReqifDocument, value: Value, definition: Definition): Read {
    const json = jsonValue(value, definition, (identifier) => {
      const name = enumValueOf(document, identifier);
      const detail = `The value ${identifier} of an enumeration is not declared.`;
      if (name === undefined) fault(document, 'unknown_type', value.line, detail);
      return name ?? identifier;
    });
    if (json === undefined) {
      const detail = `A value of ${definition.name} is no ${value.kind}; it stays as written.`;
      fault(document, 'invalid_value', value.line, detail);
    }
    return { value, json: json ?? value.text, definition, used: false };
  }

  return (document, source) => {
    const { type: identifier, values, line } = source;
    const type = typeOf(document, identifier);
    if (identifier === '') fault(document, 'missing_field', line, 'No type is named.');
    else if (!type)
      fault(document, 'unknown_type', line, `The type ${identifier} is not declared.`);
    const reads = values.map((value) => {
      const definition = definitionOf(document, value.definition);
      if (!definition && type) {
        const detail = `The attribute ${value.definition} is not declared; it goes by its identifier.`;
        fault(document, 'unknown_type', value.line, detail);
      }
      return read(document, value, definition ?? undeclared(value.definition));
    });
    for (const definition of type?.definitions ?? []) {
      const { identifier, defaultValue } = definition;
      if (defaultValue && values.every((one) => one.definition !== identifier))
        reads.push(read(document, defaultValue, definition));
    }
    return { document, source, type, reads };
  };
}

function undeclared(identifier: string): Definition {
  return {
    identifier,
    name: identifier,
    role: roleOf(identifier.slice(identifier.lastIndexOf('_') + 1)),
    datatype: '',
    isMultiValued: false,
    defaultValue: undefined,
    line: 0,
  };
}
