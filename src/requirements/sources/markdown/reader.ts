// Reads requirements and stories that people write in Markdown, by rules M1 to M15 of the manual.
import { Lines } from '../account.ts';
import { type FrontMatter, readFrontMatter, reportFrontMatter } from '../front-matter.ts';
import { isStoryId } from '../item-ids.ts';
import type { SourceFile, SourceReader, SourceResult } from '../model.ts';
import { byPath, emptyResult, type FileReport, inOrder, reportOn, textOf } from '../report.ts';
import { uniqueSlug } from '../slugs.ts';
import { SourceFault } from '../tree/fault.ts';
import { type Block, blocksOf, dedent, entryText } from './blocks.ts';
import {
  describe,
  documentOf,
  type FrontValues,
  frontValues,
  type Place,
  placeOf,
} from './document.ts';
import { entryStart, fieldHeading, headingStart, type ItemStart, idOfCell } from './grammar.ts';
import {
  addCriterion,
  addText,
  type Draft,
  finishDraft,
  type Label,
  mention,
  newDraft,
  setField,
} from './item.ts';
import { isFieldEntry, linesBeforeFields, mayHaveFields, readLines } from './lines.ts';
import { isItemTable, readCells } from './table.ts';

/** An id that begins a text that is no item. */
interface UnreadId {
  id: string;
  line: number;
}

interface ReadFile {
  report: FileReport;
  prefix: string;
  unread: UnreadId[];
  /** Its links are those of the result from here on. */
  linksFrom: number;
}

/** Reads Markdown files: documents, sections, requirements and stories. */
export const readMarkdown: SourceReader = (files) => {
  const result = emptyResult();
  const read = byPath(files).map((file) => readFile(file, result));
  const known = new Set(result.items.map(({ id }) => id));
  read.forEach(({ report, prefix, unread, linksFrom }, at) => {
    // References in a scope find its items first.
    for (const link of result.links.slice(linksFrom, read[at + 1]?.linksFrom))
      if (prefix !== '' && known.has(prefix + link.to)) link.to = prefix + link.to;
    const unknown = unread.filter(({ id }) => !known.has(id) && !known.has(prefix + id));
    const [first] = unknown;
    if (first) {
      const more = unknown.length > 1 ? ` (and ${unknown.length - 1} more)` : '';
      const detail = `${first.id}${more} begins a text that is no item.`;
      report.report('unread_id', first.line, detail);
    }
    report.finish();
  });
  const links = result.links.filter(({ from, to, type }) => from !== to || type !== 'relates');
  return { ...result, links, items: inOrder(result.items) };
};

function readFile(file: SourceFile, result: SourceResult): ReadFile {
  const report = reportOn(result, file.path);
  const read = { report, prefix: '', unread: [], linksFrom: result.links.length };
  const lines = new Lines(textOf(file, report));
  try {
    const front = readFrontMatter(lines);
    const place = placeOf(file.path, front);
    const reader = new FileReader(file.path, lines, front, place, result);
    reader.read(report);
    return { ...read, prefix: place.prefix, unread: reader.unread };
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    report.fail(error.line, error.message);
    return read;
  }
}

class FileReader {
  readonly unread: UnreadId[] = [];
  private readonly path: string;
  private readonly lines: Lines;
  private readonly front: FrontMatter;
  private readonly place: Place;
  private readonly result: SourceResult;
  private readonly values: FrontValues;
  private readonly document: Draft;
  /** The headings that are open, the document first. */
  private readonly open: Draft[];
  private readonly finished: Draft[] = [];
  private readonly slugs = new Map<string, number>();
  private readonly starts = new WeakMap<Block, ItemStart | null>();
  private readonly withItems = new WeakMap<Block, boolean>();
  private elsewhere: ReadonlySet<string> = new Set();
  /** The first lines of what shows nothing. */
  private readonly unseen = new Set<number>();
  private hasHeading = false;

