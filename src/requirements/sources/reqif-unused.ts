// What a ReqIF document declares and nothing uses: types, attributes and values of enumerations. The
// graph has no place for a name that stands for nothing in it.
import type { ReqifDocument } from './reqif-document.ts';
import { some } from './reqif-report.ts';

/** The identifiers of the types and of the values of enumerations that elements of a set refer to. */
export interface Referenced {
  types: Set<string>;
  values: Set<string>;
}

/** Tells once a document of what nothing uses; what our writer has declared came from nowhere. */
export function tellUnused(documents: readonly ReqifDocument[], used: Referenced): void {
  const attributes = new Set(documents.flatMap(attributesIn));
  for (const document of documents) {
    if (document.written === undefined) tell(document, used, attributes);
  }
}

/** The attributes of which a document has values, or that have one by default. */
function attributesIn({ definitions, ...elements }: ReqifDocument): string[] {
  const { objects, relations, specifications, groups } = elements;
  const found = new Set<string>();
  for (const list of [objects, relations, specifications, groups]) {
    for (const { values } of list) for (const { definition } of values) found.add(definition);
  }
  for (const { identifier, defaultValue } of definitions.values()) {
    if (defaultValue !== undefined) found.add(identifier);
  }
  return [...found];
}

function tell(
  { types, definitions, enumValues, declaredAt, report }: ReqifDocument,
  used: Referenced,
  attributes: ReadonlySet<string>,
): void {
  const parts = [
    part('types', types, used.types, ({ name }) => name),
    part('attributes', definitions, attributes, ({ name }) => name),
    part('values of enumerations', enumValues, used.values, (label) => label),
  ].filter((one) => one !== '');
  if (parts.length === 0) return;
  const detail = `Nothing uses this of what is declared from here on; it is not kept: ${parts.join('; ')}.`;
  report.say('unused_declaration', 'info', declaredAt, detail);
}

function part<T>(
  what: string,
  declared: ReadonlyMap<string, T>,
  used: ReadonlySet<string>,
  nameOf: (one: T) => string | undefined,
): string {
  const names: string[] = [];
  for (const [identifier, one] of declared) {
    if (!used.has(identifier)) names.push(nameOf(one)?.trim() || identifier);
  }
  return names.length === 0 ? '' : `${what} (${names.length}): ${some(names)}`;
}
