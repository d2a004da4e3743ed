// What Doorstop's documents and items are in the terms of all sources.
import { attributeAdder } from './doorstop-attributes.ts';
import type { DoorstopItem } from './doorstop-check.ts';
import type { DoorstopDocument, Report } from './doorstop-document.ts';
import { isScalar, type PyValue } from './doorstop-python.ts';
import type { AttributeValue, SourceItem } from './model.ts';

/** Fields that have a place of their own, or are in the links. */
const PLACED = new Set([
  'text',
  'header',
  'level',
  'active',
  'derived',
  'normative',
  'links',
  'ref',
  'acceptance',
  'rationale',
  'status',
  'priority',
  'tags',
]);

const LONGEST_TITLE = 120;

/** A heading is an item that is not normative and whose level ends with a zero. */
export function isHeading({ content }: DoorstopItem): boolean {
  return content.level.heading && !content.normative;
}

/** A document, with its prefix as its id. */
export function documentItem({ path, prefix, title, attributes }: DoorstopDocument): SourceItem {
  return { ...EMPTY(), id: prefix, kind: 'document', title, attributes, path, order: 0 };
}

/**
 * An item: a requirement where it is normative, else a section. Where a heading has no header, the
 * first line of its text is its title, as Doorstop publishes it; elsewhere the title repeats it.
 *
 * @param report - takes what there is to say of its attributes
 */
export function sourceItem(
  item: DoorstopItem,
  parentId: string | null,
  report: Report,
): SourceItem {
  const { content, uid, path } = item;
  const end = content.text.indexOf('\n');
  const firstLine = end < 0 ? content.text : content.text.slice(0, end);
  const titled = content.header !== '';
  const split = isHeading(item) && !titled && firstLine.length <= LONGEST_TITLE;
  const rest = content.text.slice(firstLine.length).replace(/^(?:[^\S\n]*\n)+/, '');
  const statement = split ? rest.trimEnd() : content.text;
  return {
    ...EMPTY(),
    id: uid.value,
    kind: content.normative ? 'requirement' : 'section',
    title: titled ? content.header.trim() : shortened(firstLine) || (split ? firstLine.trim() : ''),
    statement,
    acceptance: textsOf(item, 'acceptance'),
    rationale: textOf(item, 'rationale'),
    status: textOf(item, 'status'),
    priority: textOf(item, 'priority'),
    tags: textsOf(item, 'tags'),
    attributes: attributesOf(item, report),
    path,
    parentId,
    active: content.active,
  };
}

/** The line of items and documents, each of which is a file. */
export const ITEM_LINE = 1;

const EMPTY = () => ({
  statement: '',
  acceptance: [] as string[],
  rationale: null,
  status: null,
  priority: null,
  tags: [] as string[],
  line: ITEM_LINE,
  parentId: null,
  active: true,
});

/** A line as a title: without marks of headings, lists and quotes; empty where it has no words. */
function shortened(line: string): string {
  const words = line.replace(/^(?:\s|#{1,6}(?=\s)|>|[-*+](?=\s))+/, '').trim();
  const plain = words.replace(/^([*_]{1,3})(?![*_\s])(.*?[^*_\s])\1(?![*_])/, '$2');
  if (!/[\p{L}\p{N}]/u.test(plain)) return '';
  if (plain.length <= LONGEST_TITLE) return plain;
  const cut = plain.lastIndexOf(' ', LONGEST_TITLE);
  return `${plain.slice(0, cut > 0 ? cut : LONGEST_TITLE)}…`;
}

function attributesOf({ content }: DoorstopItem, report: Report): Record<string, AttributeValue> {
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
  const add = attributeAdder(attributes, report);
  for (const [name, entry] of content.fields) {
    if (!PLACED.has(name) || !hasPlace(name, entry.value)) add(name, entry);
  }
  return attributes;
}

/** Whether a value is of the kind that the field's own place can hold. */
function hasPlace(name: string, value: PyValue): boolean {
  if (name === 'text' || name === 'header' || name === 'ref') return isScalar(value);
  if (name === 'acceptance' || name === 'tags') return listOf(value) !== null;
  if (name === 'rationale' || name === 'status' || name === 'priority')
    return scalarOf(value) !== null;
  return true;
}

function textOf({ content }: DoorstopItem, name: string): string | null {
  const value = content.fields.get(name)?.value;
  return (value && scalarOf(value)) || null;
}

function scalarOf(value: PyValue): string | null {
  if (value.kind === 'none') return '';
  return value.kind === 'list' || value.kind === 'map' ? null : value.text.trim();
}

function textsOf({ content }: DoorstopItem, name: string): string[] {
  const value = content.fields.get(name)?.value;
  return (value && listOf(value)) ?? [];
}

function listOf(value: PyValue): string[] | null {
  const items = value.kind === 'list' ? value.items : [value];
  const texts = items.map(scalarOf);
  return texts.every((text) => text !== null) ? texts.filter((text) => text !== '') : null;
}
