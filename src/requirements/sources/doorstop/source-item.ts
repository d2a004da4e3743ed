// What Doorstop's items are in the terms of all sources, with their fields as attributes: plain JSON,
// where a map becomes names with dots, since an attribute holds no map.
import type { AttributeValue, SourceItem } from '../model.ts';
import type { FileReport } from '../report.ts';
import type { ItemContent, ReadItem } from './item.ts';
import { isScalar, type PyEntry, type PyMap, type PyScalar, type PyValue } from './python.ts';

/** Fields that have a place of their own, or are in the links. */
const PLACED = new Set([
  ...['text', 'header', 'level', 'active', 'derived', 'normative', 'links', 'ref'],
  ...['acceptance', 'rationale', 'status', 'priority', 'tags'],
]);

const MAX_TITLE = 120;

/** The line of items and documents, each of which is a file. */
export const ITEM_LINE = 1;

/** A heading is an item that is not normative and whose level ends with a zero. */
export function isHeading({ level, normative }: ItemContent): boolean {
  return level.heading && !normative;
}

/**
 * An item: a requirement where it is normative, else a section. Where a heading has no header, the
 * first line of its text is its title, as Doorstop publishes it; elsewhere the title repeats it.
 */
export function sourceItem(item: ReadItem, parentId: string | null): SourceItem {
  const { content, uid, path } = item;
  const end = content.text.indexOf('\n');
  const firstLine = end < 0 ? content.text : content.text.slice(0, end);
  const titled = content.header !== '';
  const split = isHeading(content) && !titled && firstLine.length <= MAX_TITLE;
  const rest = content.text.slice(firstLine.length).replace(/^(?:[^\S\n]*\n)+/, '');
  return {
    id: uid.value,
    kind: content.normative ? 'requirement' : 'section',
    title: titled ? content.header.trim() : shortened(firstLine) || (split ? firstLine.trim() : ''),
    statement: split ? rest.trimEnd() : content.text,
    acceptance: textsOf(content, 'acceptance'),
    rationale: textOf(content, 'rationale'),
    status: textOf(content, 'status'),
    priority: textOf(content, 'priority'),
    tags: textsOf(content, 'tags'),
    attributes: attributesOf(item),
    path,
    line: ITEM_LINE,
    parentId,
    active: content.active,
  };
}

/** A line as a title: without marks of headings, lists and quotes; empty where it has no words. */
function shortened(line: string): string {
  const words = line.replace(/^(?:\s|#{1,6}(?=\s)|>|[-*+](?=\s))+/, '').trim();
  const plain = words.replace(/^([*_]{1,3})(?![*_\s])(.*?[^*_\s])\1(?![*_])/, '$2');
  if (!/[\p{L}\p{N}]/u.test(plain)) return '';
  if (plain.length <= MAX_TITLE) return plain;
  const cut = plain.lastIndexOf(' ', MAX_TITLE);
  return `${plain.slice(0, cut > 0 ? cut : MAX_TITLE)}…`;
}

function attributesOf({ content, report }: ReadItem): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {
    level: content.level.text,
    normative: content.normative,
    derived: content.derived,
  };
  if (content.ref !== '') attributes.ref = content.ref;
  // A link without a stamp and one whose stamp is null are one to Doorstop: not yet confirmed.
  const stamped = content.links.filter(({ stamp }) => stamp !== null);
  if (stamped.length > 0)
    attributes.link_stamps = stamped.map(({ value, stamp }) => `${value}: ${stamp}`);
  for (const [name, entry] of content.fields) {
    if (!PLACED.has(name) || !hasPlace(name, entry.value))
      addAttribute(attributes, name, entry, report);
  }
  return attributes;
}

/** Whether a value is of the kind that the field's own place can hold. */
function hasPlace(name: string, value: PyValue): boolean {
  if (name === 'acceptance' || name === 'tags') return listOf(value) !== null;
  if (name === 'rationale' || name === 'status' || name === 'priority')
    return scalarOf(value) !== null;
  return true;
}

function textOf({ fields }: ItemContent, name: string): string | null {
  const value = fields.get(name)?.value;
  return (value && scalarOf(value)) || null;
}

function scalarOf(value: PyValue): string | null {
  if (value.kind === 'none') return '';
  return isScalar(value) ? value.text.trim() : null;
}

function textsOf({ fields }: ItemContent, name: string): string[] {
  const value = fields.get(name)?.value;
  return (value && listOf(value)) ?? [];
}

function listOf(value: PyValue): string[] | null {
  const items = value.kind === 'list' ? value.items : [value];
  const texts = items.map(scalarOf);
  return texts.every((text) => text !== null) ? texts.filter((text) => text !== '') : null;
}

/**
 * Adds a value to attributes; a map adds one attribute for each of its entries, `name.key`, and an
 * empty one is `{}`. Where a name is taken, as of `a.b: 1` and `a: {b: 2}`, the value is reported.
 */
export function addAttribute(
  attributes: Record<string, AttributeValue>,
  name: string,
  { value, line }: PyEntry,
  report: FileReport,
): void {
  if (value.kind === 'map' && value.entries.size > 0) {
    for (const [key, entry] of value.entries)
      addAttribute(attributes, `${name}.${key}`, entry, report);
    return;
  }
  const made = attributeOf(value);
  if (Object.hasOwn(attributes, name)) {
    report.reportLosses([{ what: name, line, text: String(made).slice(0, 120), times: 1 }]);
    return;
  }
  // A field may be called `__proto__`.
  Object.defineProperty(attributes, name, {
    value: made,
    enumerable: true,
    configurable: true,
    writable: true,
  });
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
