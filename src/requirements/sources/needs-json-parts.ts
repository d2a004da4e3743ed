// The parts of a need in a needs.json: texts inside it with ids of their own, which links may name.
import { textValue } from './front-matter.ts';
import type { AttributeValue } from './model.ts';
import { isEmpty, recordOf } from './needs-json-fields.ts';

/** A part; its id is empty where it has none. */
export interface NeedPart {
  id: string;
  content: string;
  /** What else it says. */
  more: Record<string, unknown>;
  /** Its fields with links the other way round. */
  back: [name: string, value: unknown][];
}

/** Tells whether a field has links the other way round. */
type IsBack = (name: string) => boolean;

/**
 * The parts in the field `parts` of a need: in a map by their ids, or in a list.
 *
 * @param page - the page of the need, which its parts are in
 */
export function partsOf(value: unknown, page: unknown, isBack: IsBack): NeedPart[] {
  const part = (id: string | null, one: unknown) => partOf(id, one, page, isBack);
  if (Array.isArray(value)) return value.map((one) => part(null, one));
  const named = recordOf(value);
  if (named) return Object.entries(named).map(([id, one]) => part(id, one));
  return isEmpty(value) ? [] : [part(null, value)];
}

function partOf(name: string | null, value: unknown, page: unknown, isBack: IsBack): NeedPart {
  const fields = recordOf(value);
  if (!fields) return { id: name ?? '', content: wholeText(value), more: {}, back: [] };
  const id = name ?? textValue(fields.id) ?? '';
  const content = textValue(fields.content);
  const back: NeedPart['back'] = [];
  const more = Object.entries(fields).filter(([key, said]) => {
    if (key === 'id') return said !== id;
    if (key === 'content') return content === null && !isEmpty(said);
    if (isEmpty(said) || isGiven(key, said, page)) return false;
    if (isBack(key)) back.push([key, said]);
    return !isBack(key);
  });
  return { id, content: content ?? '', more: Object.fromEntries(more), back };
}

/** Whether a field of a part says what goes without saying: where it stands, or that it is one. */
function isGiven(key: string, value: unknown, page: unknown): boolean {
  if (key === 'is_part') return value === true;
  if (key === 'is_need') return value === false;
  return key === 'document' && value === page;
}

function wholeText(value: unknown): string {
  return textValue(value) ?? (isEmpty(value) ? '' : JSON.stringify(value));
}

/** Parts as an attribute: of each its id and its content, and as JSON what else it says. */
export function partsAttribute(parts: readonly NeedPart[]): AttributeValue {
  return parts.map(({ id, content, more }) =>
    isEmpty(more) ? [id, content] : [id, content, JSON.stringify(more)],
  );
}
