// Tables of a Markdown source whose rows begin with ids, as requirements do that are written so.
import { idsIn, LOOK_MOST, looksLikeId } from './item-ids.ts';
import type { PlacedText } from './markdown-blocks.ts';

/** The line between the head of a table and its rows. */
const BELOW_HEAD = /^[\s|:-]+$/;
/** What stands above a column of ids. */
const ID_COLUMN = /^(?:\w+ )?(?:u?id|identifier|key|req(?:uirement)?|story|n[or]\.?|number|#)$/i;

/** The ids that rows of the tables in a text begin with and say something of, each with its line. */
export function idsOfRows({ raw, lines }: PlacedText): { id: string; line: number }[] {
  if (!raw.includes('|')) return [];
  const texts = raw.split('\n');
  const head = texts.findIndex(
    (text, at) => at > 0 && text.includes('|') && text.includes('-') && BELOW_HEAD.test(text),
  );
  if (head < 0) return [];
  const isOfIds = ID_COLUMN.test(cellsOf(texts[head - 1] ?? '').first);
  return texts.flatMap((text, at) => {
    const { first: id, others } = cellsOf(text);
    if (at <= head || !looksLikeId(id)) return [];
    // Names of types and formats look like ids, but for a number at their end.
    if (!isOfIds && !/\d[a-z]?$/.test(id)) return [];
    // A row of nothing but ids says how items are linked.
    if (others.every((cell) => idsIn(cell).rest === '')) return [];
    return [{ id, line: lines[at] ?? lines[0] ?? 0 }];
  });
}

/** The first cell of a row without marks around it, and the others. */
function cellsOf(row: string): { first: string; others: string[] } {
  const [first = '', ...others] = row.trim().replace(/^\|/, '').split('|');
  const text = first.trim().replace(/^[*_`]{1,3}/, '');
  return { first: text.slice(0, LOOK_MOST + 3).replace(/[*_`]{1,3}$/, ''), others };
}
