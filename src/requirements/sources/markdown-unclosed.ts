// Fenced code, comments and other HTML of a Markdown file that nothing ends: all below is part of
// them, which is told where there would be more than code.
import { fieldLine } from './markdown-fields.ts';
import { itemStart } from './markdown-item-start.ts';
import type { FileNotes } from './source-result.ts';
import { shownId } from './usable-id.ts';

const MOST_SHOWN = 10;
/** What stands before the text of a heading or of an item of a list. */
const MARKS = /^[\s>]*(?<mark>#{1,6}(?=\s|$)|[-*+](?=\s)|\d{1,9}[.)](?=\s))?\s*(?:\[[ xX]\]\s+)?/;

/** What a line would be, were it not in code or HTML. */
interface Hidden {
  /** The id of the item that it would begin. */
  id: string | null;
  isField: boolean;
  isHeading: boolean;
}

/**
 * Tells of code or HTML without an end, unless what it takes up to the end of the file is nothing
 * that would be read otherwise.
 *
 * @param lines - the lines of the file
 * @param at - the line that begins it, from 0
 */
export function tellUnclosed(
  lines: readonly string[],
  at: number,
  type: 'fence' | 'html',
  notes: FileNotes,
): void {
  const hidden = lines.slice(at + 1).map(hiddenBy);
  const ids = [...new Set(hidden.flatMap(({ id }) => (id === null ? [] : [shown(id)])))];
  const [what, end] = type === 'fence' ? ['Fenced code', fenceOf(lines[at])] : htmlOf(lines[at]);
  const last = lines.at(-1)?.trim() === '' ? lines.length - 1 : lines.length;
  const begun = `${what} begins here and no ${end} ends it: all up to the end of the file, line ${last}, is part of it`;
  const more = ids.length > MOST_SHOWN ? ` and ${ids.length - MOST_SHOWN} more` : '';
  const named = `${ids.slice(0, MOST_SHOWN).join(', ')}${more}`;
  if (ids.length > 0) {
    notes.lose('unread_block', at + 1, `${begun}, so that these are no items: ${named}.`);
  } else if (hidden.some(({ isField }) => isField)) {
    notes.lose('unread_block', at + 1, `${begun}, and no field is read in it.`);
  } else if (hidden.some(({ isHeading }) => isHeading)) {
    notes.note('unread_block', at + 1, `${begun}, and no heading in it begins a section.`);
  }
}

function hiddenBy(line: string): Hidden {
  const marks = MARKS.exec(line);
  const mark = marks?.groups?.mark ?? '';
  const text = line.slice(marks?.[0].length ?? 0).trim();
  const isHeading = mark.startsWith('#') && text !== '';
  const start = itemStart(text, isHeading || mark === '');
  // Without a mark, a line begins an item only of OpenFastTrace, whose ids stand alone.
  const counts = start !== null && (mark !== '' || (start.id.includes('~') && start.rest === ''));
  const isField = mark === '' && /^[*_A-Z]/.test(text) && fieldLine(text.slice(0, 500)) !== null;
  return { id: counts ? start.id : null, isField, isHeading };
}

/** An id as a sentence shows it: as it is, unless it is long. */
function shown(id: string): string {
  return id.length > 100 ? shownId(id) : id;
}

function fenceOf(line = ''): string {
  return /`{3,10}|~{3,10}/.exec(line)?.[0] ?? '```';
}

/** What HTML a line begins, and what ends it. */
function htmlOf(line = ''): [what: string, end: string] {
  const [, name] = /<([A-Za-z]+)/.exec(line) ?? [];
  const comment = line.indexOf('<!--');
  if (comment >= 0) return ['A comment', '`-->`'];
  if (name !== undefined) return ['HTML', `\`</${name.toLowerCase()}>\``];
  return ['HTML', line.includes('<?') ? '`?>`' : line.includes('<![CDATA[') ? '`]]>`' : '`>`'];
}
