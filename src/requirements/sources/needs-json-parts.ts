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

/** Fields that only say where a part stands, or that it is one. */
const BOOKKEEPING = new Set(['is_part', 'is_need', 'document']);

/**
 * The parts in the field `parts` of a need: in a map by their ids, or in a list.
 *
 * @param isBack - whether a field has links the other way round
 */
export function partsOf(value: unknown, isBack: (name: string) => boolean): NeedPart[] {
  if (Array.isArray(value)) return value.map((part) => partOf(null, part, isBack));
  const named = recordOf(value);
  if (named) return Object.entries(named).map(([id, part]) => partOf(id, part, isBack));
  return isEmpty(value) ? [] : [partOf(null, value, isBack)];
}

function partOf(name: string | null, value: unknown, isBack: (name: string) => boolean): NeedPart {
  const fields = recordOf(value);
  if (!fields) return { id: name ?? '', content: wholeText(value), more: {}, back: [] };
  const id = name ?? textValue(fields.id) ?? '';
  const content = textValue(fields.content);
  const back: NeedPart['back'] = [];
  const more = Object.entries(fields).filter(([key, said]) => {
    if (key === 'id') return said !== id;
    if (key === 'content') return content === null && !isEmpty(said);
    if (BOOKKEEPING.has(key) || isEmpty(said)) return false;
    if (isBack(key)) back.push([key, said]);
    return !isBack(key);
  });
  return { id, content: content ?? '', more: Object.fromEntries(more), back };
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
