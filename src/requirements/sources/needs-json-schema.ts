// What the schema of a needs.json says of its fields: what is wrong with it, and what is not kept, since
// the graph has no place for fields without values.
import type { JsonDocument } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import { isEmpty, recordOf, saysNothing } from './needs-json-fields.ts';
import type { OwnFields } from './needs-json-own.ts';
import { shown } from './needs-json-reading.ts';
import type { CurrentVersion } from './needs-json-version.ts';
import type { FileNotes } from './source-result.ts';

const SCHEMA_FIELDS = new Set(['$schema', 'type', 'properties']);
const FIELD_TYPES = new Set(['core', 'extra', 'links', 'backlinks', 'global']);
/** What our writer says of each of its link fields. */
const OWN_KEYS = new Set(['type', 'default', 'x-pqrs']);
/** How many names a finding tells. */
const MOST_NAMES = 50;

/** What is known of the fields when their schema is looked at. */
export interface FieldsInUse {
  /** The fields that needs have. */
  used: ReadonlySet<string>;
  /** Whether what the schema says of defaults stands for what needs do not say. */
  defaultsRemoved: boolean;
  /** The link fields of a file that we wrote; null for one of Sphinx-Needs. */
  own: OwnFields | null;
}

/** Notes what is wrong with the schema, and in one finding what of it is not kept. */
export function noteSchema(
  { version, name }: Pick<CurrentVersion, 'version' | 'name'>,
  use: FieldsInUse,
  json: JsonDocument,
  notes: FileNotes,
): void {
  const schema = version.get('needs_schema');
  if (!schema) return;
  const owner = `"needs_schema" of version ${name}`;
  const value: unknown = json.value(schema);
  if (value === null) return;
  const wrong = ({ at }: JsonMember, detail: string) =>
    notes.lose('invalid_field', json.line(at), detail);
  if (value === undefined || !json.isObject(schema)) {
    wrong(schema, `${owner} is no object, or nests too deep, and is not read.`);
    return;
  }
  const fields = json.members(schema.start);
  for (const { key, at } of fields) {
    if (SCHEMA_FIELDS.has(key)) continue;
    notes.note('unknown_field', json.line(at), `${owner}: ${shown(key)} is not read.`);
  }
  const properties = fields.findLast(({ key }) => key === 'properties');
  if (properties && !json.isObject(properties)) {
    wrong(properties, `"properties" of ${owner} is no object, and is not read.`);
  } else if (properties) {
    for (const property of json.members(properties.start)) {
      const said = recordOf(json.value(property));
      const kind = said?.field_type;
      if (!said) wrong(property, `The property ${shown(property.key)} of ${owner} is no object.`);
      else if (!isEmpty(kind) && typeof kind !== 'string')
        wrong(property, `"field_type" of the property ${shown(property.key)} is no text.`);
    }
  }
  const unkept = unkeptOf(value as Record<string, unknown>, use);
  if (unkept.length === 0) return;
  const detail = `Of ${owner} this is not kept: ${unkept.join('; ')}.`;
  notes.note('unread_details', json.line(schema.at), detail);
}

/** What of a schema is not kept, in parts of a sentence. */
function unkeptOf(
  schema: Record<string, unknown>,
  { used, defaultsRemoved, own }: FieldsInUse,
): string[] {
  const unkept: string[] = [];
  if (!isEmpty(schema.$schema)) unkept.push('"$schema"');
  if (!isEmpty(schema.type) && schema.type !== 'object')
    unkept.push(`"type" ${shown(schema.type)}`);
  const unused: string[] = [];
  const types = new Set<string>();
  const details = new Map<string, number>();
  for (const [name, property] of Object.entries(recordOf(schema.properties) ?? {})) {
    const said = recordOf(property);
    if (!said) continue;
    const isOwn = own?.has(name) === true;
    if (!isOwn && !isUsed(name, used)) unused.push(name);
    for (const [key, value] of Object.entries(said)) {
      if (key === 'field_type') {
        if (typeof value === 'string' && value !== '' && !FIELD_TYPES.has(value)) types.add(value);
        continue;
      }
      const isDefault = key === 'default';
      if (isEmpty(value) || (isDefault && (defaultsRemoved || saysNothing(name, value)))) continue;
      if (!(isOwn && OWN_KEYS.has(key))) details.set(key, (details.get(key) ?? 0) + 1);
    }
  }
  if (unused.length > 0) unkept.push(`fields that no need has (${unused.length}): ${some(unused)}`);
  if (details.size > 0) {
    const counts = [...details].map(([key, count]) => `${shown(key)} (${count})`);
    unkept.push(`what it says of fields: ${some(counts)}`);
  }
  if (types.size > 0) {
    unkept.push(`values of "field_type" that are not known: ${some([...types].map(shown))}`);
  }
  return unkept;
}

/** Whether needs have a field, or the one that has its links the other way round. */
function isUsed(field: string, used: ReadonlySet<string>): boolean {
  const other = field.endsWith('_back') ? field.slice(0, -'_back'.length) : `${field}_back`;
  return used.has(field) || used.has(other);
}

/** The first of some names, and how many more. */
function some(names: readonly string[]): string {
  const told = names
    .slice(0, MOST_NAMES)
    .map((name) => (name.length > 60 ? `${name.slice(0, 60)}…` : name));
  const more = names.length - told.length;
  return told.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
