// Makes JSON Schemas of what the checks are compiled from: the keywords that only the checks know
// go, and what they stand for comes in their place.

type Json = Record<string, unknown>;

export type Keep = (name: string, component: Json) => Json;

const LISTS = ['anyOf', 'allOf', 'oneOf'];
const MAPS = ['properties', 'patternProperties'];
const ANY_NAME = '^(.*)$';

/**
 * Makes a schema of OpenAPI 3.1 (JSON Schema 2020-12) of one of TypeBox.
 * @param schema - plain JSON; it stays as it is
 * @param keep - is called with every schema with a `title`, which becomes a component of that name
 */
export function publicSchema(schema: Json, keep: Keep): Json {
  const { says: _, documentedFormat, title, ...rest } = schema;
  const inside = (one: unknown) => (isObject(one) ? publicSchema(one, keep) : one);
  for (const name of MAPS) if (isObject(rest[name])) rest[name] = mapValues(rest[name], inside);
  for (const name of LISTS) if (Array.isArray(rest[name])) rest[name] = rest[name].map(inside);
  for (const name of ['items', 'additionalProperties', 'not'])
    if (name in rest) rest[name] = inside(rest[name]);
  if (documentedFormat !== undefined) rest.format = documentedFormat;
  // A pattern that only says again what an enumeration or a format says.
  if (rest.enum !== undefined || documentedFormat !== undefined) delete rest.pattern;
  const plain = withNull(withOpenNames(rest));
  return typeof title === 'string' ? keep(title, plain) : plain;
}

function withOpenNames(schema: Json): Json {
  const { patternProperties, ...rest } = schema;
  if (isObject(rest.properties) && Object.keys(rest.properties).length === 0)
    delete rest.properties;
  if (!isObject(patternProperties)) return rest;
  const { [ANY_NAME]: any, ...others } = patternProperties;
  if (!isObject(any) || Object.keys(others).length > 0) return { ...rest, patternProperties };
  return { ...rest, additionalProperties: Object.keys(any).length === 0 ? true : any };
}

function withNull(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [value, none] = anyOf as [Json, Json];
  if (none.type !== 'null' || typeof value.type !== 'string' || 'const' in value) return schema;
  return {
    ...value,
    ...rest,
    type: [value.type, 'null'],
    ...(Array.isArray(value.enum) ? { enum: [...value.enum, null] } : {}),
  };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function mapValues<T>(object: Json, change: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
