// The ids that headings, items of lists, paragraphs and rows of tables begin with where a Markdown
// source has them as HTML.
import { idsIn, LOOK_MOST, looksLikeId } from './item-ids.ts';
import type { PlacedText } from './markdown-blocks.ts';
import { itemStart } from './markdown-item-start.ts';
import { withoutComments } from './markdown-references.ts';

/** HTML whose text is shown as it stands. */
const AS_IT_STANDS = /^\s*<(?:pre|script|style|textarea)\b/i;
const STARTS = /<(?<name>h[1-6]|li|dt|p|tr)(?:\s[^<>]*)?>\s*/gi;
const TAG = /<[^<>]*>/g;
/** What of a text is looked at. */
const MOST_LOOKED = 1000;

/** The ids that texts in HTML begin with and say something of, each with its line. */
export function idsOfHtml({ raw, lines }: PlacedText): { id: string; line: number }[] {
  if (AS_IT_STANDS.test(raw)) return [];
  const shown = withoutComments(raw);
  const open = shown.indexOf('<!--');
  const text = open < 0 ? shown : shown.slice(0, open);
  const found: { id: string; line: number }[] = [];
  let from = 0;
  let row = 0;
  for (const { 0: tag, index, groups } of text.matchAll(STARTS)) {
    const start = index + tag.length;
    for (let at = text.indexOf('\n', from); at >= 0 && at < start; at = text.indexOf('\n', from)) {
      row++;
      from = at + 1;
    }
    const rest = text.slice(start, start + MOST_LOOKED);
    const name = groups?.name?.toLowerCase() ?? '';
    const id = name === 'tr' ? idOfRow(rest) : idOfText(rest, name.startsWith('h'));
    if (id !== null) found.push({ id, line: lines[row] ?? lines[0] ?? 0 });
  }
  return found;
}

/** The id that a text begins with, up to where the next one begins. */
function idOfText(html: string, heading: boolean): string | null {
  const [own = ''] = html.split(/<\/?(?:h[1-6]|li|dt|dd|p|ul|ol|table|tr)\b/i, 1);
  const text = own.replace(TAG, '').trim();
  const start = itemStart(text, heading);
  return start && (heading || start.rest !== '') ? start.id : null;
}

/** The id in the first cell of a row whose others are more than ids. */
function idOfRow(html: string): string | null {
  const [row = ''] = html.split(/<\/?(?:tr|table|tbody)\b/i, 1);
  const [, first = '', ...others] = row.split(/<t[dh](?:\s[^<>]*)?>/i);
  const id = first.replace(TAG, '').trim();
  if (id.length > LOOK_MOST || !looksLikeId(id) || !/\d[a-z]?$/.test(id)) return null;
  return others.some((cell) => idsIn(cell.replace(TAG, ' ')).rest !== '') ? id : null;
}
