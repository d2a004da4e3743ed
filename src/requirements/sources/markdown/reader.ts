// Reads requirements and stories that people write in Markdown, by rules M1 to M15 of the manual.
import { Lines } from '../account.ts';
import { type FrontMatter, readFrontMatter, reportFrontMatter } from '../front-matter.ts';
import { isStoryId, uniqueSlug } from '../item-ids.ts';
import type { SourceFile, SourceLink, SourceReader, SourceResult } from '../model.ts';
import { byPath, emptyResult, type FileReport, inOrder, reportOn, textOf } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { type Block, blocksOf, dedent, entryText, fold } from './blocks.ts';
import { describe, type FileFacts, factsOf } from './document.ts';
import {
  entryStart,
  fieldHeading,
  headingStart,
  type ItemStart,
  linesBeforeFields,
} from './grammar.ts';
import { addText, type Draft, finishDraft, IN_LIST, newDraft, setField } from './item.ts';
import { idsOfRows, isFieldEntry, mayHaveFields, readCells, readLines } from './lines.ts';

const ACCEPTANCE = { field: 'acceptance', name: '', depth: 0 } as const;

/** Reads Markdown files: documents, sections, requirements and stories. */
export const readMarkdown: SourceReader = (files) => {
  const result = emptyResult();
  const readers = byPath(files).map((file) => readFile(file, result));
  const known = new Set(result.items.map(({ id }) => id));
  for (const reader of readers) if (reader) finishFile(reader, known, result);
  return { ...result, items: inOrder(result.items) };
};

function readFile(file: SourceFile, result: SourceResult): FileReader | null {
  const report = reportOn(result, file.path);
  try {
    const reader = new FileReader(file.path, textOf(file, report), report, result);
    reader.read();
    return reader;
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    report.fail(error.line, error.message);
    report.finish();
    return null;
  }
}

function finishFile(reader: FileReader, known: ReadonlySet<string>, result: SourceResult): void {
  const { report, links, unread } = reader;
  const { prefix } = reader.facts;
  for (const link of links) {
    // References in a scope find its items first.
    if (known.has(prefix + link.to)) link.to = prefix + link.to;
    if (link.from !== link.to || link.type !== 'relates') result.links.push(link);
  }
  const first = unread.find(({ id }) => !known.has(id) && !known.has(prefix + id));
  if (first) report.report('unread_id', first.line, `${first.id} begins a text that is no item.`);
  report.finish();
}

class FileReader {
  readonly report: FileReport;
  readonly facts: FileFacts;
  /** Ids that begin a text that is no item. */
  readonly unread: { id: string; line: number }[] = [];
  links: SourceLink[] = [];
  private readonly path: string;
  private readonly lines: Lines;
  private readonly front: FrontMatter;
  private readonly result: SourceResult;
  private readonly document: Draft;
  /** The one item that the file is (M13). */
  private readonly whole: Draft | null;
  private readonly drafts: Draft[] = [];
  /** The document and the headings that are open. */
  private readonly open: Draft[] = [];
  private readonly slugs = new Map<string, number>();
  /** M5: the items that entries of lists begin. */
  private readonly starts = new Map<Block, ItemStart>();
  /** The lists and entries with such entries in them. */
  private readonly holders = new Set<Block>();
  private hasHeading = false;

  constructor(path: string, text: string, report: FileReport, result: SourceResult) {
    this.path = path;
    this.report = report;
    this.result = result;
    this.lines = new Lines(text);
    this.front = readFrontMatter(this.lines);
    this.facts = factsOf(path, this.front);
    const { id, kind, title } = this.facts;
    this.document = this.openDraft(
      {
        id: (kind === null ? id : null) ?? path,
        kind: 'document',
        title: title ?? path.slice(path.lastIndexOf('/') + 1),
        line: 1,
      },
      {},
    );
    this.whole =
      id === null || kind === null ? null : this.openItem(id, title ?? '', 1, { depth: 0, kind });
  }

