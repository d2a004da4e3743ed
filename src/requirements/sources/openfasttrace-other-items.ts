// Items of plain Markdown, such as `# US-1: Log in`, in a file that is read as OpenFastTrace: they are
// text there, which is told.
import { readMarkdown } from './markdown.ts';
import { itemStart } from './markdown-item-start.ts';
import type { SourceItem } from './model.ts';
import { shortId } from './openfasttrace-model.ts';
import type { FileNotes } from './source-result.ts';

const MOST_SHOWN = 10;
/** What stands before the text of a heading or of an item of a list. */
const MARKS = /^\s*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+)*(?:\[[ xX]\]\s+)?/;

/**
 * Tells which items the file has as Markdown and has not as OpenFastTrace.
 *
 * @param lines - the lines of the file that count; the others are empty
 * @param items - what has been read of the file
 */
export function tellOtherItems(
  path: string,
  lines: readonly string[],
  items: readonly SourceItem[],
  notes: FileNotes,
): void {
  if (!lines.some(mayBegin)) return;
  const ids = new Set(items.map(({ id }) => id));
  // A heading is kept as the title of the item below it.
  const kept = new Set(items.filter(isNormative).map(({ line }) => line));
  const bytes = new TextEncoder().encode(lines.join('\n'));
  const others = readMarkdown([{ path, bytes }]).items.filter(
    (item) => isNormative(item) && isOther(item.id) && !ids.has(item.id) && !kept.has(item.line),
  );
  const [first] = others;
  if (!first) return;
  const named = [...new Set(others.map(({ id }) => shortId(id)))];
  const more = named.length > MOST_SHOWN ? ` and ${named.length - MOST_SHOWN} more` : '';
  const detail = `The file is read as OpenFastTrace, where these are no items but text: ${named.slice(0, MOST_SHOWN).join(', ')}${more}. Each format has its own files: in one of theirs, or with format "markdown", they are items.`;
  notes.lose('other_item_format', first.line, detail);
}

function isNormative({ kind }: SourceItem): boolean {
  return kind === 'requirement' || kind === 'story';
}

/** Whether an id is none of OpenFastTrace. */
function isOther(id: string): boolean {
  return !id.includes('~');
}

/** Whether a line may begin an item in Markdown: only then is the file read as that too. */
function mayBegin(line: string): boolean {
  const text = line.replace(MARKS, '');
  if (!/[0-9A-Z]/i.test(text)) return false;
  const start = itemStart(text, true) ?? itemStart(text, false);
  return start !== null && isOther(start.id);
}
