// Items of a list of a Markdown source that are an id and nothing more, such as `REQ-5` below "See:":
// they name an item that stands elsewhere, and begin none.
import { looksLikeId } from './item-ids.ts';
import { withoutAnchors } from './markdown-before-id.ts';
import type { Block, ListItem } from './markdown-blocks.ts';
import { fieldLine } from './markdown-fields.ts';
import type { ItemStart } from './markdown-item-start.ts';

/** A remark in parentheses, which is no title. */
const REMARK = /^\([^()]*\)[,;.]?$/;
const COLON = /^[*_`\]]*\s*[:\uff1a]/;
const MARKS = '[*_`\\[\\]]{0,4}';
const WORD = new RegExp(`^${MARKS}([A-Za-z0-9](?:[\\w.~-]{0,298}[A-Za-z0-9])?)${MARKS}[,;.]?$`);

/**
 * Whether an id that an item of a list begins with only names an item, since nothing follows it but a
 * remark. An id of OpenFastTrace begins one by a colon and a text behind it, or by a text below it.
 *
 * @param isInItem - whether the list stands in an item, whose fields may follow it at the margin
 */
export function isReference(
  item: ListItem,
  { id, rest, url }: ItemStart,
  isInItem: boolean,
): boolean {
  const isTriple = id.includes('~');
  if (url !== undefined || (rest !== '' && !isTriple && !REMARK.test(rest))) return false;
  const first = withoutAnchors(item.raw.split('\n', 1)[0] ?? '');
  const hasColon = COLON.test(first.slice(first.indexOf(id) + id.length));
  if (hasColon && (rest !== '' || !isTriple)) return false;
  if (isTriple && rest.startsWith('(')) return true;
  const goesOn = (rest === '' || !isTriple) && hasMoreLines(item, isInItem);
  return !goesOn && !hasBlocksBelow(item);
}

/** Whether the text of an item has more lines than one, but for fields of what it stands in. */
function hasMoreLines({ blocks: [first] }: ListItem, isInItem: boolean): boolean {
  if (first?.type !== 'paragraph' || !first.raw.includes('\n')) return false;
  return !(isInItem && isFieldNext(first));
}

/** Whether the second line of a text is a field at the margin. */
function isFieldNext({ raw, atMargin }: Block & { type: 'paragraph' }): boolean {
  const [, second = ''] = raw.split('\n', 2);
  return atMargin?.includes(1) === true && fieldLine(second) !== null;
}

/** Whether something stands below the text of an item that is not a list of ids alone. */
function hasBlocksBelow({ blocks }: ListItem): boolean {
  return blocks.slice(1).some((block) => block.type !== 'list' || !block.items.every(isIdAlone));
}

const known = new WeakMap<ListItem, boolean>();

function isIdAlone(item: ListItem): boolean {
  const before = known.get(item);
  if (before !== undefined) return before;
  const [first] = item.blocks;
  let isAlone = false;
  if (first?.type === 'paragraph') {
    const text = isFieldNext(first) ? (first.raw.split('\n', 1)[0] ?? '') : first.raw;
    isAlone = looksLikeId(WORD.exec(text)?.[1] ?? '') && !hasBlocksBelow(item);
  }
  known.set(item, isAlone);
  return isAlone;
}
