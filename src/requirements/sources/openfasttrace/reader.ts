// Reads specification items of OpenFastTrace in Markdown, by line as OpenFastTrace itself does. An
// item's id is the whole triple `type~name~revision`, since a link names the revision that it covers.
import { Lines, type Loss, take } from '../account.ts';
import { attributeOf, readFrontMatter, textOfPart } from '../front-matter.ts';
import type { SourceFile, SourceItem, SourceReader, SourceResult } from '../model.ts';
import {
  bareItem,
  byPath,
  emptyResult,
  type FileReport,
  inOrder,
  reportOn,
  textOf,
} from '../report.ts';
import { uniqueSlug } from '../slugs.ts';
import { SourceFault } from '../tree/fault.ts';
import { ItemReader, linkType } from './item.ts';
import {
  besideRegionMark,
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
  const readings = byPath(files).map((file) => {
    const report = reportOn(result, file.path);
    const reading = new FileReader(file, result, report);
    try {
      reading.read();
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      report.fail(error.line, error.message);
    }
    return { reading, report };
  });
  const types = new Set(result.items.map(({ attributes }) => attributes.type));
  for (const { reading, report } of readings) {
    const missing = [...reading.needs].filter((need) => !types.has(need));
    if (missing.length > 0) {
      const detail = `Items need what no source holds an item of: ${missing.slice(0, 20).join(', ')}.`;
      report.report('uncovered_need', 1, detail);
    }
    report.finish();
  }
  return { ...result, items: inOrder(result.items) };
};

/** Deeper than any heading. */
const MAX_DEPTH = 7;

interface Section {
  item: SourceItem;
  depth: number;
}

interface Heading {
  title: string;
  depth: number;
  line: number;
}

class FileReader {
  /** The kinds of artifacts that items of the file need. */
  readonly needs = new Set<string>();
  private readonly path: string;
  private readonly result: SourceResult;
  private readonly report: FileReport;
  private readonly lines: Lines;
  private readonly document: SourceItem;
  /** Whether the document has its title: else the first heading of the first level is it. */
  private isTitled = false;
  /** The sections that are open, from the outermost. */
  private readonly sections: Section[] = [];
  private readonly slugs = new Map<string, number>();
  /** A heading of which it is not yet known whether it is an item's title. */
  private heading: Heading | undefined;
  private item: { reader: ItemReader; item: SourceItem } | undefined;
  /** The last line that is a heading or begins an item: a rule below it is none. */
  private markedLine = 0;
  /** Blank lines after the text of a document or a section. */
  private blanks = 0;
  private readonly losses: Loss[] = [];
  private readonly trivial = new Set<Loss>();

  constructor(file: SourceFile, result: SourceResult, report: FileReport) {
    this.path = file.path;
    this.result = result;
    this.report = report;
    this.lines = new Lines(textOf(file, report));
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    this.document = bareItem({
      id: file.path,
      kind: 'document',
      title: name,
      path: file.path,
      line: 1,
      parentId: null,
    });
  }

  read(): void {
    const { lines, document } = this;
    this.result.items.push(document);
    const front = this.readFrontMatter();
    const useOf = lineUses();
    const region = { from: 0, lines: new Set<number>() };
    for (const [at, line] of lines.all.entries()) {
      const number = at + 1;
      if (number <= front) continue;
      const use = useOf(line);
      if (use === 'counts' || use === 'text') {
        if (this.readLine(line, number, use === 'text')) lines.take(number);
        continue;
      }
      if (use === 'off') continue;
      if (besideRegionMark(line) === '') lines.take(number);
      if (use === 'turns off') region.from ||= number;
      else if (region.from > 0) {
        for (let left = region.from; left <= number; left++) region.lines.add(left);
        region.from = 0;
      }
    }
    this.endItem();
    this.endHeading();
    // What stands between `oft:off` and `oft:on` is left out on purpose.
    this.report.reportLosses(
      [...this.losses, ...lines.left()].sort((a, b) => a.line - b.line),
      (loss) => this.trivial.has(loss) || region.lines.has(loss.line),
    );
  }

  /** Front matter says the title of the document; the rest are its attributes. */
  private readFrontMatter(): number {
    const { top, lines } = readFrontMatter(this.lines);
    const title = textOfPart(take(top, 'title'));
    if (title !== null) {
      this.document.title = title;
      this.isTitled = true;
    }
    for (const part of top.parts)
      if (!part.kept) this.document.attributes[part.name] = attributeOf(part);
    return lines;
  }

