// How items and their fields begin in a Markdown file: rules M3 to M7 of the manual.
import { ID_SOURCE, isStoryId, looksLikeId } from '../item-ids.ts';
import { fold, isElsewhere, visibleText } from './blocks.ts';

const LABELS = {
  acceptance:
    'acceptance|acceptance criteria|acceptance criterion|acceptance scenario|acceptance scenarios|acceptance test|acceptance tests|ac',
  rationale: 'rationale',
  status: 'status',
  priority: 'priority',
  tags: 'tag|tags|label|labels',
  kind: 'kind|type',
  refines: 'refine|refines|parent|parents|covers',
  derives: 'derive|derives|derive from|derives from|derived from|derived',
  depends: 'depend|depends|depend on|depends on|dependency|dependencies|requires|blocked by',
  verifies: 'verifies|verify|validates',
  satisfies: 'satisfies|satisfy|implements|realizes',
  conflicts: 'conflicts|conflicts with|contradicts',
  relates:
    'relates|relates to|related|related to|related requirements|traces to|references|see also',
};

export type Field = keyof typeof LABELS;

const FIELDS = new Map(
  Object.entries(LABELS).flatMap(([field, labels]) =>
    labels.split('|').map((label) => [label, field as Field]),
  ),
);

export function fieldNamed(label: string): Field | null {
  return FIELDS.get(fold(label.slice(0, 100)).toLowerCase()) ?? null;
}

const EMPHASIZED = /^(\*{1,3}|_{1,3})([A-Za-z ]+:?)\1/;
const LABELLED = /^([A-Za-z][A-Za-z ]{1,38}?)(?:\s?:(?:\s+(.*))?)?$/;

/**
 * M7: the field that a line is, and its value, which is empty where it stands below. Without a colon
 * all of the line is emphasised.
 */
export function fieldLine(line: string): { field: Field; label: string; value: string } | null {
  if (!/:|^\s*[*_]/.test(line)) return null;
  const written = line.trim().replace(/\\$/, '').trimEnd();
  const text = written.replace(EMPHASIZED, '$2');
  const [, label = '', value = ''] = LABELLED.exec(text) ?? [];
  const field = fieldNamed(label);
  if (!field || (text === written && !text.includes(':'))) return null;
  return { field, label, value: value.trim() };
}

export function linesBeforeFields(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line, at) => at > 0 && fieldLine(line) !== null);
  return end < 0 ? lines : lines.slice(0, end);
}

export function fieldHeading(text: string): Field | null {
  return fieldNamed(text.replace(/[*_:]/g, ''));
}

export interface ItemStart {
  id: string;
  title: string;
  /** What follows a title of its own. */
  text: string | null;
  /** Whether its id says that it is a story. */
  isStory: boolean;
  priority: string | null;
  attributes: Record<string, string | boolean>;
}

const COLON = '\\s*:(?![\\d:/\\\\])';
const DASH = '\\s+(?:-{1,3}|[\u2013\u2014])(?=\\s|$)';
const BOX = '(?:\\[(?<box>[ xX])\\]\\s+)?';
const SYMBOLS = '[^\\x00-\\x7F\\p{L}\\p{N}\\p{P}\\s]';
const BEFORE = `${BOX}(?:${SYMBOLS}+\\s*)*(?:[0-9]+(?:\\.[0-9]+)*[.)]?\\s+)?`;
const SEPARATOR = `(?:${COLON}|${DASH}|[.)](?=\\s|$))`;
const HEADING = new RegExp(
  `^${BEFORE}\\[?(?<id>${ID_SOURCE})\\]?(?:${SEPARATOR}|(?=\\s)|$)\\s*(?<rest>.*)$`,
  'su',
);
const NUMBERED = new RegExp(
  `^${BEFORE}(?<words>requirement|user story|story|use case|epic)\\s+(?<number>[0-9]+(?:\\.[0-9]+)*)(?:${SEPARATOR}|(?=\\s)|$)\\s*(?<rest>.*)$`,
  'isu',
);
const ENTRY = new RegExp(
  `^${BOX}\\[?(?<id>${ID_SOURCE})\\]?(?:(?<separator>${COLON}|${DASH})|[.)]?(?=\\s|$))\\s*(?<rest>.*)$`,
  'su',
);
const TITLE_IN_BOLD = /^(\*\*|__)((?:(?!\1).)+?)\s*(?::\1|\1\s*:)\s*(.*)$/s;
const PRIORITY = / ?\(Priority:\s*([^()]+)\)\s*$/i;
export function headingStart(raw: string): ItemStart | null {
  const visible = visibleText(raw);
  const numbered = NUMBERED.exec(visible)?.groups;
  const found = numbered ?? HEADING.exec(visible)?.groups;
  if (!found) return null;
  const { words = '', number = '', rest = '' } = found;
  const id = numbered ? `${inCapitals(words)}-${number}` : (found.id ?? '');
  if (!numbered && !looksLikeId(id)) return null;
  const start = startOf(raw, id, found, numbered ? `${words}\\s+${number}` : undefined);
  start.isStory ||= /story/i.test(words);
  start.priority = PRIORITY.exec(rest)?.[1]?.trim() ?? null;
  return { ...start, title: start.title.replace(PRIORITY, '') };
}

