// The fields of a need in a needs.json of Sphinx-Needs: which are links and what they mean, what a
// missing one stands for, and what a link's text says.
import type { JsonDocument } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import type { NodeKind, SourceLink } from './model.ts';

/** What a file says of its fields, by their names. */
export interface NeedsSchema {
  /** Null where the file says nothing. */
  fields: Map<string, { fieldType: string; default: unknown }> | null;
  /** Whether a field that is missing stands for its default. */
  defaultsRemoved: boolean;
}

/** Reads `needs_schema`, as newer versions of Sphinx-Needs write it. */
export function readSchema(
  version: ReadonlyMap<string, JsonMember>,
  document: JsonDocument,
): NeedsSchema {
  const removed = version.get('needs_defaults_removed');
  const defaultsRemoved = removed !== undefined && document.value(removed) === true;
  const member = version.get('needs_schema');
  const schema: unknown = member && document.exactValue(member);
  const properties = recordOf(recordOf(schema)?.properties);
  if (!properties) return { fields: null, defaultsRemoved };
  const fields = Object.entries(properties).map(([name, value]) => {
    const property = recordOf(value) ?? {};
    const fieldType = typeof property.field_type === 'string' ? property.field_type : '';
    return [name, { fieldType, default: property.default }] as const;
  });
  return { fields: new Map(fields), defaultsRemoved };
}

/** A value as an object; undefined where it is none. */
export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Whether a value of a field says nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false || value === 0)
    return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** In a file without defaults, what is missing has the value that the schema says. */
export function withDefaults(
  values: Record<string, unknown>,
  { fields, defaultsRemoved }: NeedsSchema,
): Record<string, unknown> {
  if (!fields || !defaultsRemoved) return values;
  const missing = [...fields].filter(
    ([name, field]) => !(name in values) && !isEmpty(field.default),
  );
  if (missing.length === 0) return values;
  return {
    ...values,
    ...Object.fromEntries(missing.map(([name, field]) => [name, field.default])),
  };
}

const MEANINGS: [RegExp, SourceLink['type']][] = [
  [/^(?:refines?|refined_by|parents?|parent_needs)$/, 'refines'],
  [/^(?:derives?|derive[sd]?_from)$/, 'derives'],
  [/^(?:depends?|depends_on|requires?|needs|blocked_by)$/, 'depends'],
  [/^(?:verif(?:y|ies)|tests?|validates?|checks?)$/, 'verifies'],
  [/^(?:satisf(?:y|ies)|implements?|fulfils?|fulfills?|realizes?)$/, 'satisfies'],
  [/^(?:conflicts?|conflicts_with|contradicts?)$/, 'conflicts'],
];

/** What a link field means; the general `links` by what the need is that has it. */
export function linkType(field: string, needType: string): SourceLink['type'] {
  if (field === 'links') {
    if (/test|^tc$/i.test(needType)) return 'verifies';
    return /^impl/i.test(needType) ? 'satisfies' : 'refines';
  }
  return MEANINGS.find(([pattern]) => pattern.test(field.toLowerCase()))?.[1] ?? 'relates';
}

/** Whether a field holds links: as the schema says, else as its name and its back links tell. */
export function isLinkField(
  name: string,
  need: Record<string, unknown>,
  { fields }: NeedsSchema,
): boolean {
  const known = fields?.get(name);
  if (known && known.fieldType !== '') return known.fieldType === 'links';
  if (name === 'links') return true;
  const value = need[name];
  if (!Array.isArray(value) || name === 'tags' || name === 'sections') return false;
  return `${name}_back` in need || MEANINGS.some(([pattern]) => pattern.test(name));
}

/** Whether a field holds links the other way round, which the tool computes. */
export function isBackField(
  name: string,
  need: Record<string, unknown>,
  { fields }: NeedsSchema,
): boolean {
  const known = fields?.get(name);
  if (known && known.fieldType !== '') return known.fieldType === 'backlinks';
  if (!name.endsWith('_back')) return false;
  const forward = name.slice(0, -5);
  return forward === 'links' || forward in need || Array.isArray(need[name]);
}

/** What a kind of need is in the graph. */
export function kindOf(needType: string): NodeKind {
  if (/^(?:user[_ -]?)?story$|^us$/i.test(needType)) return 'story';
  return needType === 'document' || needType === 'section' ? needType : 'requirement';
}

/** A link's text in its parts: `REQ_2.part1[status=="open"]`. */
export interface LinkText {
  id: string;
  part: string | null;
  /** A filter in Python on the target, which is kept and never run. */
  condition: string | null;
}

/** Reads a link's text; null where it names nothing. */
export function readLink(text: string, isId: (id: string) => boolean): LinkText | null {
  const whole = text.trim();
  if (whole === '') return null;
  const open = whole.endsWith(']') && !isId(whole) ? whole.indexOf('[') : -1;
  const target = (open < 0 ? whole : whole.slice(0, open)).trim();
  const condition = open < 0 ? null : unbracketed(whole.slice(open));
  if (target === '' || (open < 0 && /[[\]]/.test(target) && !isId(target))) return null;
  if (isId(target)) return { id: target, part: null, condition };
  for (let dot = target.lastIndexOf('.'); dot > 0; dot = target.lastIndexOf('.', dot - 1)) {
    const id = target.slice(0, dot);
    if (isId(id)) return { id, part: target.slice(dot + 1), condition };
  }
  return { id: target, part: null, condition };
}

function unbracketed(text: string): string {
  const inner = text.slice(1, -1);
  return inner.startsWith('[') && inner.endsWith(']') ? inner.slice(1, -1) : inner;
}
