// The ReqIF documents of a source set together: a reference is to the document that holds it, else to
// another one, since an exchange may spread over several files.
import type { FindingCode } from '../findings.ts';
import type { AttributeValue } from '../model.ts';
import type { Definition, Identified, ReqifDocument, SpecType } from './document.ts';
import { type RankedRole, roleOf } from './names.ts';
import { jsonValue, type Value } from './values.ts';

/** A value with what its attribute means. */
export interface Read {
  value: Value;
  json: AttributeValue;
  definition: Definition;
  role: RankedRole | undefined;
  used: boolean;
}

/** An object, a specification or a relation with its type and values. */
export interface Element<T extends Identified = Identified> {
  document: ReqifDocument;
  source: T;
  /** Undefined where none is declared. */
  type: SpecType | undefined;
  /** Its values, and the defaults of its type where it has none. */
  reads: Read[];
}

export interface ReqifSet {
  resolve<T extends Identified>(document: ReqifDocument, source: T): Element<T>;
  roleOf(definition: Definition): RankedRole | undefined;
  /** Reports what is referred to and not declared, and values that are not what they should be. */
  finish(): void;
}

interface Lack {
  code: FindingCode;
  line: number;
  times: number;
  detail: string;
}

/** Joins the documents, in the order of their paths. */
export function joinDocuments(documents: readonly ReqifDocument[]): ReqifSet {
  const types = merged(documents.map((one) => one.types));
  const definitions = merged(documents.map((one) => one.definitions));
  const enumValues = merged(documents.map((one) => one.enumValues));
  const datatypes = new Set(documents.flatMap((one) => [...one.datatypes]));
  const lacks = new Map<ReqifDocument, Map<string, Lack>>();
  const roles = new Map<Definition, RankedRole | undefined>();
  const undeclared = new Map<string, Definition>();

  /** One cause is one finding, however often it comes. */
  function lack(
    { line }: { line: number },
    document: ReqifDocument,
    code: FindingCode,
    detail: string,
  ) {
    const ofDocument = lacks.get(document) ?? new Map<string, Lack>();
    lacks.set(document, ofDocument);
    const known = ofDocument.get(detail);
    if (known) known.times += 1;
    else ofDocument.set(detail, { code, line, times: 1, detail });
  }

  function definitionOf(document: ReqifDocument, identifier: string): Definition {
    const declared = document.definitions.get(identifier) ?? definitions.get(identifier);
    if (declared) return declared;
    let made = undeclared.get(identifier);
    if (!made) {
      const kind = {
        kind: '',
        datatype: '',
        isMultiValued: false,
        defaultValue: undefined,
        line: 0,
      };
      made = { identifier, name: identifier, isDeclared: false, ...kind };
      undeclared.set(identifier, made);
    }
    return made;
  }

  function roleIn(definition: Definition): RankedRole | undefined {
    if (!roles.has(definition)) {
      const { identifier, name, isDeclared } = definition;
      const shown = isDeclared ? name : identifier.slice(identifier.lastIndexOf('_') + 1);
      roles.set(definition, roleOf(shown));
    }
    return roles.get(definition);
  }

  function read(document: ReqifDocument, value: Value, definition: Definition): Read {
    const json = jsonValue(
      value,
      definition,
      (identifier) => {
        const name = document.enumValues.get(identifier) ?? enumValues.get(identifier);
        const detail = `The value ${identifier} of an enumeration is not declared.`;
        if (name === undefined) lack(value, document, 'unknown_type', detail);
        return name ?? identifier;
      },
      () => {
        const detail = `A value of ${definition.name} is no ${value.kind}; it stays as written.`;
        lack(value, document, 'invalid_value', detail);
      },
    );
    return { value, json, definition, role: roleIn(definition), used: false };
  }

  return {
    resolve(document, source) {
      const { type: identifier, values } = source;
      const type = document.types.get(identifier) ?? types.get(identifier);
      const unknown = `The type ${identifier} is not declared.`;
      if (identifier === '') lack(source, document, 'missing_field', 'No type is named.');
      else if (!type) lack(source, document, 'unknown_type', unknown);
      const reads = values.map((value) => {
        const definition = definitionOf(document, value.definition);
        const detail = `The attribute ${value.definition} is not declared; it goes by its identifier.`;
        if (!definition.isDeclared && type) lack(value, document, 'unknown_type', detail);
        return read(document, value, definition);
      });
      for (const definition of type?.definitions ?? []) {
        const { identifier, defaultValue } = definition;
        if (defaultValue && values.every((one) => one.definition !== identifier))
          reads.push(read(document, defaultValue, definition));
      }
      return { document, source, type, reads };
    },
    roleOf: roleIn,
    finish() {
      for (const document of documents) {
        for (const { datatype, line } of document.definitions.values()) {
          const detail = `The datatype ${datatype} is not declared.`;
          if (!datatypes.has(datatype)) lack({ line }, document, 'unknown_type', detail);
        }
        for (const { code, line, times, detail } of lacks.get(document)?.values() ?? [])
          document.report.report(code, line, times > 1 ? `${detail} (${times} times)` : detail);
      }
    },
  };
}

function merged<T>(maps: readonly Map<string, T>[]): Map<string, T> {
  return new Map(maps.toReversed().flatMap((map) => [...map]));
}
