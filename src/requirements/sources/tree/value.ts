// Parts of JSON and YAML as plain values. What is made a value is taken whole.
import type { Part } from '../account.ts';
import type { AttributeValue } from '../model.ts';

export function numberOf(text: string): number | undefined {
  const number = Number(text);
  if (String(number) === text) return number;
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+/, '');
  const isExact = digits.length <= 15 && (number !== 0 || digits === '');
  return Number.isFinite(number) && isExact ? number : undefined;
}

/**
 * A part as JSON.parse gives it; of members of one name the first is taken.
 * @param number - the value of a number; unless given, one of too many digits is its text
 */
export function plainOf(
  part: Part,
  number: (text: string) => unknown = (text) => numberOf(text) ?? text,
): unknown {
  part.kept = true;
  switch (part.kind) {
    case 'map': {
      const members = new Map<string, unknown>();
      for (const one of part.parts)
        if (!members.has(one.name)) members.set(one.name, plainOf(one, number));
      return Object.fromEntries(members);
    }
    case 'list':
      return part.parts.map((one) => plainOf(one, number));
    case 'number':
      return number(part.text);
    case 'boolean':
      return /^true$/i.test(part.text);
    default:
      return part.kind === 'null' ? null : part.text;
  }
}

/** A part as an attribute: maps, of which attributes know nothing, are their JSON text. */
export function attributeOf(part: Part, number?: (text: string) => unknown): AttributeValue {
  if (part.kind === 'map') return JSON.stringify(plainOf(part, number));
  if (part.kind !== 'list') return plainOf(part, number) as AttributeValue;
  part.kept = true;
  return part.parts.map((one) => attributeOf(one, number));
}

/** Whether a part says nothing: null, or a text, list or map with nothing in it. */
export function isEmpty({ kind, text, parts }: Part): boolean {
  return kind === 'null' || (text === '' && parts.length === 0);
}
