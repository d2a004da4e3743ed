// Reads what stands below the headings of a Markdown source, block by block: texts, fields, criteria,
// and the items of lists.
import { isStoryText } from './item-ids.ts';
import { type Block, fold, type ListItem, textOfBlocks } from './markdown-blocks.ts';
import { isEmptyHtml, isRule, paragraphText, withoutBreak } from './markdown-content.ts';
import { hasMoreCriteria, isOfOtherLabel } from './markdown-criteria.ts';
import {
  addCriterion,
  addText,
  type Draft,
  keepLabel,
  lastLine,
  type Mode,
  mention,
  newDraft,
  setField,
} from './markdown-draft.ts';
import {
  anyField,
  fieldsIn,
  fieldsWithin,
  holdsParts,
  type IsField,
  noteFields,
} from './markdown-field-lists.ts';
import { partsAtFields } from './markdown-lazy-fields.ts';
import {
  goesOnIn,
  isNoValue,
  labelIn,
  labelOf,
  startOf,
  TASK,
  takesItems,
  takesList,
  valuesIn,
  withoutTask,
} from './markdown-lists.ts';
import { tellLongItem } from './markdown-long-ids.ts';
import {
  holdsText,
  isAcceptance,
  type Reading,
  readLines,
  readParagraph,
} from './markdown-paragraphs.ts';
import { describeStart } from './markdown-start-attributes.ts';
import { unreadIn } from './markdown-unread-ids.ts';

function readBlocks(blocks: readonly Block[], owner: Draft, reading: Reading): void {
  for (const [at, block] of blocks.entries()) readBlock(block, owner, reading, blocks[at + 1]);
}

/** Reads a block as a part of what it stands in. */
export function readBlock(
  block: Block,
  owner: Draft,
  reading: Reading,
  next: Block | undefined,
): void {
  if (reading.footnotes.goesOn(block)) return;
  for (const one of unreadIn(block, owner)) reading.unread.push(one);
  switch (block.type) {
    case 'paragraph':
      readParagraph(block, owner, reading, next);
      return;
    case 'list':
      readList(block, owner, reading, next);
      return;
    case 'html':
      if (!isEmptyHtml(block.raw)) readOther(block, owner, reading);
      return;
    case 'code':
      readOther(block, owner, reading);
      return;
    default:
      if (!isRule(block.raw)) readOther(block, owner, reading);
  }
}

/** Reads a quote, code or HTML: a text may have it in it, another field is none of them. */
function readOther(block: Block, owner: Draft, { notes }: Reading): void {
  const { mode } = owner;
  // Tags around criteria are no criteria.
  const isTags = block.type === 'html' && isAcceptance(mode);
  if (mode && holdsText(mode) && !isTags && !(mode.listed && mode.depth === 0)) {
    if (block.type === 'code') textOfField(mode, owner).push(block.raw);
    else setField(owner, mode, block, notes);
    delete mode.unused;
    return;
  }
  keepLabel(owner);
  if (block.type === 'code') {
    owner.statement.push(block.raw);
    owner.lead = null;
  } else addText(owner, block);
}

function textOfField({ field }: Mode, { item, rationale }: Draft): string[] {
  return field.name === 'acceptance' ? item.acceptance : rationale;
}

/** Reads a list, and the fields at the margin that end it. */
function readList(
  list: Block & { type: 'list' },
  owner: Draft,
  reading: Reading,
  next: Block | undefined,
): void {
  if (!owner.isItem || owner.apart) {
    readWholeList(list, owner, reading, next);
    return;
  }
  const values = owner.mode && takesList(owner.mode) ? owner.mode : null;
  const keeps = (item: ListItem) => startOf(item, owner) !== null && !takesItems(owner.mode);
  for (const { block, next: below } of partsAtFields(list, next, keeps)) {
    if (block.type === 'list') readWholeList(block, owner, reading, below);
    else {
      readParagraph(block, owner, reading, below);
      // The list goes on below them with the values that it has above.
      if (below === list && values?.listed) owner.mode ??= { ...values, listed: false };
    }
  }
}

