// M6: tables whose rows are items.
import type { Block, Row } from './blocks.ts';
import { columnNamed, idOfCell } from './grammar.ts';
import { addText, type Draft, mention, setField } from './item.ts';

/** Whether the first column of a table is one of ids, and a row begins with one. */
export function isItemTable({ rows: [head, ...rows] }: Block): boolean {
  if (columnNamed(head?.cells[0] ?? '', 0) !== 'id') return false;
  return rows.some(({ cells: [first = ''] }) => idOfCell(first) !== null);
}

/**
 * Gives an item what the cells of its row hold.
 *
 * @param raw - the row as it is written
 */
export function readCells({ rows: [head] }: Block, row: Row, draft: Draft, raw: string): void {
  const { item } = draft;
  const { line } = row;
  const attributes: Record<string, string> = {};
  for (const [at, cell] of row.cells.entries()) {
    const name = head?.cells[at] ?? '';
    const column = columnNamed(name, at);
    if (cell === '' || column === 'id') continue;
    if (column === 'title' && item.title === '') item.title = cell;
    else if (column === 'statement') addText(draft, cell, line);
    else if (column === null || typeof column === 'string')
      attributes[name || `column ${at + 1}`] = cell;
    else if (!setField(draft, { field: column, name, depth: 0 }, cell, line))
      attributes[name] = cell;
  }
  // A row may have more cells than its head.
  if (raw.split(/(?<!\\)\|/).filter((cell) => cell.trim() !== '').length > row.cells.length)
    attributes.row = raw.trim();
  item.attributes = { ...item.attributes, ...attributes };
  if (item.title === '') item.title = draft.statement[0] ?? '';
  mention(draft, item.title, line);
}
