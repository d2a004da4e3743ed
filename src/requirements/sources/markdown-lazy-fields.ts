// Fields right below a list of a Markdown source, without a blank line between: CommonMark takes such
// lines for more of the last text in the list (0.31.2, 5.2: lazy continuation lines).
import { type Block, type ListItem, textOfBlocks } from './markdown-blocks.ts';
import { labelIn } from './markdown-lists.ts';

type ListBlock = Block & { type: 'list' };

/** What is found while a list is looked into. */
interface Search {
  /** Whether such lines in an item of a list are the item's own. */
  keeps: (item: ListItem) => boolean;
  beforeList: boolean;
  fields: Block[];
  /** The lines in the file that the fields take. */
  taken: Set<number>;
}

/**
 * The parts of a list that fields at the margin end, and these as paragraphs between them; each with
 * the block after it.
 *
 * @param keeps - whether such lines in an item of a list are the item's own; it is asked of an item
 *   when the parts before it have been taken
 */
export function* partsAtFields(
  list: ListBlock,
  next: Block | undefined,
  keeps: (item: ListItem) => boolean,
): Generator<{ block: Block; next: Block | undefined }> {
  if (!list.items.some(mayEnd)) {
    yield { block: list, next };
    return;
  }
  const texts = list.raw.split('\n');
  let row = 0;
  let part: ListItem[] = [];
  const taken = new Set<number>();
  const listTo = (line: number): ListBlock => {
    const from = row;
    while (row < texts.length && (list.lines[row] ?? 0) < line) row++;
    const block = { ...list, raw: texts.slice(from, row).join('\n') };
    block.lines = list.lines.slice(from, row);
    return { ...withoutLines(block, taken), items: part, line: part[0]?.line ?? list.line };
  };
  for (const [at, item] of list.items.entries()) {
    const below = list.items[at + 1];
    const beforeList = below !== undefined || next?.type === 'list';
    const search: Search = { keeps, beforeList, fields: [], taken };
    part.push(mayEnd(item) ? withoutFields(item, search) : item);
    const { fields } = search;
    if (fields.length === 0) continue;
    yield { block: listTo(below?.line ?? Number.POSITIVE_INFINITY), next: fields[0] };
    for (const [place, block] of fields.entries()) {
      yield { block, next: fields[place + 1] ?? (below ? list : next) };
    }
    part = [];
  }
  if (part.length > 0) yield { block: listTo(Number.POSITIVE_INFINITY), next };
}

/** Whether an item has a text in it with lines at the margin. */
function mayEnd({ blocks }: ListItem): boolean {
  return blocks.some((block) => {
    if (block.type === 'list') return block.items.some(mayEnd);
    return block.type === 'paragraph' && block.atMargin !== undefined;
  });
}

/** An item without the fields at the margin in it, which go to those that are found. */
function withoutFields(item: ListItem, search: Search): ListItem {
  const { fields, keeps } = search;
  if (keeps(item)) return item;
  const before = fields.length;
  const blocks = item.blocks.map((block) => {
    if (block.type === 'paragraph') return withoutFieldsAtEnd(block, search);
    if (block.type !== 'list') return block;
    const known = fields.length;
    const items = block.items.map((inner) => withoutFields(inner, search));
    return fields.length > known ? { ...withoutLines(block, search.taken), items } : block;
  });
  return fields.length > before ? { ...item, blocks, ...textOfBlocks(blocks) } : item;
}

/** A text without the first field at the margin and what follows that. */
function withoutFieldsAtEnd(
  block: Block & { type: 'paragraph' },
  { beforeList, fields, taken }: Search,
): Block {
  const { raw, lines, atMargin = [] } = block;
  if (atMargin.length === 0) return block;
  const texts = raw.split('\n');
  const from = atMargin.find(
    (at) => labelIn(texts[at] ?? '', beforeList && at === texts.length - 1) !== null,
  );
  if (from === undefined) return block;
  const places = lines.slice(from);
  const field = { raw: texts.slice(from).join('\n'), lines: places, line: places[0] ?? block.line };
  fields.push({ type: 'paragraph', ...field });
  for (const line of places) taken.add(line);
  return { ...block, raw: texts.slice(0, from).join('\n').trimEnd(), lines: lines.slice(0, from) };
}

/** A list without some lines of the file. */
function withoutLines(list: ListBlock, taken: ReadonlySet<number>): ListBlock {
  const rows = list.raw.split('\n').map((text, at) => ({ text, line: list.lines[at] ?? 0 }));
  const kept = rows.filter(({ line }) => !taken.has(line));
  while (kept.at(-1)?.text.trim() === '') kept.pop();
  return {
    ...list,
    raw: kept.map(({ text }) => text).join('\n'),
    lines: kept.map((row) => row.line),
  };
}
