// Tables of a Markdown source whose rows begin with ids, as requirements do that are written so: they
// are text here, which is told.
import { idsIn, LOOK_MOST, looksLikeId } from './item-ids.ts';
import type { PlacedText } from './markdown-blocks.ts';
import type { Draft } from './markdown-draft.ts';
import type { FileNotes } from './source-result.ts';

const MOST_SHOWN = 10;
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

/**
 * Tells which rows of tables begin with an id that no item of the file has.
 *
 * @param rows - the ids of the rows, in the order of the file
 * @param drafts - all of the file
 */
export function tellTables(
  rows: readonly { id: string; line: number }[],
  drafts: readonly Draft[],
  notes: FileNotes,
): void {
  const known = new Set(drafts.map(({ item }) => item.id));
  const others = rows.filter(({ id }) => !known.has(id));
  const [first] = others;
  if (!first) return;
  const ids = [...new Set(others.map(({ id }) => id))];
  const more = ids.length > MOST_SHOWN ? ` and ${ids.length - MOST_SHOWN} more` : '';
  const named = ids.slice(0, MOST_SHOWN).join(', ');
  const detail = `Rows of tables are kept as text and begin no items, also where they begin with an id: ${named}${more}. A heading or an item of a list with the id would begin one.`;
  notes.note('unread_block', first.line, detail);
}