function readWholeList(
  list: Block & { type: 'list' },
  owner: Draft,
  reading: Reading,
  next: Block | undefined,
): void {
  const { mode } = owner;
  const { isField, mayBeMeant } = fieldsIn(list, owner, owner.statement.length === 0);
  if (mode && takesList(mode)) {
    if (!isNoValue(list, mode, owner)) {
      readValues(list, mode, owner, reading);
      // Of a reason, a list with other marks that follows is a part too.
      if (mode.field.name === 'rationale' && next?.type === 'list') {
        owner.mode ??= { ...mode, listed: false };
      }
      if (isAcceptance(mode) && hasMoreCriteria(next, owner)) mode.listed = false;
      return;
    }
    keepLabel(owner);
    owner.mode = null;
  }
  const mayBeCriteria = owner.isItem && !owner.underHeading && !isOfOtherLabel(owner);
  const tasks = mayBeCriteria && list.items.every((item) => TASK.test(item.raw));
  if (mayBeMeant) noteFields(list, owner, isField);
  if (list.items.some((item) => holdsParts(item, owner, isField))) {
    for (const item of list.items) readListItem(item, owner, reading, isField);
  } else if (tasks) {
    for (const item of list.items) addCriterion(owner, withoutTask(item));
  } else {
    for (const item of list.items) tellLongItem(item, item.blocks, owner, reading.notes);
    addText(owner, list);
  }
}

/** Reads a list as the values of the label before it. */
function readValues(
  list: Block & { type: 'list' },
  mode: Mode,
  owner: Draft,
  reading: Reading,
): void {
  mode.listed = true;
  const fields: ListItem[] = [];
  if (mode.field.name === 'rationale') setField(owner, mode, list, reading.notes);
  else {
    for (const item of list.items) {
      if (mode.field.name === 'link' && labelOf(item)) fields.push(item);
      else {
        for (const value of valuesIn(item, mode)) setField(owner, mode, value, reading.notes);
      }
    }
  }
  if (mode.depth === 0 && !isAcceptance(mode)) owner.mode = null;
  for (const item of fields) readListItem(item, owner, reading, anyField);
}

/** Reads an item of a list; `indent` is that of the marker, where it stays text. */
function readListItem(
  item: ListItem,
  owner: Draft,
  reading: Reading,
  isField: IsField,
  indent = '',
): void {
  const { result, notes } = reading;
  const start = startOf(item, owner);
  const [first, ...others] = item.blocks;
  if (start && first?.type === 'paragraph') {
    const lines = first.raw.split('\n').slice(1);
    const beforeList = others[0]?.type === 'list';
    const isLabel = (text: string, at: number) =>
      labelIn(text, beforeList && at === lines.length - 1) !== null;
    const stop = lines.findIndex((text, at) => isLabel(text, at) || isStoryText(text));
    const used = stop < 0 ? lines.length : stop;
    // A title stands for itself where no text follows it.
    const named = start.parts?.text !== '' || used > 0 ? start.parts : undefined;
    const shown = [named?.text ?? start.rest, ...lines.slice(0, used)];
    const broken = shown.map((text, at) => (at < lines.length ? withoutBreak(text) : text));
    const said = fold(broken.join(' '));
    const title = named ? fold(named.title) : said;
    const parts = { id: start.id, kind: 'requirement', title, parentId: owner.item.id } as const;
    const place = { path: notes.path, line: item.line };
    const draft = newDraft({ ...parts, ...place }, { isItem: true, inList: true, depth: 7 });
    const done = TASK.exec(first.raw)?.[1];
    draft.opening = paragraphText([...shown.slice(0, -1), ...broken.slice(-1)]);
    describeStart(draft, start, first.raw);
    if (done !== undefined) draft.item.attributes.done = done !== ' ';
    if (named) {
      draft.isTitled = true;
      draft.lead = lastLine(said);
    }
    const all = [start.rest, ...shown.slice(1)].join('\n');
    mention(draft, { raw: all, lines: first.lines });
    result.items.push(draft.item);
    if (used < lines.length) {
      readLines(lines.slice(used), first.lines.slice(1 + used), draft, reading, others[0]);
    }
    readBlocks(others, draft, reading);
    reading.closed.push(draft);
    return;
  }
  if (owner.isItem && first?.type === 'paragraph' && isField(item)) {
    const ended = readParagraph(first, owner, reading, others[0]);
    if (ended && goesOnIn(others[0], ended)) owner.mode ??= ended;
    readBlocks(others, owner, reading);
    owner.mode = null;
    return;
  }
  const isInnerField = fieldsWithin(item, isField);
  const isNested = (block: Block) =>
    block.type === 'list' && block.items.some((inner) => holdsParts(inner, owner, isInnerField));
  const own = item.blocks.filter((block) => !isNested(block));
  tellLongItem(item, own, owner, notes);
  const text = textOfBlocks(own);
  const within = `${indent}${' '.repeat(item.mark.length + 1)}`;
  const raw = `${indent}${item.mark} ${text.raw.replace(/\n(?!\n)/g, `\n${within}`)}`;
  addText(owner, { raw, lines: text.lines });
  for (const block of item.blocks) {
    if (block.type !== 'list' || !isNested(block)) continue;
    for (const inner of block.items) readListItem(inner, owner, reading, isInnerField, within);
  }
}