  /** Reads a line; false where nothing of it is kept. */
  private readLine(line: string, number: number, isCode: boolean): boolean {
    if (isCode) return this.readText(line, number, true);
    const forward = forwardOn(line);
    if (forward && this.endsItem(line, forward)) {
      this.endItem();
      this.markedLine = number;
      this.startForward(forward, number);
      return forward.rest === '' || this.readText(line, number);
    }
    const found = idAtStart(line);
    if (found) {
      this.markedLine = number;
      this.startItem(found.id, number);
      if (found.rest !== '') this.lose(`beside ${shortId(found.id)}`, number, found.rest, true);
      return true;
    }
    const { all } = this.lines;
    const heading = headingOn(line, all[number]);
    if (heading) {
      this.endItem();
      this.endHeading();
      this.blanks = 0;
      this.markedLine = number;
      this.heading = { ...heading, line: number };
      return true;
    }
    if (this.markedLine === number - 1 && /^(?:=+|-{2,})\s*$/.test(line)) return true;
    return this.readText(line, number);
  }

  /** Whether a forward is one: in the text of an item a line has nothing but forwards, and is in no list. */
  private endsItem(line: string, { rest }: Forward): boolean {
    if (!this.item?.reader.isInText) return true;
    const isAlone = rest === '' || forwardOn(rest)?.rest === '';
    return isAlone && /^\s{0,3}[`A-Za-z]/.test(line);
  }

  private startItem(id: ItemId, line: number): void {
    this.endItem();
    const { heading } = this;
    this.heading = undefined;
    this.blanks = 0;
    this.isTitled = true;
    const item = bareItem({
      id: idText(id),
      kind: 'requirement',
      title: heading?.title ?? '',
      path: this.path,
      line: heading?.line ?? line,
      parentId: this.parentAt(heading?.depth ?? MAX_DEPTH),
    });
    item.attributes = { type: id.type, name: id.name, revision: revisionOf(id) };
    const reader = new ItemReader(item, id.type, {
      link: (link) => this.result.links.push({ from: item.id, path: this.path, item, ...link }),
      lose: (what, at, text, trivial) => this.lose(what, at, text, trivial),
      invalidStatus: (at, value) => {
        const detail = `The status of ${shortId(id)} is none that OpenFastTrace knows: ${value.slice(0, 200)}`;
        this.report.report('invalid_value', at, detail, { itemId: item.id });
      },
    });
    this.item = { reader, item };
    this.result.items.push(item);
  }

  /** An item that a level passes on undecided: it covers the original, and needs what comes next. */
  private startForward({ type, needs, original }: Forward, line: number): void {
    this.endHeading();
    const { path, result } = this;
    const id = idText({ ...original, type });
    const to = idText(original);
    const title = `${to} passed on`;
    const parentId = this.parentAt(MAX_DEPTH);
    const item = bareItem({ id, kind: 'requirement', title, path, line, parentId });
    item.statement = `${type} passes ${to} on to ${needs.join(', ')}.`;
    item.status = 'approved';
    const { name } = original;
    item.attributes = { type, name, revision: revisionOf(original), needs, forwards: true };
    for (const need of needs) this.needs.add(need);
    result.items.push(item);
    result.links.push({ from: id, to, type: linkType(type), path, line, item });
  }

  /** A line that is no field: of the item, or of the section's text. */
  private readText(line: string, number: number, isCode = false): boolean {
    if (this.item) return this.item.reader.read(line, number, isCode);
    if (line.trim() === '') {
      this.blanks++;
      return true;
    }
    this.endHeading();
    const owner = this.sections.at(-1)?.item ?? this.document;
    const before = owner.statement === '' ? '' : '\n'.repeat(this.blanks + 1);
    owner.statement += `${before}${line}`;
    this.blanks = 0;
    return true;
  }

  private endItem(): void {
    if (!this.item) return;
    const { reader, item } = this.item;
    this.item = undefined;
    reader.finish();
    for (const need of (item.attributes.needs ?? []) as string[]) this.needs.add(need);
  }

  /** A heading without an item below it is a section, or the title of the document. */
  private endHeading(): void {
    const { heading, document, path } = this;
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
    const loss = { what, line, text: text.trim().slice(0, 200), times: 1 };
    this.losses.push(loss);
    if (isTrivial) this.trivial.add(loss);
  }
}

/** The revision of an id as a number, or as its digits where a number cannot hold them. */
function revisionOf({ revision }: ItemId): number | string {
  return Number.isSafeInteger(Number(revision)) ? Number(revision) : revision;
}

function shortId(id: ItemId): string {
  return idText(id).slice(0, 200);
}