  read(): void {
    describe(this.front, this.whole ?? this.document);
    const { blocks, elsewhere } = blocksOf(
      this.lines.all.slice(this.front.lines).join('\n'),
      this.front.lines,
    );
    for (const [at, block] of blocks.entries()) {
      if (block.type === 'list') this.findItems(block);
      if (block.type === 'heading') this.readHeading(block);
      else this.readBlock(block, this.top, blocks[at + 1]);
    }
    this.links = this.drafts.flatMap((draft) => finishDraft(draft, this.facts.defaults, elsewhere));
    reportFrontMatter(this.front, this.report);
    // Definitions of links, comments and anchors.
    this.report.reportLosses(this.lines.left(), ({ text }) => /^(?:\[[^\]]+\]:|<)/.test(text));
  }

  private get top(): Draft {
    return this.open.at(-1) ?? this.document;
  }

  private openDraft(
    item: Pick<Draft['item'], 'id' | 'kind' | 'title' | 'line'>,
    parts: Partial<Draft>,
  ): Draft {
    const parentId = this.open.at(-1)?.item.id ?? null;
    const draft = newDraft({ ...item, path: this.path, parentId }, parts);
    this.result.items.push(draft.item);
    this.drafts.push(draft);
    this.open.push(draft);
    return draft;
  }

  private openItem(id: string, title: string, line: number, parts: Partial<Draft>): Draft {
    const item = { id: this.facts.prefix + id, kind: 'requirement' as const, title, line };
    return this.openDraft(item, { isItem: true, isStory: isStoryId(id), ...parts });
  }

  private openStart(start: ItemStart, line: number, depth: number): Draft {
    const { id, title, isStory, priority, attributes } = start;
    const draft = this.openItem(id, fold(title), line, { depth, isStory });
    draft.item.priority = priority;
    draft.item.attributes = attributes;
    if (start.text !== null) addText(draft, fold(start.text), line);
    return draft;
  }

  private readHeading(block: Block): void {
    const { depth, from } = block;
    const raw = dedent(this.lines.take(from, block.to));
    const text = fold(block.text);
    while (this.open.length > 1 && this.top.depth >= depth) this.open.pop();
    const owner = this.top;
    if (owner.label && owner.label.depth >= depth) owner.label = null;
    if (owner.textBelow >= depth) owner.textBelow = 0;
    const isFirst = !this.hasHeading;
    this.hasHeading = true;
    const { label } = owner;
    const start = label?.field === 'acceptance' ? null : headingStart(text);
    const whole = this.whole?.item;
    const isOwn = start === null || this.facts.prefix + start.id === whole?.id;
    if (whole && isFirst && depth === 1 && isOwn) {
      whole.title = start?.title ?? text;
      whole.attributes = { ...whole.attributes, ...start?.attributes };
      whole.line = from;
    } else if (start && this.facts.givesItems) {
      owner.label = null;
      this.openStart(start, from, depth);
    } else {
      if (start) this.unread.push({ id: start.id, line: from });
      if (!owner.isItem) this.readSection(text, block, isFirst);
      else if (label) {
        if (!setField(owner, label, text, from)) addText(owner, raw, from);
      } else {
        const field = owner.textBelow > 0 ? null : fieldHeading(text);
        if (field) owner.label = { field, name: text, depth };
        else {
          owner.textBelow ||= depth;
          addText(owner, raw, from);
        }
      }
    }
  }

  /** M12: the title of the document, or a section. */
  private readSection(title: string, { depth, from }: Block, isFirst: boolean): void {
    const given = this.facts.title;
    if (isFirst && depth === 1 && title !== '' && (given === null || given === title)) {
      this.document.item.title = title;
      return;
    }
    const id = `${this.path}#${uniqueSlug(title, this.slugs)}`;
    this.openDraft({ id, kind: 'section', title, line: from }, { depth });
  }

  private readBlock(block: Block, owner: Draft, next: Block | undefined): void {
    if (isUnseen(block)) return;
    if (block.type === 'paragraph') {
      this.lines.mark(block.from, block.to);
      if (!owner.isItem) this.noteUnread(block);
      readLines(block.text.split('\n'), block.from, owner, next);
    } else if (block.type === 'list') this.readList(block, owner);
    else if (block.type === 'table') this.readTable(block, owner);
    else if (block.type === 'rule') this.lines.mark(block.from, block.to);
    else this.addOther(block, owner);
  }

  /** M1: code, HTML and quotes are text, and what else no rule takes. */
  private addOther(block: Block, owner: Draft): void {
    const raw = this.lines.take(block.from, block.to).trimEnd();
    const text = block.type === 'indented' ? raw : dedent(raw);
    if (owner.label && setField(owner, owner.label, text, block.from)) return;
    if (block.type === 'code' || block.type === 'indented') owner.statement.push(text);
    else addText(owner, text, block.from);
  }

  private noteUnread({ text, from }: Block): void {
    const start = text.startsWith('[') ? null : entryStart(text.split('\n', 1)[0] ?? '', false);
    if (start) this.unread.push({ id: start.id, line: from });
  }

  /** M5: finds the entries of a list that begin items; in a file that gives none they are unread. */
  private findItems(list: Block): boolean {
    for (const entry of list.blocks) {
      const start = startOf(entry);
      if (start && this.facts.givesItems) this.starts.set(entry, start);
      else if (start) this.unread.push({ id: start.id, line: entry.from });
      for (const block of entry.blocks)
        if (block.type === 'list' && this.findItems(block)) this.holders.add(entry);
      if (this.starts.has(entry) || this.holders.has(entry)) this.holders.add(list);
    }
    return this.holders.has(list);
  }

  private readList(block: Block, owner: Draft): void {
    const hasFields = mayHaveFields(owner);
    const isRead = this.holders.has(block) || (hasFields && block.blocks.some(isFieldEntry));
    // M8: a list in which every item has a task box is criteria.
    const isTasks = !isRead && hasFields && block.blocks.every(isTask);
    const label = isTasks ? ACCEPTANCE : owner.label;
    if (label !== null && label.field !== 'rationale') {
      for (const entry of block.blocks) {
        const raw = this.lines.take(entry.from, entry.to);
        if (!setField(owner, label, entryText(raw), entry.from))
          addText(owner, dedent(raw), entry.from);
      }
    } else if (label === null && isRead)
      for (const entry of block.blocks) this.readEntry(entry, owner);
    else this.addOther(block, owner);
    if (owner.label?.depth === 0) owner.label = null;
  }

  private readEntry(entry: Block, owner: Draft): void {
    const [first, ...others] = entry.blocks;
    const start = this.starts.get(entry);
    if (start && first) {
      const { length } = this.open;
      this.lines.mark(first.from, first.to);
      const draft = this.openStart(start, entry.from, IN_LIST);
      const lines = first.text.split('\n');
      const used = linesBeforeFields(lines).length;
      if (used < lines.length) readLines(lines.slice(used), first.from + used, draft, others[0]);
      this.readBlocks(others, draft);
      this.open.length = length;
    } else if (this.holders.has(entry) || (mayHaveFields(owner) && isFieldEntry(entry))) {
      this.readBlocks(entry.blocks, owner);
      owner.label = null;
    } else addText(owner, dedent(this.lines.take(entry.from, entry.to)), entry.from);
  }

  private readBlocks(blocks: readonly Block[], owner: Draft): void {
    for (const [at, block] of blocks.entries()) this.readBlock(block, owner, blocks[at + 1]);
  }

  /** M6. */
  private readTable(block: Block, owner: Draft): void {
    const [head, ...rows] = block.rows;
    const ids = this.facts.givesItems && owner.label === null ? idsOfRows(block) : null;
    if (!head || !ids) {
      this.addOther(block, owner);
      return;
    }
    this.lines.mark(block.from, block.to);
    for (const [at, row] of rows.entries()) {
      const raw = this.lines.take(row.line);
      const id = ids[at] ?? null;
      if (id === null) addText(owner, raw.trim(), row.line);
      else {
        readCells(head, row, this.openItem(id, '', row.line, { depth: IN_LIST }), raw);
        this.open.pop();
      }
    }
  }
}

function startOf({ blocks: [first, ...others] }: Block): ItemStart | null {
  if (first?.type !== 'paragraph') return null;
  return entryStart(first.text, others.length > 0);
}

function isUnseen({ type, text }: Block): boolean {
  if (type !== 'html' && type !== 'paragraph') return false;
  return /^<!--[\s\S]*-->\s*$/.test(text) || /^(?:<\/?a\b[^<>]*>\s*)+$/i.test(text);
}

function isTask({ blocks: [first] }: Block): boolean {
  return /^\[[ xX]\]\s/.test(first?.text ?? '');
}
