// Reads specification items of OpenFastTrace in Markdown, by line as OpenFastTrace itself does. An
// item's id is the whole triple `type~name~revision`, since a link names the revision that it covers.
import { Lines, type Loss, take } from '../account.ts';
import { attributeOf, readFrontMatter, textOfPart } from '../front-matter.ts';
import { uniqueSlug } from '../item-ids.ts';
import type { SourceItem, SourceReader, SourceResult } from '../model.ts';
import {
  bareItem,
  byPath,
  documentItem,
  emptyResult,
  type FileReport,
  inOrder,
  readOrFail,
  reportOn,
  textOf,
} from '../report.ts';
import { addLine, ItemReader, linkType, textOfLines } from './item.ts';
import {
  type Forward,
  forwardOn,
  headingOn,
  type ItemId,
  idAtStart,
  idText,
  lineUses,
} from './patterns.ts';

/** Reads Markdown files of OpenFastTrace: documents, sections and specification items. */
export const readOpenFastTrace: SourceReader = (files) => {
  const result = emptyResult();
  const reports = byPath(files).map((file) => {
    const report = reportOn(result, file.path);
    const text = textOf(file, report);
    readOrFail(report, () => new FileReader(text, result, report).read());
    return report;
  });
  const types = new Set<unknown>(result.items.map(({ attributes }) => attributes.type));
  const items = Map.groupBy(result.items, ({ path }) => path);
  for (const report of reports) {
    const needs = items.get(report.path)?.flatMap(({ attributes }) => attributes.needs ?? []);
    const missing = [...new Set(needs)].filter((need) => !types.has(need));
    if (missing.length > 0) {
      const detail = `Items need what no source holds an item of: ${missing.slice(0, 20).join(', ')}.`;
      report.report('uncovered_need', 1, detail);
    }
    report.finish();
  }
  return { ...result, items: inOrder(result.items) };
};

const MAX_DEPTH = 7;

class FileReader {
  private readonly result: SourceResult;
  private readonly report: FileReport;
  private readonly lines: Lines;
  private readonly document: SourceItem;
  /** Whether the document has its title: else the first heading of the first level is it. */
  private isTitled = false;
  /** The sections that are open, from the outermost. */
  private readonly sections: { item: SourceItem; depth: number }[] = [];
  private readonly slugs = new Map<string, number>();
  /** A heading of which it is not yet known whether it is an item's title. */
  private heading: { title: string; depth: number; line: number } | undefined;
  private item: ItemReader | undefined;
  /** The last line that is a heading or begins an item: a rule below it is none. */
  private markedLine = 0;
  /** The lines of the texts of documents and sections. */
  private readonly texts = new Map<SourceItem, string[]>();
  private readonly losses: Loss[] = [];
  private readonly trivial = new Set<Loss>();

  constructor(text: string, result: SourceResult, report: FileReport) {
    this.result = result;
    this.report = report;
    this.lines = new Lines(text);
    this.document = documentItem(report.path);
  }

  read(): void {
    const { lines, document } = this;
    this.result.items.push(document);
    // Front matter says the title of the document; the rest are its attributes.
    const front = readFrontMatter(lines);
    const title = textOfPart(take(front.top, 'title'));
    this.isTitled = title !== null;
    document.title = title ?? document.title;
    for (const part of front.top.parts)
      if (!part.kept) document.attributes[part.name] = attributeOf(part);
    const useOf = lineUses();
    for (const [at, line] of lines.all.entries()) {
      const number = at + 1;
      if (number <= front.lines) continue;
      const use = useOf(line);
      if (use === 'off') this.leaveOut(line, number);
      else if (use === 'text' ? this.readText(line, number, true) : this.readLine(line, number))
        lines.take(number);
    }
    this.endItem();
    this.endHeading();
    for (const [item, text] of this.texts) item.statement = textOfLines(text);
    const losses = [...this.losses, ...lines.left()].sort((a, b) => a.line - b.line);
    this.report.reportLosses(losses, (loss) => this.trivial.has(loss));
  }

  /** What stands between `oft:off` and `oft:on`, these lines included, is left out on purpose. */
  private leaveOut(line: string, number: number): void {
    this.lines.take(number);
    const last = this.losses.at(-1);
    if (last?.what === 'oft:off' && last.line + last.times === number) {
      last.times++;
      last.text = `${last.text} ${line.trim()}`.slice(0, 200);
    } else this.lose('oft:off', number, line, true);
  }

