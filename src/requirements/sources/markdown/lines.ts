// The lines of a paragraph, and the cells of a table: fields and text (M6, M7, M9).
import type { Block, Row } from './blocks.ts';
import { columnNamed, fieldLine, idOfCell } from './grammar.ts';
import { addText, type Draft, setField } from './item.ts';

export function mayHaveFields({ isItem, textBelow, label }: Draft): boolean {
  return isItem && textBelow === 0 && label === null;
}

export function isFieldEntry({ blocks: [first] }: Block): boolean {
  return first?.type === 'paragraph' && fieldLine(first.text.split('\n', 1)[0] ?? '') !== null;
}

function takesNext(next: Block | undefined): boolean {
  if (next?.type === 'list') return true;
  return next?.type === 'paragraph' && fieldLine(next.text.split('\n', 1)[0] ?? '') === null;
}

/**
 * Reads the lines of a paragraph into an item. A label at its end is left open where the block after
 * it can be its value.
 * @param from - the line of the first
 */
export function readLines(
  lines: readonly string[],
  from: number,
  owner: Draft,
  next: Block | undefined,
): void {
  const outer = owner.label?.depth ? owner.label : null;
  let { label } = owner;
  owner.label = outer;
  const takesFields = mayHaveFields(owner);
  let [text, start]: [string[], number] = [[], from];
  const flush = () => {
    const value = text.join('\n').trim();
    if (!label || !setField(owner, label, value, start)) addText(owner, value, start);
    text = [];
    label = outer;
  };
  for (const [at, line] of lines.entries()) {
    const found = takesFields ? fieldLine(line) : null;
    if (found) flush();
    if (text.length === 0) start = from + at;
    if (!found) {
      text.push(line);
      continue;
    }
    const { field, value } = found;
    label = { field, name: found.label, depth: 0 };
    if (value !== '') {
      text.push(value);
      if (field === 'acceptance' || field === 'rationale') continue;
      if (!setField(owner, label, value, start)) addText(owner, line, start);
      text = [];
      label = outer;
    } else if (at === lines.length - 1) {
      if (takesNext(next)) owner.label = label;
      else addText(owner, line, start);
      return;
    }
  }
  flush();
}

export function idsOfRows({ rows: [head, ...rows] }: Block): (string | null)[] | null {
  if (columnNamed(head?.cells[0] ?? '', 0) !== 'id') return null;
  const ids = rows.map(({ cells: [first = ''] }) => idOfCell(first));
  return ids.some((id) => id !== null) ? ids : null;
}

/** Gives an item what the cells of its row hold. */
export function readCells(head: Row, row: Row, draft: Draft, raw: string): void {
  const { item } = draft;
  const attributes: Record<string, string> = {};
  for (const [at, cell] of row.cells.entries()) {
    const name = head.cells[at] ?? '';
    const column = columnNamed(name, at);
    if (cell === '' || column === 'id') continue;
    if (column === 'title' && item.title === '') item.title = cell;
    else if (column === 'statement') addText(draft, cell, row.line);
    else if (column === null || column === 'title') attributes[name || `column ${at + 1}`] = cell;
    else if (!setField(draft, { field: column, name, depth: 0 }, cell, row.line))
      attributes[name] = cell;
  }
  // A row may have more cells than its head.
  if (raw.split(/(?<!\\)\|/).filter((cell) => cell.trim() !== '').length > row.cells.length)
    attributes.row = raw.trim();
  item.attributes = { ...item.attributes, ...attributes };
  if (item.title === '') item.title = draft.statement[0] ?? '';
}
