// How items and their fields begin in a Markdown file: rules M3 to M7 of the manual.
import { ID_SOURCE, looksLikeId } from '../item-ids.ts';
import type { SourceLink } from '../model.ts';
import { hasMarkup, isElsewhere, visibleText } from './blocks.ts';

export type Field =
  | { name: 'acceptance' | 'rationale' | 'status' | 'priority' | 'tags' | 'kind' }
  | { name: 'link'; type: SourceLink['type'] };

/** The labels of fields, in small letters. */
const LABELS: [Field, string][] = [
  [
    { name: 'acceptance' },
    'acceptance|acceptance criteria|acceptance criterion|acceptance scenario|acceptance scenarios|acceptance test|acceptance tests|ac',
  ],
  [{ name: 'rationale' }, 'rationale'],
  [{ name: 'status' }, 'status'],
  [{ name: 'priority' }, 'priority'],
  [{ name: 'tags' }, 'tag|tags|label|labels'],
  [{ name: 'kind' }, 'kind|type'],
  [{ name: 'link', type: 'refines' }, 'refine|refines|parent|parents|covers'],
  [
    { name: 'link', type: 'derives' },
    'derive|derives|derived|derive from|derives from|derived from',
  ],
  [
    { name: 'link', type: 'depends' },
    'depend|depends|depend on|depends on|dependency|dependencies|requires|blocked by',
  ],
  [{ name: 'link', type: 'verifies' }, 'verifies|verify|validates'],
  [{ name: 'link', type: 'satisfies' }, 'satisfies|satisfy|implements|realizes'],
  [{ name: 'link', type: 'conflicts' }, 'conflicts|conflicts with|contradicts'],
  [
    { name: 'link', type: 'relates' },
    'relates|relates to|related|related to|related requirements|traces to|references|see also',
  ],
];
const FIELDS = new Map(
  LABELS.flatMap(([field, names]) => names.split('|').map((name) => [name, field] as const)),
);

/** The field that a label names, such as `Acceptance criteria` or `Depends on`. */
export function fieldNamed(label: string): Field | null {
  if (label.length > 40) return null;
  return FIELDS.get(label.toLowerCase().replace(/\s+/g, ' ').trim()) ?? null;
}

export interface FieldLine {
  field: Field;
  label: string;
  /** Empty where it stands below. */
  value: string;
}

const LABELLED =
  /^(?<open>\*{1,3}|_{1,3})?(?<label>[A-Za-z][A-Za-z ]{1,38}?)(?::(?<in>\*{1,3}|_{1,3})?|(?<out>\*{1,3}|_{1,3})\s?:)(?:\s+(?<value>.*))?$/;
const BOLD = /^(\*\*|__)([A-Za-z][A-Za-z ]{1,38}?):?\1$/;

/** M7: the field that a line is, in plain or emphasised letters; in bold it needs no colon. */
export function fieldLine(line: string): FieldLine | null {
  if (!/[:*_]/.test(line)) return null;
  const text = withoutBreak(line.trim());
  const bold = BOLD.exec(text)?.[2];
  const { label = bold, open = '', in: inner, out, value = '' } = LABELLED.exec(text)?.groups ?? {};
  if (label === undefined || (bold === undefined && open !== (inner ?? out ?? ''))) return null;
  const field = fieldNamed(label);
  return field && { field, label: label.trim(), value: bold === undefined ? value.trim() : '' };
}

/** A heading, or the last line before a list, as a field. */
export function fieldHeading(text: string): Field | null {
  return fieldNamed(text.replace(/[*_:]/g, ''));
}

/** A line without the backslash that breaks it; two of these are a backslash. */
function withoutBreak(line: string): string {
  return line.replace(/(?<!\\)(\\\\)*\\$/, '$1').trimEnd();
}

export interface ItemStart {
  id: string;
  title: string;
  /** What follows a title of its own. */
  text: string | null;
  /** The words of a numbered heading: `User Story` of `User Story 2`. */
  numbered: string | null;
  priority: string | null;
  attributes: Record<string, string | boolean>;
}

const COLON = '\\s*(?:\uff1a|:(?![\\d:/\\\\]))';
const DASH = '\\s+(?:-{1,3}|[\u2013\u2014])(?=\\s|$)';
const BOX = '(?:\\[(?<box>[ xX])\\]\\s+)?';
const SYMBOLS = '[^\\x00-\\x7F\\p{L}\\p{N}\\p{P}\\s]';
const BEFORE = `${BOX}(?<before>(?:${SYMBOLS}+\\s*)*(?:[0-9]+(?:\\.[0-9]+)*[.)]?\\s+)?)`;
/** Sections of an annex are numbered so. */
const ANNEX = '(?!(?:[A-Z]|[IVX]+)\\.[0-9])';
const SEPARATOR = `(?:${COLON}|${DASH}|[.)](?=\\s|$))`;
const HEADING = new RegExp(
  `^${BEFORE}${ANNEX}\\[?(?<id>${ID_SOURCE})\\]?(?:${SEPARATOR}|(?=\\s)|$)\\s*(?<rest>.*)$`,
  'su',
);
const NUMBERED = new RegExp(
  `^${BEFORE}(?<words>requirement|user story|story|use case|epic)\\s+(?<number>[0-9]+(?:\\.[0-9]+)*)(?:${SEPARATOR}|(?=\\s)|$)\\s*(?<rest>.*)$`,
  'isu',
);
const ENTRY = new RegExp(
  `^${BOX}(?<before>)${ANNEX}\\[?(?<id>${ID_SOURCE})\\]?(?:(?<separator>${COLON}|${DASH})|[.)]?(?=\\s|$))\\s*(?<rest>.*)$`,
  'su',
);
const PRIORITY = /\s*\(Priority:\s*([^()]+)\)\s*$/i;
/** What may stand before an id, so that most text is not parsed for its marks. */
const MAY_START = new RegExp(
  `^(?:<[^<>]{0,300}>|\\[[xX]\\]|[0-9]+(?:\\.[0-9]+)*(?:\\\\?[.)])?\\s|[^\\p{L}\\p{N}<])*(?:${ID_SOURCE.replaceAll('[-_.]', '\\\\?[-_.]')}|(?:requirement|user story|story|use case|epic)\\s)`,
  'iu',
);