  /** Reads a line; false where nothing of it is kept. */
  private readLine(line: string, number: number): boolean {
    const forward = forwardOn(line);
    if (forward) return this.startForward(forward, number);
    const found = idAtStart(line);
    if (found) {
      this.markedLine = number;
      this.startItem(found.id, number);
      if (found.rest !== '') this.lose(`beside ${idText(found.id)}`, number, found.rest, true);
      return true;
    }
    const heading = headingOn(line, this.lines.all[number]);
    if (heading) {
      this.endItem();
      this.endHeading();
      this.markedLine = number;
      this.heading = { ...heading, line: number };
      return true;
    }
    if (this.markedLine === number - 1 && /^(?:=+|-{2,})\s*$/.test(line)) return true;
    return this.readText(line, number);
  }

  private startItem(id: ItemId, line: number): void {
    this.endItem();
    const { heading } = this;
    this.heading = undefined;
    this.isTitled = true;
    const item = bareItem({
      id: idText(id),
      kind: 'requirement',
      title: heading?.title ?? '',
      path: this.report.path,
      line: heading?.line ?? line,
      parentId: this.parentAt(heading?.depth ?? MAX_DEPTH),
    });
    item.attributes = attributesOf(id);
    this.item = new ItemReader(item, this.result.links, this.lose.bind(this));
    this.result.items.push(item);
  }

  /** An item that a level passes on undecided: it covers the original, and needs what comes next. */
  private startForward({ type, needs, original }: Forward, line: number): true {
    this.endItem();
    this.endHeading();
    const { result } = this;
    const { path } = this.report;
    const id = idText({ ...original, type });
    const to = idText(original);
    const title = `${to} passed on`;
    const parentId = this.parentAt(MAX_DEPTH);
    const item = bareItem({ id, kind: 'requirement', title, path, line, parentId });
    item.statement = `${type} passes ${to} on to ${needs.join(', ')}.`;
    item.status = 'approved';
    item.attributes = { ...attributesOf({ ...original, type }), needs, forwards: true };
    result.items.push(item);
    result.links.push({ from: id, to, type: linkType(type), path, line, item });
    return true;
  }

  /** A line that is no field: of the item, or of the section's text. */
  private readText(line: string, number: number, isCode = false): boolean {
    if (this.item) return this.item.read(line, number, isCode);
    if (line.trim() !== '') this.endHeading();
    else if (this.heading) return true;
    const owner = this.sections.at(-1)?.item ?? this.document;
    const text = this.texts.get(owner) ?? [];
    this.texts.set(owner, text);
    addLine(text, line);
    return true;
  }

  private endItem(): void {
    this.item?.finish();
    this.item = undefined;
  }

  /** A heading without an item below it is a section, or the title of the document. */
  private endHeading(): void {
    const { heading, document } = this;
    const { path } = this.report;
    this.heading = undefined;
    if (!heading) return;
    const isTitle = heading.depth === 1 && heading.title !== '' && !this.isTitled;
    this.isTitled = true;
    if (isTitle) {
      document.title = heading.title;
      return;
    }
    const { title, depth, line } = heading;
    const parentId = this.parentAt(depth);
    const id = `${path}#${uniqueSlug(title, this.slugs)}`;
    const item = bareItem({ id, kind: 'section', title, path, line, parentId });
    this.sections.push({ item, depth });
    this.result.items.push(item);
  }

  private parentAt(depth: number): string {
    while ((this.sections.at(-1)?.depth ?? -1) >= depth) this.sections.pop();
    return this.sections.at(-1)?.item.id ?? this.document.id;
  }

  private lose(what: string, line: number, text: string, isTrivial = false): void {
    const loss = { what: what.slice(0, 200), line, text: text.trim().slice(0, 200), times: 1 };
    this.losses.push(loss);
    if (isTrivial) this.trivial.add(loss);
  }
}

/** What an id says; its revision as digits where a number cannot hold them. */
function attributesOf({ type, name, revision }: ItemId): SourceItem['attributes'] {
  const number = Number(revision);
  return { type, name, revision: Number.isSafeInteger(number) ? number : revision };
}
