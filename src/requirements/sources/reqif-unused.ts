// What a ReqIF document declares and nothing uses: types, attributes, their defaults and values of
// enumerations. The graph has no place for a name that stands for nothing in it.
import type { AttributeDefinition, ReqifDocument } from './reqif-document.ts';
import { some } from './reqif-report.ts';
import { saying } from './reqif-sayings.ts';

/** What elements of a set refer to. */
export interface Referenced {
  /** Identifiers of types. */
  types: Set<string>;
  /** Identifiers of values of enumerations. */
  values: Set<string>;
  /** Attributes whose defaults elements have. */
  defaults: Set<AttributeDefinition>;
}

/** Tells once a document of what nothing uses; what our writer has declared came from nowhere. */
export function tellUnused(documents: readonly ReqifDocument[], used: Referenced): void {
  const attributes = new Set(documents.flatMap(attributesIn));
  for (const { identifier } of used.defaults) attributes.add(identifier);
  for (const document of documents) {
    if (document.written === undefined) tell(document, used, attributes);
  }
}

/** The attributes of which a document has values. */
function attributesIn({ objects, relations, specifications, groups }: ReqifDocument): string[] {
  const found = new Set<string>();
  for (const list of [objects, relations, specifications, groups]) {
    for (const { values } of list) for (const { definition } of values) found.add(definition);
  }
  return [...found];
}

function tell(document: ReqifDocument, used: Referenced, attributes: ReadonlySet<string>): void {
  const { types, definitions, enumValues, declaredAt, report } = document;
  const defaults = defaultsWithout(document, used.defaults);
  const parts = [
    part('types', types, used.types, ({ name }) => name),
    part('attributes', definitions, attributes, ({ name }) => name),
    defaults.length === 0 ? '' : `defaults (${defaults.length}): ${some(defaults)}`,
    part('values of enumerations', enumValues, used.values, (label) => label),
  ].filter((one) => one !== '');
  if (parts.length === 0) return;
  const detail = `Nothing uses this of what is declared from here on; it is not kept: ${parts.join('; ')}.`;
  report.say('unused_declaration', 'info', declaredAt, detail);
}

/** What attributes have by default, of which nothing has its own, by their names. */
function defaultsWithout(
  { types, enumValues }: ReqifDocument,
  used: ReadonlySet<AttributeDefinition>,
): string[] {
  const said: string[] = [];
  for (const definition of [...types.values()].flatMap(({ definitions }) => definitions)) {
    const { defaultValue, name, identifier } = definition;
    if (defaultValue === undefined || used.has(definition)) continue;
    const { refs, text } = defaultValue;
    const labels = refs.map((ref) => enumValues.get(ref) ?? ref);
    said.push(saying(name?.trim() || identifier, labels.length > 0 ? labels.join(', ') : text));
  }
  return said;
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
