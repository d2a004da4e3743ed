// Headings and items of lists of a Markdown source that begin with an id which is too long to be one.
import { LOOK_MOST, looksLikeLongId, withoutPunctuation } from './item-ids.ts';
import { beforeId, withoutAnchors } from './markdown-before-id.ts';
import type { Block, ListItem } from './markdown-blocks.ts';
import type { Draft } from './markdown-draft.ts';
import { itemStart } from './markdown-item-start.ts';
import { firstLine, startIn } from './markdown-lists.ts';
import type { FileNotes } from './source-result.ts';
import { shownId } from './usable-id.ts';

const FIRST_WORD = new RegExp(`^[^A-Za-z0-9]{0,20}([A-Za-z][\\w.~-]{${LOOK_MOST},})`);

/** The id that a line would begin an item with, were it shorter. */
function longIdAt(text: string, startOf: (line: string) => { id: string } | null): string | null {
  const line = withoutAnchors(text);
  const id = withoutPunctuation(FIRST_WORD.exec(line)?.[1] ?? '').replace(/_{1,3}$/, '');
  if (!looksLikeLongId(id)) return null;
  const short = 'US-1';
  return startOf(line.replace(id, short))?.id === short ? id : null;
}

/** Tells of a heading that begins no item since its id is too long. */
export function tellLongHeading(text: string, line: number, notes: FileNotes): void {
  const id = longIdAt(beforeId(text, true).rest, (shown) => itemStart(shown, true));
  if (id !== null) tell(id, 'the heading begins no item', line, notes);
}

/**
 * Tells of an item of a list, and of those in it, that would be one of the source with a shorter id.
 *
 * @param blocks - those of its blocks that are text
 */
export function tellLongItem(
  item: ListItem,
  blocks: readonly Block[],
  owner: Draft,
  notes: FileNotes,
): void {
  const id = longIdAt(firstLine(item) ?? '', (shown) => startIn(shown, owner));
  if (id !== null) tell(id, 'what begins with it is kept as text', item.line, notes);
  for (const block of blocks) {
    if (block.type !== 'list') continue;
    for (const inner of block.items) tellLongItem(inner, inner.blocks, owner, notes);
  }
}

function tell(id: string, became: string, line: number, notes: FileNotes): void {
  const detail = `${shownId(id)} has more than the ${LOOK_MOST} characters by which an id is known; ${became}.`;
  notes.lose('invalid_id', line, detail);
}
