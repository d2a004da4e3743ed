// Values of Doorstop files as attributes of items: plain JSON, where a map inside becomes names with
// dots, since an attribute holds no map.
import type { Report } from './doorstop-document.ts';
import type { PyEntry, PyMap, PyScalar, PyValue } from './doorstop-python.ts';
import type { AttributeValue } from './model.ts';

/** Adds a value under a name. */
export type AddAttribute = (name: string, entry: PyEntry) => void;

/**
 * Adds values to attributes; a map adds one attribute for each of its entries, `name.key`, and an
 * empty one is `{}`. Where a name is taken, as of `a.b: 1` and `a: {b: 2}`, the value that comes later
 * is added as `name#2`, and so on, and is told.
 *
 * @param attributes - what is added to
 */
export function attributeAdder(
  attributes: Record<string, AttributeValue>,
  report: Report,
): AddAttribute {
  const next = new Map<string, number>();

  function freeName(name: string): string {
    if (!Object.hasOwn(attributes, name)) return name;
    let number = next.get(name) ?? 2;
    while (Object.hasOwn(attributes, `${name}#${number}`)) number++;
    next.set(name, number + 1);
    return `${name}#${number}`;
  }

  return function add(name, { value, line }) {
    if (value.kind === 'map' && value.entries.size > 0) {
      for (const [key, entry] of value.entries) add(`${name}.${key}`, entry);
      return;
    }
    const free = freeName(name);
    if (free !== name) {
      const shown = name.slice(0, MOST_SHOWN);
      const as = name === shown ? free : `${shown}…${free.slice(name.length)}`;
      const detail = `There is an attribute \`${shown}\` already: this one, ${shownValue(value)}, is kept as \`${as}\`.`;
      report('duplicate_field', 'info', line, detail);
    }
    Object.defineProperty(attributes, free, {
      value: attributeOf(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  };
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
    case 'int': {
      const number = Number(value.text);
      return Number.isSafeInteger(number) ? number : value.text;
    }
    case 'float':
      return floatOf(value);
    default:
      return value.text;
  }
}

/** A number where that is written as the file has it; else, as of `1.0` or `1.10`, the text. */
function floatOf({ text, source }: PyScalar): AttributeValue {
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  return String(number) === source ? number : source;
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
