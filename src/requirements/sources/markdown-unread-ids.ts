// Text of a Markdown source that begins with an id where none begins an item: paragraphs, HTML, rows
// of tables, items of lists that may only name one, and what has an id of one letter. It stays text, which is told.
import type { Block, ListItem, PlacedText } from './markdown-blocks.ts';
import { isElsewhere, paragraphContent } from './markdown-content.ts';
import type { Draft } from './markdown-draft.ts';
import { idsOfHtml } from './markdown-html-ids.ts';
import { type ItemStart, itemStart } from './markdown-item-start.ts';
import { firstLine, takesList } from './markdown-lists.ts';
import { looseStart } from './markdown-loose-ids.ts';
import { idsOfRows } from './markdown-tables.ts';
import type { FileNotes } from './source-result.ts';

/** What an id that begins no item stands in. */
type Place = 'table' | 'paragraph' | 'list' | 'html' | 'letter';

/** An id that a text begins with, and its line. */
export interface UnreadId {
  place: Place;
  id: string;
  line: number;
}

const MOST_SHOWN = 10;
const BEGINS = 'A heading or an item of a list with the id would begin one.';
const DETAILS: Record<Place, (named: string) => string> = {
  table: (named) =>
    `Rows of tables are kept as text and begin no items, also where they begin with an id: ${named}. ${BEGINS}`,
  paragraph: (named) =>
    `Paragraphs are kept as text and begin no items, also where they begin with an id: ${named}. ${BEGINS}`,
  list: (named) =>
    `Items of lists are kept as text and begin no items where it is not certain that they do: ${named}. An id with a colon behind it, such as \`- **REQ-1**: text\`, would begin one.`,
  html: (named) =>
    `HTML is kept as text and begins no items, also where a text in it begins with an id: ${named}. ${BEGINS}`,
  letter: (named) =>
    `One letter with a number is no id by its look, and what begins with it is kept as text and begins no item: ${named}. An id such as REQ-1 would begin one.`,
};

/** What ends an id that something is said of. */
const COLON = /^[*_`\]]{0,4}\s*[:\uff1a]/;
const REQUIRES = /\b(?:shall|must|should)\b/i;
/** The name of a criterion, which is no item where it stands in one. */
const CRITERION = /^AC[-_.]?[0-9]/;
const LETTER = /^(\*\*|__)?([A-UW-Z][0-9]{1,6})(?:\s*:\1|\1\s*:)\s+(.*)$/s;
const ENDS_SENTENCE = /(?:[.!?:;\\]|\s\s)$/;

/**
 * The ids that text of a block begins with, where it begins no items.
 *
 * @param owner - what the block is in
 */
export function unreadIn(block: Block, { mode, isItem }: Draft): UnreadId[] {
  // The values of a field are no items.
  if (mode && takesList(mode)) return [];
  const found = unreadOf(block, isItem);
  return isItem ? found.filter(({ id }) => !CRITERION.test(id)) : found;
}

function unreadOf(block: Block, inItem: boolean): UnreadId[] {
  switch (block.type) {
    case 'paragraph': {
      const rows = idsOfRows(block);
      return rows.length > 0 ? placedIn('table', rows) : inLines(block, inItem);
    }
    case 'html':
      return placedIn('html', idsOfHtml(block));
    case 'list':
      return inItem ? [] : block.items.flatMap(unreadItems);
    default:
      return [];
  }
}

function placedIn(place: Place, ids: readonly { id: string; line: number }[]): UnreadId[] {
  return ids.map((one) => ({ place, ...one }));
}

function inLines(paragraph: PlacedText, inItem: boolean): UnreadId[] {
  const { lines, skipped, isFootnote } = paragraphContent(paragraph);
  if (isFootnote) return [];
  return lines.flatMap((text, at): UnreadId[] => {
    // What follows the break of a line in a sentence is a part of that.
    if (at > 0 && !ENDS_SENTENCE.test(lines[at - 1] ?? '')) return [];
    const line = paragraph.lines[skipped + at] ?? 0;
    const start = itemStart(text, false);
    if (!start) return looseIn(text, line, inItem);
    return saysMore(text, start, inItem) ? [{ place: 'paragraph', id: start.id, line }] : [];
  });
}

/** The id that a line of a paragraph may begin with. */
function looseIn(text: string, line: number, inItem: boolean): UnreadId[] {
  const loose = looseStart(text);
  if (loose && (!inItem || REQUIRES.test(loose.rest))) {
    return [{ place: 'paragraph', id: loose.id, line }];
  }
  return inItem ? [] : letterAt(text, line);
}

/** Whether a line says something of the id that it begins with, and does not only refer to it. */
function saysMore(text: string, { id, rest }: ItemStart, inItem: boolean): boolean {
  if (rest === '' || isElsewhere(rest)) return false;
  if (REQUIRES.test(rest)) return true;
  // A reference is in brackets, and so is what defines it.
  if (text.startsWith('[') && (inItem || !/\s/.test(rest.trim()))) return false;
  if (COLON.test(text.slice(text.indexOf(id) + id.length, 2000))) return true;
  return !inItem && !/^[`[]/.test(text);
}

/** The ids that items of a list begin with, where these begin no items. */
function unreadItems(item: ListItem): UnreadId[] {
  const text = firstLine(item) ?? '';
  if (itemStart(text, false)) return [];
  const loose = looseStart(text);
  const own: UnreadId[] = loose
    ? [{ place: 'list', id: loose.id, line: item.line }]
    : letterAt(text, item.line);
  const inner = item.blocks.flatMap((block) => (block.type === 'list' ? block.items : []));
  return [...own, ...inner.flatMap(unreadItems)];
}

/**
 * The id of one letter that a text begins with: `R` as for requirement, others where it requires
 * something, but for `V`, which is of versions.
 */
export function letterAt(text: string, line: number): UnreadId[] {
  const [, , id = '', rest = ''] = LETTER.exec(text) ?? [];
  if (id === '' || !(id.startsWith('R') || REQUIRES.test(rest))) return [];
  return [{ place: 'letter', id, line }];
}

/**
 * Tells which texts begin with an id that no item has, once for each place that they stand in.
 *
 * @param unread - the ids, in the order of the file
 * @param known - the ids of all items
 */
export function tellUnread(
  unread: readonly UnreadId[],
  known: ReadonlySet<string>,
  notes: FileNotes,
): void {
  const others = unread.filter(({ id }) => !known.has(id));
  for (const [place, all] of Map.groupBy(others, (one) => one.place)) {
    const lines = new Map<string, number>();
    for (const { id, line } of all) if (!lines.has(id)) lines.set(id, line);
    const shown = [...lines].slice(0, MOST_SHOWN).map(([id, line]) => `${id} (line ${line})`);
    const more = lines.size > MOST_SHOWN ? ` and ${lines.size - MOST_SHOWN} more` : '';
    const detail = DETAILS[place](`${shown.join(', ')}${more}`);
    notes.note('unread_block', all[0]?.line ?? 0, detail);
  }
}
