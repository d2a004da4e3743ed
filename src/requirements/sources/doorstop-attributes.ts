// Values of Doorstop files as attributes of items: plain JSON, where a map inside becomes names with
// dots, since an attribute holds no map.
import type { PyMap, PyValue } from './doorstop-python.ts';
import type { AttributeValue } from './model.ts';

/**
 * Adds a value to attributes; a map adds one attribute for each of its entries, `name.key`, and an
 * empty one is `{}`. Values
 * that come to have one name, such as those of `a.b: 1` and `a: {b: 2}`, become a list.
 *
 * @param attributes - what is added to
 */
export function addAttribute(
  attributes: Record<string, AttributeValue>,
  name: string,
  value: PyValue,
): void {
  if (value.kind === 'map' && value.entries.size > 0) {
    for (const [key, entry] of value.entries)
      addAttribute(attributes, `${name}.${key}`, entry.value);
  } else {
    const added = attributeOf(value);
    const earlier = Object.hasOwn(attributes, name) ? [attributes[name] ?? null] : [];
    Object.defineProperty(attributes, name, {
      value: earlier.length > 0 ? [...earlier, added] : added,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
}

function attributeOf(value: PyValue): AttributeValue {
  switch (value.kind) {
    case 'none':
      return null;
    case 'list':
      return value.items.map(attributeOf);
    case 'map':
      return JSON.stringify(plainMap(value));
    case 'bool':
      return value.text === 'True';
    case 'int':
    case 'float': {
      const number = Number(value.text);
      const exact = value.kind === 'float' || Number.isSafeInteger(number);
      return exact && Number.isFinite(number) ? number : value.text;
    }
    default:
      return value.text;
  }
}

function plainMap(map: PyMap): Record<string, unknown> {
  return Object.fromEntries(
    [...map.entries].map(([key, { value }]) => [
      key,
      value.kind === 'map' ? plainMap(value) : attributeOf(value),
    ]),
  );
}

const MOST_SHOWN = 80;

/** A value as a sentence may show it: its beginning where it is long. */
export function shownValue(value: PyValue): string {
  const text = shownText(value, MOST_SHOWN).replace(/\s+/g, ' ');
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** A value as YAML has it on one line; cut short where it has more characters than `most`. */
function shownText(value: PyValue, most: number): string {
  if (value.kind === 'none') return 'null';
  if (value.kind === 'list') {
    return `[${shownParts(value.items, most, (item, left) => shownText(item, left))}]`;
  }
  if (value.kind === 'map') {
    const shown = shownParts(value.entries, most, ([name, entry], left) => {
      const key = name.slice(0, Math.max(left, 0) + 1);
      return `${key}: ${shownText(entry.value, left - key.length)}`;
    });
    return `{${shown}}`;
  }
  const text = value.source.slice(0, Math.max(most, 0) + 1);
  return value.kind === 'str' && !value.plain ? JSON.stringify(text) : text;
}

function shownParts<T>(
  parts: Iterable<T>,
  most: number,
  shown: (part: T, left: number) => string,
): string {
  let text = '';
  for (const part of parts) {
    if (text.length > most) break;
    text += `${text === '' ? '' : ', '}${shown(part, most - text.length)}`;
  }
  return text;
}
