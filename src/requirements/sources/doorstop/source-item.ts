// What Doorstop's items are in the terms of all sources, with their fields as attributes: plain JSON,
// where a map becomes names with dots, since an attribute holds no map.
import type { AttributeValue, SourceItem } from '../model.ts';
import type { FileReport } from '../report.ts';
import { MAX_TITLE, titleFrom } from '../text.ts';
import type { ItemContent, ReadItem } from './item.ts';
import { isScalar, type PyEntry, type PyNone, type PyScalar, type PyValue } from './python.ts';

const PLACED = new Set([
  ...['text', 'header', 'level', 'active', 'derived', 'normative', 'links', 'ref'],
]);

export const ITEM_LINE = 1;

/** A heading is an item that is not normative and whose level ends with a zero. */
export function isHeading({ level, normative }: ItemContent): boolean {
  return level.heading && !normative;
}

/**
 * An item: a requirement where it is normative, else a section. Without a header the first line of
 * its text is its title; of a heading that line is no part of the statement.
 */
export function sourceItem(item: ReadItem, parentId: string | null): SourceItem {
  const { content, uid, path } = item;
  const { header, text } = content;
  const fields = new Map(content.fields);
  const [first = '', ...rest] = text.split('\n');
  const isTitle = isHeading(content) && header === '' && first.length <= MAX_TITLE;
  return {
    id: uid.value,
    kind: content.normative ? 'requirement' : 'section',
    title: header.trim() || titleFrom(first),
    statement: isTitle ? rest.join('\n').replace(/^(?:[^\S\n]*\n)+/, '') : text,
    acceptance: takeTexts(fields, 'acceptance'),
    rationale: takeText(fields, 'rationale'),
    status: takeText(fields, 'status'),
    priority: takeText(fields, 'priority'),
    tags: takeTexts(fields, 'tags'),
    attributes: attributesOf(item, fields),
    path,
    line: ITEM_LINE,
    parentId,
    active: content.active,
  };
}

function takeText(fields: Map<string, PyEntry>, name: string): string | null {
  const value = fields.get(name)?.value;
  if (value === undefined || !isScalar(value) || value.kind === 'none') return null;
  fields.delete(name);
  return value.text.trim() || null;
}

function takeTexts(fields: Map<string, PyEntry>, name: string): string[] {
  const value = fields.get(name)?.value;
  if (value === undefined || value.kind === 'map') return [];
  const items = value.kind === 'list' ? value.items : [value];
  if (!items.every(isScalar)) return [];
  fields.delete(name);
  return items.flatMap((one) => (one.kind === 'none' ? [] : one.text.trim() || []));
}

function attributesOf(
  { content, report }: ReadItem,
  fields: ReadonlyMap<string, PyEntry>,
): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {
    level: content.level.text,
    normative: content.normative,
    derived: content.derived,
  };
  if (content.ref !== '') attributes.ref = content.ref;
  // A link without a stamp and one whose stamp is null are one to Doorstop: not yet confirmed.
  const stamped = content.links.filter(({ stamp }) => stamp !== null);
  if (stamped.length > 0)
    attributes.link_stamps = stamped.map(({ uid, stamp }) => `${uid.value}: ${stamp}`);
  for (const [name, entry] of fields)
    if (!PLACED.has(name)) addAttribute(attributes, name, entry, report);
  return attributes;
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
  if (value.kind === 'list') return value.items.map(attributeOf);
  return value.kind === 'map' ? JSON.stringify(plainOf(value)) : scalarOf(value);
}

function plainOf(value: PyValue): unknown {
  if (value.kind === 'list') return value.items.map(plainOf);
  if (value.kind !== 'map') return scalarOf(value);
  return Object.fromEntries([...value.entries].map(([key, entry]) => [key, plainOf(entry.value)]));
}

/** A number that JSON writes otherwise, such as `1.10` or `017`, is the text of the file. */
function scalarOf(value: PyNone | PyScalar): AttributeValue {
  if (value.kind === 'none') return null;
  if (value.kind === 'bool') return value.text === 'True';
  if (value.kind !== 'int' && value.kind !== 'float') return value.text;
  const number = Number(value.source);
  return String(number) === value.source ? number : value.source;
}