  constructor(path: string, lines: Lines, front: FrontMatter, place: Place, result: SourceResult) {
    this.path = path;
    this.lines = lines;
    this.front = front;
    this.place = place;
    this.result = result;
    this.values = frontValues(front);
    this.document = documentOf(path, this.values);
    this.open = [this.document];
    result.items.push(this.document.item);
  }

  read(report: FileReport): void {
    const used = this.front.lines;
    const { blocks, elsewhere } = blocksOf(this.lines.all.slice(used).join('\n'), used);
    this.elsewhere = elsewhere;
    this.openWholeFile(blocks);
    this.readBlocks(blocks);
    this.closeTo(-1);
    this.placeFrontMatter();
    for (const draft of this.finished)
      this.result.links.push(...finishDraft(draft, this.values.defaults, this.elsewhere));
    reportFrontMatter(this.front, report);
    report.reportLosses(
      this.lines.left(),
      ({ line, text }) => this.unseen.has(line) || /^\[[^\]]+\]:/.test(text),
    );
  }

  /** M13: the file is one item, unless a heading begins that. */
  private openWholeFile(blocks: readonly Block[]): void {
    const { id, kind, title } = this.values;
    if (id === null || kind === null || !this.place.givesItems) return;
    const begins = (block: Block) =>
      block.type === 'heading' && headingStart(fold(block.text))?.id === id;
    if (blocks.some(begins)) return;
    const [first] = blocks;
    const isTitle = first?.type === 'heading' && (title ?? fold(first.text)) === fold(first.text);
    if (isTitle) this.lines.take(first.from, first.to);
    const draft = this.openItem(
      id,
      title ?? (isTitle ? fold(first.text) : ''),
      isTitle ? first.from : 1,
    );
    draft.kind = kind;
    this.hasHeading = true;
    if (isTitle) first.type = 'rule';
  }

  /** Front matter is said of the item that has its id, else of the document. */
  private placeFrontMatter(): void {
    const { id, kind } = this.values;
    const own = this.finished.find(
      ({ isItem, item }) => isItem && item.id === this.place.prefix + id,
    );
    if (own) {
      own.kind ??= kind;
      for (const { item } of this.finished)
        if (item.parentId === this.document.item.id) item.parentId = this.path;
      this.document.item.id = this.path;
    }
    describe(this.front, own ?? this.document);
  }

  private get top(): Draft {
    return this.open.at(-1) ?? this.document;
  }

  /** Ends all that a heading of a depth ends. */
  private closeTo(depth: number): void {
    while (this.open.length > (depth < 0 ? 0 : 1) && this.top.depth >= depth)
      this.finished.push(this.open.pop() ?? this.document);
  }

  private openItem(id: string, title: string, line: number, parts: Partial<Draft> = {}): Draft {
    const draft = newDraft(
      {
        id: this.place.prefix + id,
        kind: 'requirement',
        title,
        path: this.path,
        line,
        parentId: this.top.item.id,
      },
      { isItem: true, inList: false, isStory: isStoryId(id), depth: 0, ...parts },
    );
    this.result.items.push(draft.item);
    this.open.push(draft);
    return draft;
  }

  private raw(block: Block): string {
    const text = this.lines.take(block.from, block.to);
    return block.type === 'indented'
      ? block.text.replace(/^(?=.)/gm, '    ').trimEnd()
      : dedent(text);
  }

  private readBlocks(blocks: readonly Block[], owner?: Draft): void {
    for (const [at, block] of blocks.entries())
      this.readBlock(block, owner ?? this.top, blocks[at + 1]);
  }

  private readBlock(block: Block, owner: Draft, next: Block | undefined): void {
    if (isUnseen(block)) {
      this.unseen.add(block.from);
      return;
    }
    if (block.type === 'heading') this.readHeading(block);
    else if (block.type === 'paragraph') {
      this.lines.take(block.from, block.to);
      if (!owner.isItem) this.noteUnread(block);
      readLines(block.text.split('\n'), block.from, owner, next);
    } else if (block.type === 'list') this.readList(block, owner);
    else if (block.type === 'table') this.readTable(block, owner);
    else if (block.type === 'rule') this.lines.take(block.from, block.to);
    else this.addOther(block, owner);
  }

  /** M1: code, HTML and quotes are text. */
  private addOther(block: Block, owner: Draft): void {
    const text = this.raw(block);
    const name = owner.label?.field.name;
    const isText = name === 'acceptance' || name === 'rationale';
    if (owner.label && isText) setField(owner, owner.label, text, block.from);
    else if (block.type === 'code' || block.type === 'indented') owner.statement.push(text);
    else addText(owner, text, block.from);
  }

  private readHeading(block: Block): void {
    const raw = dedent(this.lines.take(block.from, block.to));
    const { depth, from } = block;
    const text = fold(block.text);
    this.closeTo(depth);
    const owner = this.top;
    if (owner.label && owner.label.depth >= depth) owner.label = null;
    if (owner.textBelow >= depth) owner.textBelow = 0;
    const { label } = owner;
    const isFirst = !this.hasHeading;
    this.hasHeading = true;
    const start = label?.field.name === 'acceptance' ? null : headingStart(text);
    if (start && this.place.givesItems) {
      owner.label = null;
      this.openStart(start, from, { depth });
      return;
    }
    if (start && start.numbered === null) this.unread.push({ id: start.id, line: from });
    if (!owner.isItem) this.readSection(text, block, isFirst);
    else if (label) {
      const value = label.field.name === 'rationale' ? raw : text;
      if (!setField(owner, label, value, from)) addText(owner, raw, from);
    } else {
      const field = owner.textBelow > 0 ? null : fieldHeading(text);
      if (field) owner.label = { field, name: text, depth };
      else {
        owner.textBelow ||= depth;
        addText(owner, raw, from);
      }
    }
  }

  /** M12: the title of the document, or a section. */
  private readSection(title: string, { depth, from }: Block, isFirst: boolean): void {
    const { item } = this.document;
    const given = this.values.title;
    if (isFirst && depth === 1 && title !== '' && (given === null || given === title)) {
      item.title = title;
      return;
    }
    const id = `${this.path}#${uniqueSlug(title, this.slugs)}`;
    const draft = newDraft(
      { id, kind: 'section', title, path: this.path, line: from, parentId: this.top.item.id },
      { isItem: false, inList: false, isStory: false, depth },
    );
    this.result.items.push(draft.item);
    this.open.push(draft);
  }

  private openStart(start: ItemStart, line: number, parts: Partial<Draft>): Draft {
    const { id, title, numbered, priority, attributes } = start;
    const isStory = isStoryId(id) || /story/i.test(numbered ?? '');
    const draft = this.openItem(id, fold(title), line, { ...parts, isStory });
    draft.item.priority = priority;
    draft.item.attributes = attributes;
    mention(draft, title, line);
    if (start.text !== null) addText(draft, fold(start.text), line);
    return draft;
  }

  private noteUnread({ text, from }: Block): void {
    const start = text.startsWith('[') ? null : entryStart(text.split('\n', 1)[0] ?? '', false);
    if (start) this.unread.push({ id: start.id, line: from });
  }

  private readList(block: Block, owner: Draft): void {
    const { label } = owner;
    if (label) {
      this.readValues(block, owner, label);
      if (label.depth === 0) owner.label = null;
      return;
    }
    const isPart = (entry: Block) =>
      this.startOf(entry) !== null || (mayHaveFields(owner) && isFieldEntry(entry));
    if (this.holdsItems(block) || block.blocks.some(isPart)) {
      for (const entry of block.blocks) this.readEntry(entry, owner);
      return;
    }
    const text = this.raw(block);
    const isTask = (entry: Block) => /^\[[ xX]\]\s/.test(entry.blocks[0]?.text ?? '');
    if (mayHaveFields(owner) && block.blocks.every(isTask)) {
      for (const entry of block.blocks)
        addCriterion(owner, entryText(this.lines.take(entry.from, entry.to)), entry.from);
    } else addText(owner, text, block.from);
  }

  /** The values of a label, one an entry. */
  private readValues(block: Block, owner: Draft, label: Label): void {
    if (label.field.name === 'rationale') {
      setField(owner, label, this.raw(block), block.from);
      return;
    }
    for (const entry of block.blocks) {
      const raw = this.lines.take(entry.from, entry.to);
      if (!setField(owner, label, entryText(raw), entry.from))
        addText(owner, dedent(raw), entry.from);
    }
  }

  private readEntry(entry: Block, owner: Draft): void {
    const [first, ...others] = entry.blocks;
    const start = this.startOf(entry);
    if (start && first) {
      this.lines.take(first.from, first.to);
      const draft = this.openStart(start, entry.from, { inList: true, depth: 7 });
      const lines = first.text.split('\n');
      const used = linesBeforeFields(lines).length;
      if (used < lines.length) readLines(lines.slice(used), first.from + used, draft, others[0]);
      this.readBlocks(others, draft);
      this.closeTo(7);
    } else if (mayHaveFields(owner) && isFieldEntry(entry)) {
      this.readBlocks(entry.blocks, owner);
      owner.label = null;
    } else {
      const lists = entry.blocks.filter((one) => one.type === 'list' && this.holdsItems(one));
      const text: string[] = [];
      let line = entry.from;
      for (const list of lists) {
        if (list.from > line) text.push(this.lines.take(line, list.from - 1));
        line = list.to + 1;
      }
      if (line <= entry.to) text.push(this.lines.take(line, entry.to));
      addText(owner, dedent(text.map((one) => one.trimEnd()).join('\n')), entry.from);
      for (const list of lists) this.readList(list, owner);
    }
  }

  /** M5: the item that an entry begins. */
  private startOf(entry: Block): ItemStart | null {
    const known = this.starts.get(entry);
    if (known !== undefined) return known;
    const [first, ...others] = entry.blocks;
    const lines = first?.type === 'paragraph' ? first.text.split('\n') : [];
    const own = linesBeforeFields(lines);
    const hasMore = own.length < lines.length || others.length > 0;
    let start = own.length > 0 ? entryStart(own.join('\n'), hasMore) : null;
    if (start && !this.place.givesItems) {
      this.unread.push({ id: start.id, line: entry.from });
      start = null;
    }
    this.starts.set(entry, start);
    return start;
  }

  private holdsItems(list: Block): boolean {
    let holds = this.withItems.get(list);
    if (holds === undefined) {
      holds = list.blocks.some(
        (entry) =>
          this.startOf(entry) !== null ||
          entry.blocks.some((one) => one.type === 'list' && this.holdsItems(one)),
      );
      this.withItems.set(list, holds);
    }
    return holds;
  }

  /** M6. */
  private readTable(block: Block, owner: Draft): void {
    const text = this.raw(block);
    const isOfItems = this.place.givesItems && owner.label === null && isItemTable(block);
    if (!isOfItems) {
      if (!owner.label || !setField(owner, owner.label, text, block.from))
        addText(owner, text, block.from);
      return;
    }
    for (const row of block.rows.slice(1)) {
      const id = idOfCell(row.cells[0] ?? '');
      if (id === null) addText(owner, this.lines.take(row.line).trim(), row.line);
      else {
        const draft = this.openItem(id, '', row.line, { inList: true, depth: 7 });
        readCells(block, row, draft, this.lines.take(row.line));
        this.closeTo(7);
      }
    }
  }
}

/** Comments and anchors show nothing. */
function isUnseen({ type, text }: Block): boolean {
  if (type !== 'html' && type !== 'paragraph') return false;
  return (
    text.startsWith('<') &&
    /^(?:\s|<!--[\s\S]*?-->|<\/?[a-z][^<>]*>)*$/i.test(text) &&
    !/<img/i.test(text)
  );
}

function fold(text: string): string {
  if (!/\s\s|[^\S ]/.test(text)) return text.trim();
  return text.replace(/\s+/g, ' ').trim();
}
