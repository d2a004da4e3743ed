// The fields of a need: which hold links and what these mean, what a missing one stands for, and what
// the text of a link says.
import { MAX_ID_LENGTH } from '../../../limits.ts';
import type { Part } from '../account.ts';
import { linkMeaning } from '../link-words.ts';
import { isEmpty } from '../tree/value.ts';

export interface FieldTypes {
  /** `core`, `extra`, `links`, `backlinks` ... by the name of a field, where the file has a schema. */
  types: ReadonlyMap<string, string>;
  /** What fields that are missing stand for, where the file leaves out its defaults. */
  defaults: readonly Part[];
  /** The fields that hold a list in one need or another. */
  lists: ReadonlySet<string>;
}

export function readFieldTypes(version: Part, needs: readonly Part[]): FieldTypes {
  const schema = memberOf(version, 'needs_schema');
  const properties = memberOf(schema, 'properties')?.parts ?? [];
  const removed = memberOf(version, 'needs_defaults_removed');
  if (removed?.kind === 'boolean') removed.kept = true;
  const types = properties.flatMap((one): [string, string][] => {
    const type = memberOf(one, 'field_type');
    return type?.kind === 'text' ? [[one.name, type.text]] : [];
  });
  const defaults = properties.flatMap((one) => {
    const value = memberOf(one, 'default');
    return value && !saysNothing(one.name, value) ? [{ ...value, name: one.name }] : [];
  });
  const lists = needs.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'list'));
  return {
    types: new Map(types),
    defaults: removed?.text === 'true' ? defaults : [],
    lists: new Set(lists.map(({ name }) => name)),
  };
}

export function memberOf(part: Part | undefined, name: string): Part | undefined {
  return part?.parts.find((one) => one.name === name);
}

const FLAGS = new Set([
  ...['collapse', 'delete', 'hide', 'hide_status', 'hide_tags', 'is_external', 'is_import'],
  ...['has_dead_links', 'has_forbidden_dead_links', 'is_modified', 'is_part', 'jinja_content'],
  'modifications',
]);

export function saysNothing(name: string, value: Part): boolean {
  if (name === 'is_need' && value.text === 'true') return true;
  return isEmpty(value) || (FLAGS.has(name) && /^(?:false|0)$/.test(value.text));
}

export function fieldsOf(need: Part, { defaults }: FieldTypes): Map<string, Part> {
  const fields = new Map<string, Part>();
  for (const one of need.parts) if (!fields.has(one.name)) fields.set(one.name, one);
  for (const one of defaults) if (!fields.has(one.name)) fields.set(one.name, { ...one });
  return fields;
}

export function takeScalar(fields: Map<string, Part>, name: string): string | null {
  const part = fields.get(name);
  if (!part || (part.parts.length > 0 && part.text === '')) return null;
  fields.delete(name);
  part.kept = true;
  return part.text.trim() === '' ? null : part.text;
}

/**
 * Whether a field holds links: as the schema says; without one `links`, a list that has back links
 * somewhere, and a list of which an entry is a need.
 */
export function isLinkField(
  { name, kind, parts }: Part,
  { types, lists }: FieldTypes,
  isNeed: (id: string) => boolean,
): boolean {
  const type = types.get(name);
  if (type !== undefined) return type === 'links';
  if (name === 'links') return true;
  if (kind !== 'list' || types.size > 0 || name === 'parent_need') return false;
  return (
    lists.has(`${name}${BACK}`) ||
    parts.some((one) => one.kind === 'text' && isNeed(readLink(one.text, isNeed)?.id ?? ''))
  );
}

export function isBackField(name: string, { types, lists }: FieldTypes): boolean {
  if (!name.endsWith(BACK)) return false;
  const type = types.get(name);
  if (type !== undefined) return type === 'backlinks';
  const forward = name.slice(0, -BACK.length);
  return forward === 'links' || forward === 'parent_needs' || lists.has(forward);
}

const BACK = '_back';

/** What a link field means; the general `links` by what the need is that has it. */
export function meaningOf(field: string, needType: string): ReturnType<typeof linkMeaning> {
  if (field !== 'links') return linkMeaning(field);
  const isTest = /test|^tc$/i.test(needType);
  const type = isTest ? 'verifies' : /^impl/i.test(needType) ? 'satisfies' : 'refines';
  return { type, reversed: false };
}

export function isStoryType(needType: string): boolean {
  return /^(?:user[_ -]?)?story$|^us$/i.test(needType);
}

export interface LinkText {
  id: string;
  part: string | null;
  /** Whether it has a filter in Python on the target, which is never run. */
  isConditional: boolean;
}

export function readLink(text: string, isId: (id: string) => boolean): LinkText | null {
  const whole = text.trim();
  const open = whole.endsWith(']') && !isId(whole) ? whole.indexOf('[') : -1;
  const isConditional = open >= 0;
  const id = (isConditional ? whole.slice(0, open) : whole).trim();
  if (isId(id)) return { id, part: null, isConditional };
  if (id === '' || /[[\]]/.test(id)) return null;
  // No id is longer, whatever the text is.
  for (let dot = id.lastIndexOf('.', MAX_ID_LENGTH); dot > 0; dot = id.lastIndexOf('.', dot - 1))
    if (isId(id.slice(0, dot)))
      return { id: id.slice(0, dot), part: id.slice(dot + 1), isConditional };
  return { id, part: null, isConditional };
}