/** M5: the item that an entry of a list begins. */
export function entryStart(text: string, hasBlocks: boolean): ItemStart | null {
  // Most entries begin with a plain word.
  if (/^`?[A-Za-z]+[ ,]/.test(text)) return null;
  const lines = text.split('\n');
  const own = linesBeforeFields(lines);
  const hasMore = hasBlocks || own.length < lines.length;
  const raw = own.join('\n');
  const found = ENTRY.exec(visibleText(raw))?.groups;
  const { id = '', separator, rest = '' } = found ?? {};
  if (!found || !looksLikeId(id)) return null;
  const bare = raw.replace(/^\[[ xX]\]\s+/, '').replace(/^(?:<[^<>]*>\s*)+/, '');
  const link = /^[*_]*\[[^\]]*\](?:\(([^)]*)\)|\[[^\]]*\])/.exec(bare);
  if (link ? !separator || !isElsewhere(link[1] ?? '') : !separator && !/^[*_`[]/.test(bare))
    return null;
  // An id alone names an item that stands elsewhere.
  if (!separator && !hasMore && /^(?:\([^()]*\)[,;.]?)?$/.test(rest)) return null;
  const start = startOf(raw, id, found);
  const [, , inner = '', below = ''] = TITLE_IN_BOLD.exec(bare) ?? [];
  const title = inner === '' ? '' : (headingStart(inner)?.title ?? '');
  return title === '' || /^[([]/.test(title) ? start : { ...start, title, text: below };
}

const AFTER_ID = /^[*_`\\]*(?:\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])?)?[*_`]*/;
const IS_LINK = /^[*_`\\]*\][([]/;
const AFTER_LINK = new RegExp(`^\\\\?${SEPARATOR}[*_\`]*`, 'u');

function startOf(
  raw: string,
  id: string,
  { box, rest = '' }: Record<string, string>,
  written = id.replace(/[^A-Za-z0-9]/g, '\\\\?\\$&'),
): ItemStart {
  const attributes: ItemStart['attributes'] = box === undefined ? {} : { done: box !== ' ' };
  const start = { id, title: rest, text: null, isStory: isStoryId(id), priority: null, attributes };
  if (raw.startsWith(id) && raw.slice(id.length).replace(AFTER_LINK, '').trim() === rest)
    return start;
  const [head = '', front = '', marks = ''] =
    new RegExp(`^(.*?)([*_\`]*)(?:\\\\?\\[)?[*_]*${written}`, 'is').exec(raw) ?? [];
  const tail = raw.slice(head.length);
  const title = [tail, tail.replace(marks, '')]
    .map((one) => one.replace(AFTER_ID, '').replace(AFTER_LINK, '').trim())
    .find((one) => visibleText(one) === rest);
  const isDropped = front.replace(/^\[[ xX]\]/, '').trim() !== '' || IS_LINK.test(tail);
  if (title === undefined || isDropped) attributes.written = raw;
  return { ...start, title: title ?? rest };
}

function inCapitals(words: string): string {
  return words.toLowerCase().replace(/(?:^|\s+)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const COLUMNS = {
  id: /^(?:id|#|no\.?|requirement id|story)$/i,
  title: /^(?:title|name|summary)$/i,
  statement: /^(?:description|requirement|statement|text|story)$/i,
};

export function columnNamed(name: string, at: number): keyof typeof COLUMNS | Field | null {
  const bare = name.replace(/[*_`]/g, '').trim();
  if (at === 0) return COLUMNS.id.test(bare) ? 'id' : null;
  if (COLUMNS.title.test(bare)) return 'title';
  return COLUMNS.statement.test(bare) ? 'statement' : fieldNamed(bare);
}

export function idOfCell(cell: string): string | null {
  if (/\]\(/.test(cell)) return null;
  const id = /^\S+/.exec(visibleText(cell))?.[0].replace(/^\[|\]?[:.]?$/g, '') ?? '';
  return looksLikeId(id) ? id : null;
}
