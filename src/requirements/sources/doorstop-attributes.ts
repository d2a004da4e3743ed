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
  return Object.fromEntries([...map.entries].map(([key, { value }]) => [key, plainOf(value)]));
}

function plainOf(value: PyValue): unknown {
  return value.kind === 'map' ? plainMap(value) : attributeOf(value);
}

const MOST_SHOWN = 80;

/** A value as a sentence may show it, with its beginning where it is long. */
export function shownValue(value: PyValue): string {
  const text = shownText(value).replace(/\s+/g, ' ');
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

function shownText(value: PyValue): string {
  if (value.kind === 'none') return 'null';
  if (value.kind === 'map') return JSON.stringify(plainMap(value));
  if (value.kind === 'list') return JSON.stringify(value.items.map(plainOf));
  return value.kind === 'str' && !value.plain
    ? JSON.stringify(value.text.slice(0, MOST_SHOWN + 1))
    : value.source;
}
