// Reads requirements and stories that people write in Markdown: a heading or a list item that begins
// with an id is an item, the text below it its statement, other headings are sections.
import { readFrontMatter, textValue } from './front-matter.ts';
import { isStoryText } from './item-ids.ts';
import { beginPart, endPart, noteUnread } from './markdown-apart.ts';
import { anchorsAlone } from './markdown-before-id.ts';
import { type Block, blocksOf, fold, type ListItem, textOfBlocks } from './markdown-blocks.ts';
import { isEmptyHtml, isRule, paragraphText, withoutBreak } from './markdown-content.ts';
import { hasMoreCriteria } from './markdown-criteria.ts';
import { noDefinitions, tellUnused } from './markdown-definitions.ts';
import {
  addCriterion,
  addText,
  type Draft,
  finishDraft,
  keepLabel,
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
import { fieldHeading, type ItemStart, itemStart } from './markdown-fields.ts';
import { noFootnotes } from './markdown-footnotes.ts';
import { documentOf, noteLeftOut, placeFrontMatter, subjectOf } from './markdown-front.ts';
import { tellGherkin } from './markdown-gherkin.ts';
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
import { tellLongHeading, tellLongItem } from './markdown-long-ids.ts';
import {
  holdsText,
  isAcceptance,
  type Reading,
  readLines,
  readParagraph,
} from './markdown-paragraphs.ts';
import { openSections, slugOf } from './markdown-sections.ts';
import { tellUnclosed } from './markdown-unclosed.ts';
import { letterAt, tellUnread, type UnreadId, unreadIn } from './markdown-unread-ids.ts';
import type { SourceFile, SourceReader, SourceResult } from './model.ts';
import { tellCoverageTags } from './openfasttrace-coverage-tags.ts';
import { byPath, emptyResult, type FileNotes, inOrder, notesOn, textOf } from './source-result.ts';

/** Reads Markdown files: documents, sections, requirements and stories. */
export const readMarkdown: SourceReader = (files) => {
  const result = emptyResult();
  const read = byPath(files).map((file) => {
    const notes = notesOn(result, file.path);
    return { notes, unread: readFile(file, result, notes) };
  });
  // What begins with the id of an item, wherever that stands, refers to it.
  const known = new Set(result.items.map(({ id }) => id));
  for (const { notes, unread } of read) {
    tellUnread(unread, known, notes);
    notes.finish();
  }
  return { ...result, items: inOrder(result.items) };
};

/** Reads a file; gives the ids that texts in it begin with, where these begin no items. */
function readFile(file: SourceFile, result: SourceResult, notes: FileNotes): UnreadId[] {
  const lines = textOf(file, notes).split(/\r\n|\n|\r/);
  const front = readFrontMatter(lines, notes);
  const { values, lines: used } = front;
  noteLeftOut(front, notes);
  const { document, defaults } = documentOf(file.path, values);
  const { blocks, losses, unclosed } = blocksOf(lines.slice(used), used);
  for (const { line, detail } of losses) notes.lose('unread_block', line, detail);
  tellCoverageTags(lines, used, notes);
  tellGherkin(lines, notes);
  if (unclosed) tellUnclosed(lines, used + unclosed.at, unclosed.type, notes);
  const sections = openSections(document);
  const lists = {
    closed: [],
    unread: [],
    elsewhere: new Set<string>(),
    definitions: noDefinitions(),
    footnotes: noFootnotes(),
  };
  const reading: Reading = { result, notes, defaults, sections, ...lists };
  result.items.push(document.item);
  if (textValue(values.title) !== null) sections.titled = true;
  const subject = subjectOf(values, blocks, document.item);
  if (subject) {
    result.items.push(subject.draft.item);
    sections.open(subject.draft);
  }
  const content = subject ? blocks.filter((block) => block !== subject.heading) : blocks;
  content.forEach((block, at) => {
    if (block.type === 'heading') readHeading(block, reading, content[at - 1]);
    else readBlock(block, sections.top(), reading, content[at + 1]);
  });
  for (const draft of sections.closeAll()) close(draft, reading);
  reading.footnotes.place(reading.closed, notes);
  const held = placeFrontMatter(front, document, reading.closed, defaults, notes);
  for (const draft of reading.closed) {
    const { elsewhere, definitions } = reading;
    for (const link of finishDraft(draft, held, elsewhere, definitions, notes))
      result.links.push(link);
  }
  tellUnused(reading.definitions, notes);
  return reading.unread;
}

function close(draft: Draft, { closed }: Reading): void {
  closed.push(draft);
}

function readHeading(
  block: Block & { type: 'heading' },
  reading: Reading,
  before: Block | undefined,
): void {
  const { sections, result } = reading;
  reading.footnotes.end();
  const { depth, line } = block;
  const text = fold(block.text);
  const found = itemStart(text, true);
  if (!found) tellLongHeading(text, line, reading.notes);
  for (const draft of sections.closeTo(depth)) close(draft, reading);
  const top = sections.top();
  const within = top.mode !== null && top.mode.depth > 0 && top.mode.depth < depth;
  // A numbered heading among criteria is one of them.
  const isCriterion = within && isAcceptance(top.mode) && found?.level !== undefined;
  const start = isCriterion ? null : found;
  if (start) {
    top.mode = null;
    const parts = { id: start.id, kind: 'requirement', title: fold(start.rest) } as const;
    const place = { path: reading.notes.path, line, parentId: top.item.id };
    const draft = newDraft({ ...parts, ...place }, { isItem: true, inList: false, depth });
    const anchors = [...new Set([...anchorsAlone(before?.raw ?? ''), ...start.anchors])];
    describeStart(draft, { ...start, anchors }, text);
    // An underlined heading may have several lines.
    mention(draft, block.raw.includes('\n') ? block : { raw: start.rest, lines: [line] });
    result.items.push(draft.item);
    sections.open(draft);
  } else if (top.isItem) {
    const field = fieldHeading(text);
    endPart(top, depth);
    if (field && top.apart) noteUnread(top, text, line);
    if (field && !top.apart) {
      top.mode = { field, label: text, depth, listed: false, unused: block };
      top.underHeading = false;
    } else if (within && top.mode) readInnerHeading(block, top, top.mode, reading);
    else {
      beginPart(top, text, depth);
      addText(top, block);
    }
  } else {
    for (const one of letterAt(text, line)) reading.unread.push(one);
    const section = sections.section(text, depth, reading.notes.path, line);
    if (section) result.items.push(section.item);
  }
}

/** Reads a heading below that of a field: it is a part of a reason as it stands, and a value else. */
function readInnerHeading(
  block: Block & { type: 'heading' },
  owner: Draft,
  mode: Mode,
  { notes }: Reading,
): void {
  if (mode.field.name === 'rationale') setField(owner, mode, block, notes);
  else setField(owner, mode, { raw: fold(block.text), lines: [block.line] }, notes);
}

/** Says of an item its number, where its id leads to, and the names that others may link to it by. */
function describeStart(draft: Draft, start: ItemStart, text: string): void {
  const { item } = draft;
  const { id, url, label, anchors, level } = start;
  const names = anchors.filter((name) => name !== id && name.toLowerCase() !== slugOf(id));
  if (level !== undefined) item.attributes.level = level;
  if (url !== undefined) item.attributes.url = url;
  if (names.length > 0) item.attributes.anchor = names.length === 1 ? (names[0] ?? '') : names;
  const isLink = text.includes(`[${id}]`);
  if (label !== undefined || isLink) draft.idLabel = label ?? id;
}

function readBlocks(blocks: readonly Block[], owner: Draft, reading: Reading): void {
  for (const [at, block] of blocks.entries()) readBlock(block, owner, reading, blocks[at + 1]);
}

function readBlock(block: Block, owner: Draft, reading: Reading, next: Block | undefined): void {
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
  if (!owner.isItem) {
    readWholeList(list, owner, reading, next);
    return;
  }
  if (owner.apart) {
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
  const mayBeCriteria = owner.isItem && !owner.underHeading;
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
    const shown = [start.rest, ...lines.slice(0, used)];
    const broken = shown.map((text, at) => (at < lines.length ? withoutBreak(text) : text));
    const title = fold(broken.join(' '));
    const parts = { id: start.id, kind: 'requirement', title, parentId: owner.item.id } as const;
    const place = { path: notes.path, line: item.line };
    const draft = newDraft({ ...parts, ...place }, { isItem: true, inList: true, depth: 7 });
    const done = TASK.exec(first.raw)?.[1];
    draft.opening = paragraphText([...shown.slice(0, -1), ...broken.slice(-1)]);
    describeStart(draft, start, first.raw);
    if (done !== undefined) draft.item.attributes.done = done !== ' ';
    mention(draft, { raw: shown.join('\n'), lines: first.lines });
    result.items.push(draft.item);
    if (used < lines.length) {
      readLines(lines.slice(used), first.lines.slice(1 + used), draft, reading, others[0]);
    }
    readBlocks(others, draft, reading);
    close(draft, reading);
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