/** M3, M4: the item that a heading begins. */
export function headingStart(raw: string): ItemStart | null {
  if (!MAY_START.test(raw)) return null;
  const visible = visibleText(raw);
  const numbered = NUMBERED.exec(visible)?.groups;
  const found = numbered ?? HEADING.exec(visible)?.groups;
  if (!found) return null;
  const { words = '', number = '', before = '', rest = '' } = found;
  const id = numbered ? `${inCapitals(words)}-${number}` : (found.id ?? '');
  if (!numbered && !looksLikeId(id)) return null;
  const priority = PRIORITY.exec(rest);
  const start = startOf(raw, id, found, numbered ? `${words}\\s+${number}` : undefined);
  if (before.trim() !== '') start.attributes.written = raw;
  return {
    ...start,
    numbered: numbered ? words : null,
    title: start.title.replace(priority ? PRIORITY : '', ''),
    priority: priority?.[1]?.trim() ?? null,
  };
}

/**
 * M5: the item that an entry of a list begins.
 *
 * @param hasMore - whether anything stands below its text
 */
export function entryStart(raw: string, hasMore: boolean): ItemStart | null {
  if (!MAY_START.test(raw)) return null;
  const found = ENTRY.exec(visibleText(raw))?.groups;
  const { id = '', separator, rest = '' } = found ?? {};
  if (!found || !looksLikeId(id)) return null;
  const bare = raw.replace(/^\[[ xX]\]\s+/, '').replace(/^(?:<[^<>]*>\s*)+/, '');
  const link = /^[*_]*\[[^\]]*\](?:\(([^)]*)\)|\[[^\]]*\])/.exec(bare);
  if (link ? !separator || !isElsewhere(link[1] ?? '') : !separator && !/^[*_`[]/.test(bare))
    return null;
  // An id alone names an item that stands elsewhere.
  if (!separator && !hasMore && /^(?:\([^()]*\)[,;.]?)?$/.test(rest)) return null;
  const start = { ...startOf(raw, id, found), numbered: null, priority: null };
  if (/^\s*</.test(raw)) start.attributes.written = raw;
  const [, , inner = '', colon = '', text = ''] =
    /^(\*\*|__)(?=\S)(.*?\S)\1\s*([:\uff1a]?)\s*(.*)$/s.exec(bare) ?? [];
  const named = inner === '' ? undefined : ENTRY.exec(visibleText(inner))?.groups;
  const hasTitle = named?.rest && !/^[([]/.test(named.rest);
  if (!hasTitle || (colon === '' && !/[:\uff1a]$/.test(inner))) return start;
  const { title } = startOf(inner, id, named);
  return { ...start, title: title.replace(/\s*[:\uff1a]$/, ''), text };
}

type Groups = Record<string, string>;

const AFTER_ID = /^[*_`\\]*(?:\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])?)?[*_`]*/;
const AFTER_LINK = new RegExp(`^\\\\?${SEPARATOR}[*_\`]*`, 'u');

/** The title as it is written, where it can be parted from the id, else as it is seen. */
function startOf(
  raw: string,
  id: string,
  { box, rest = '' }: Groups,
  written = id.replace(/[^A-Za-z0-9]/g, '\\\\?\\$&'),
): Pick<ItemStart, 'id' | 'title' | 'text' | 'attributes'> {
  const attributes: ItemStart['attributes'] = box === undefined ? {} : { done: box !== ' ' };
  if (!hasMarkup(raw)) return { id, title: rest, text: null, attributes };
  const before = new RegExp(`^.*?([*_\`]*)(?:\\\\?\\[)?[*_]*${written}`, 'is');
  const [head = '', marks = ''] = before.exec(raw) ?? [];
  const tail = raw.slice(head.length);
  const title = [tail, tail.replace(marks, '')]
    .map((one) => one.replace(AFTER_ID, '').replace(AFTER_LINK, '').trim())
    .find((one) => visibleText(one) === rest);
  const dropped = raw.slice(0, raw.length - (title ?? '').length);
  if (title === undefined || /<|\][([]/.test(dropped)) attributes.written = raw;
  return { id, title: title ?? rest, text: null, attributes };
}

function inCapitals(words: string): string {
  return words
    .split(/\s+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join('');
}

const COLUMNS = {
  id: /^(?:id|#|no\.?|requirement id|story)$/i,
  title: /^(?:title|name|summary)$/i,
  statement: /^(?:description|requirement|statement|text|story)$/i,
};

/** M6: what a column of a table holds, by its name. */
export function columnNamed(name: string, at: number): keyof typeof COLUMNS | Field | null {
  const bare = name.replace(/[*_`]/g, '').trim();
  if (at === 0) return COLUMNS.id.test(bare) ? 'id' : null;
  if (COLUMNS.title.test(bare)) return 'title';
  return COLUMNS.statement.test(bare) ? 'statement' : fieldNamed(bare);
}

/** The id that a cell begins with, where that is no link to another place of the sources. */
export function idOfCell(cell: string): string | null {
  if (/\]\(/.test(cell)) return null;
  const id = /^\S+/.exec(visibleText(cell))?.[0].replace(/^\[|\]?[:.]?$/g, '') ?? '';
  return looksLikeId(id) ? id : null;
}
