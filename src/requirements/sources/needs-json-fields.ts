// The fields of a need in a needs.json of Sphinx-Needs: which are links and what they mean, what a
// missing one stands for, and what a link's text says.
import { ID_MOST } from '../../http/id-length.ts';
import type { JsonDocument } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import type { NodeKind } from './model.ts';
import { namesLinks } from './needs-json-meanings.ts';

/** What a file says of its fields, by their names. */
export interface NeedsSchema {
  /** Null where the file says nothing. */
  fields: Map<string, { fieldType: string; default: unknown }> | null;
  /** Whether a field that is missing stands for its default. */
  defaultsRemoved: boolean;
  /** The fields that hold a list in a need: what links are where the file does not say it. */
  lists: ReadonlySet<string>;
}

/** The names of the fields that hold a list in one need or another. */
export function listFields(needs: readonly Readonly<Record<string, unknown>>[]): Set<string> {
  const names = new Set<string>();
  for (const need of needs) {
    for (const name in need) if (Array.isArray(need[name])) names.add(name);
  }
  return names;
}

/** Reads `needs_schema`, as newer versions of Sphinx-Needs write it; its `lists` come later. */
export function readSchema(
  version: ReadonlyMap<string, JsonMember>,
  document: JsonDocument,
): NeedsSchema {
  const removed = version.get('needs_defaults_removed');
  const defaultsRemoved = removed !== undefined && document.value(removed) === true;
  const member = version.get('needs_schema');
  const schema: unknown = member && document.exactValue(member);
  const properties = recordOf(recordOf(schema)?.properties);
  if (!properties) return { fields: null, defaultsRemoved, lists: new Set() };
  const fields = Object.entries(properties).map(([name, value]) => {
    const property = recordOf(value) ?? {};
    const fieldType = typeof property.field_type === 'string' ? property.field_type : '';
    return [name, { fieldType, default: property.default }] as const;
  });
  return { fields: new Map(fields), defaultsRemoved, lists: new Set() };
}

/** A value as an object; undefined where it is none. */
export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Whether a value of a field says nothing; `0` and `false` do say something. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** What Sphinx-Needs writes of every need for its own use: false or 0 where nothing is to be said. */
const FLAGS = new Set([
  ...['collapse', 'delete', 'hide', 'hide_status', 'hide_tags', 'is_external', 'is_import'],
  ...['has_dead_links', 'has_forbidden_dead_links', 'is_modified', 'is_part', 'jinja_content'],
  'modifications',
]);

/** Whether a field of a need says nothing: it is empty, or a flag of the tool that is as ever. */
export function saysNothing(name: string, value: unknown): boolean {
  if (name === 'is_need' && value === true) return true;
  return isEmpty(value) || ((value === false || value === 0) && FLAGS.has(name));
}

/** In a file without defaults, what is missing has the value that the schema says. */
export function withDefaults(
  values: Record<string, unknown>,
  { fields, defaultsRemoved }: NeedsSchema,
): Record<string, unknown> {
  if (!fields || !defaultsRemoved) return values;
  const missing = [...fields].filter(
    ([name, field]) => !(name in values) && !saysNothing(name, field.default),
  );
  if (missing.length === 0) return values;
  return {
    ...values,
    ...Object.fromEntries(missing.map(([name, field]) => [name, field.default])),
  };
}

/** The fields that say what a need is and where it stands whose value is of a type they cannot have. */
export function mistyped(values: Readonly<Record<string, unknown>>): string[] {
  const isText = (value: unknown) => isEmpty(value) || typeof value !== 'object';
  const { sections, tags } = values;
  const wrong = ['type', 'parent_need', 'docname'].filter((name) => !isText(values[name]));
  const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
  if (!isEmpty(sections) && !isTexts(sections)) wrong.push('sections');
  if (!isText(tags) && !isTexts(tags)) wrong.push('tags');
  return wrong;
}

/**
 * Whether a field holds links: as the schema says, else as its name and back links tell, and for a
 * name that may go with people too as its values do.
 *
 * @param isNeed - whether an id is that of a need
 */
export function isLinkField(
  name: string,
  value: unknown,
  { fields, lists }: NeedsSchema,
  isNeed: (id: string) => boolean,
): boolean {
  const known = fields?.get(name);
  if (known && known.fieldType !== '') return known.fieldType === 'links';
  if (name === 'links') return true;
  if (!Array.isArray(value) || name === 'tags' || name === 'sections') return false;
  if (lists.has(`${name}${BACK}`)) return true;
  const named = namesLinks(name);
  if (named !== 'maybe') return named === 'yes';
  return value.some((one) => typeof one === 'string' && isNeed(readLink(one, isNeed)?.id ?? ''));
}

/**
 * The field whose links a field holds the other way round, which the tool computes: as the schema
 * says, else as the file has such links. Null for a field that is none.
 */
export function forwardOf(name: string, { fields, lists }: NeedsSchema): string | null {
  if (!name.endsWith(BACK)) return null;
  const forward = name.slice(0, -BACK.length);
  const known = fields?.get(name);
  if (known && known.fieldType !== '') return known.fieldType === 'backlinks' ? forward : null;
  const isNamedSo = forward === 'links' || lists.has(forward) || namesLinks(forward) === 'yes';
  return isNamedSo ? forward : null;
}

const BACK = '_back';

/** What a kind of need is in the graph, where we wrote it. */
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
  // No id is longer, whatever the text is.
  for (
    let dot = target.lastIndexOf('.', ID_MOST);
    dot > 0;
    dot = target.lastIndexOf('.', dot - 1)
  ) {
    const id = target.slice(0, dot);
    if (isId(id)) return { id, part: target.slice(dot + 1), condition };
  }
  return { id: target, part: null, condition };
}

function unbracketed(text: string): string {
  const inner = text.slice(1, -1);
  return inner.startsWith('[') && inner.endsWith(']') ? inner.slice(1, -1) : inner;
}
