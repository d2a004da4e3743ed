// One item of OpenFastTrace while it is read, line by line: its texts, its fields and its lists.
import type { SourceItem, SourceLink } from '../model.ts';
import { findId, idText, words } from './patterns.ts';

const STATUSES = ['approved', 'proposed', 'draft', 'rejected'];
const LABEL = /^\s{0,3}(Description|Rationale|Comment|Covers|Depends|Needs|Tags|Status):(.*)$/s;
const BULLET = /^\s*[-*+]\s+(.*)$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const LINK = /\[([^[\]]*)\]\(([^()]*)\)/g;

type TextPart = 'description' | 'rationale' | 'comment';
type ListPart = 'covers' | 'depends' | 'needs' | 'tags';

/** What the file that an item stands in is told of it. */
export interface ItemReport {
  link(link: Pick<SourceLink, 'to' | 'type' | 'line'>): void;
  /** A part of a line that is kept nowhere; `trivial` where it stands beside an id that is. */
  lose(what: string, line: number, text: string, trivial?: boolean): void;
  invalidStatus(line: number, value: string): void;
}

/** What covering means for items of an artifact type: tests verify, code satisfies, other levels refine. */
export function linkType(type: string): SourceLink['type'] {
  if (/test/i.test(type)) return 'verifies';
  return /^impl$/i.test(type) ? 'satisfies' : 'refines';
}

/** How far a list is read. */
interface List {
  /** Whether it has an entry, on the line of its label or below. */
  hasEntry: boolean;
  /** Whether the last entry is one with a bullet, so that a line right below is a part of it. */
  isBulleted: boolean;
  /** Whether a blank line followed. */
  gap: boolean;
  /** Whether the last entry ends in a comma. */
  goesOn: boolean;
  /** Whether the last line that was not blank is an entry, the label, or a part of one of them. */
  atEntry: boolean;
  /** Whether text has followed the entries, which is of the description again. */
  isBehind: boolean;
}

export class ItemReader {
  private readonly item: SourceItem;
  private readonly type: string;
  private readonly report: ItemReport;
  private part: TextPart | ListPart = 'description';
  private list: List | undefined;
  private readonly texts: Record<TextPart, string[]> = {
    description: [],
    rationale: [],
    comment: [],
  };
  private readonly needs = new Set<string>();
  private readonly tags = new Set<string>();
  private hasStatus = false;

  /** @param type - the artifact type of the item */
  constructor(item: SourceItem, type: string, report: ItemReport) {
    this.item = item;
    this.type = type;
    this.report = report;
  }

  /** Whether the lines that come are text, and no list. */
  get isInText(): boolean {
    return this.list === undefined;
  }

  /** Reads a line of the item; false where nothing of it is kept. `isCode`: it can only be text. */
  read(line: string, number: number, isCode = false): boolean {
    const [, label = '', rest = ''] = (!isCode && LABEL.exec(line)) || [];
    const read = label === '' ? undefined : this.readLabel(label, rest.trim(), number);
    if (read !== undefined) return read;
    if (this.list) return this.readListLine(line, number, this.list, isCode);
    this.push(this.part as TextPart, line);
    return true;
  }

  /** Writes what was read to the item. */
  finish(): void {
    const { item, texts } = this;
    item.statement = textOfLines(texts.description);
    item.rationale = textOfLines(texts.rationale) || null;
    if (!this.hasStatus) item.status = 'approved';
    item.tags = [...this.tags];
    if (this.needs.size > 0) item.attributes.needs = [...this.needs];
    const comment = textOfLines(texts.comment);
    if (comment !== '') item.attributes.comment = comment;
  }

  /** Reads a label and what follows it on its line; undefined where it is a word of a text. */
  private readLabel(label: string, value: string, line: number): boolean | undefined {
    const { part, texts } = this;
    const isWithinText =
      part === 'rationale' ||
      part === 'comment' ||
      this.list?.isBehind === true ||
      (this.list === undefined && texts.description.length > 0);
    if (label === 'Status') return isWithinText ? undefined : this.readStatus(value, line);
    if (label === 'Description' && (isWithinText || texts.description.length > 0)) return undefined;
    this.list = undefined;
    this.part = label.toLowerCase() as TextPart | ListPart;
    if (isText(this.part)) {
      if (value !== '') this.push(this.part, value);
      return true;
    }
    this.list = {
      hasEntry: value !== '',
      isBulleted: false,
      gap: false,
      goesOn: false,
      atEntry: true,
      isBehind: false,
    };
    return value === '' || this.readEntry(value, line, this.list);
  }

  private readStatus(value: string, line: number): boolean {
    if (this.hasStatus) return false;
    this.hasStatus = true;
    this.item.status = value || null;
    if (!STATUSES.includes(value)) this.report.invalidStatus(line, value);
    return true;
  }

  private readListLine(line: string, number: number, list: List, isCode: boolean): boolean {
    if (list.isBehind) {
      const entry = isCode ? undefined : BULLET.exec(line)?.[1]?.trim();
      if (entry !== undefined && findId(entry)) return this.readEntry(entry, number, list);
      this.push('description', line);
      return true;
    }
    if (line.trim() === '' || (!isCode && RULE.test(line))) {
      list.gap = true;
      return true;
    }
    const entry = isCode ? undefined : BULLET.exec(line)?.[1]?.trim();
    if (entry !== undefined) {
      Object.assign(list, { hasEntry: true, isBulleted: true, gap: false, atEntry: true });
      return this.readEntry(entry, number, list);
    }
    if (!list.hasEntry) {
      list.atEntry = false;
      return false;
    }
    const isIndented = /^\s/.test(line);
    const isOfEntry =
      list.atEntry && (list.isBulleted ? isIndented || !list.gap : isIndented && !list.gap);
    if (isOfEntry && list.goesOn && !list.gap && !isCode)
      return this.readEntry(line.trim(), number, list);
    list.goesOn = false;
    if (isOfEntry || /^\s*<!--.*-->\s*$/.test(line)) return false;
    this.readBehind(line, list);
    return true;
  }

  /** What follows the entries of a list is text; more entries that name ids may follow it. */
  private readBehind(line: string, list: List): void {
    const { description } = this.texts;
    if (description.at(-1)?.trim()) description.push('');
    this.push('description', line);
    list.isBehind = true;
    if (this.part !== 'needs' && this.part !== 'tags') return;
    this.part = 'description';
    this.list = undefined;
  }

  /** Reads an entry of the list; false where nothing of it is kept. */
  private readEntry(text: string, line: number, list: List): boolean {
    list.goesOn = text.endsWith(',');
    if (this.part === 'needs') return this.readNeeds(text, line, list);
    if (this.part === 'tags') {
      for (const tag of text.split(',')) if (tag.trim() !== '') this.tags.add(tag.trim());
      return true;
    }
    return this.readLinks(text, line);
  }

  /**
   * Kinds of artifacts, whatever marks are around them. Of several words in an entry of a list the last
   * one of letters alone is the kind, as OpenFastTrace has it; on the line of the label there is none.
   */
  private readNeeds(text: string, line: number, { isBulleted }: List): boolean {
    for (const part of text.split(',')) {
      if (part.trim() === '') continue;
      const names = part.match(/[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*/gu) ?? [];
      const last = isBulleted ? part.match(/(?<!\w)[A-Za-z]+(?!\w)/g)?.at(-1) : undefined;
      const need = names.length === 1 ? names[0] : last;
      if (need !== undefined) this.needs.add(need);
      if (names.length !== 1) this.report.lose(`Needs of ${this.shown}`, line, part);
    }
    return true;
  }

  /** All ids that an entry names: bare, in code, or as links whose addresses or texts are ids. */
  private readLinks(text: string, line: number): boolean {
    const label = this.part === 'covers' ? 'Covers' : 'Depends';
    const lose = (rest: string, trivial = true) =>
      this.report.lose(`${label} of ${this.shown}`, line, rest, trivial);
    const plain = text.replace(LINK, (link, said: string, address: string) => {
      const target = findId(address);
      // An anchor leads to the same item.
      if (!target) return /^#\S*$/.test(address) ? `[${said}]` : link;
      const own = findId(said);
      const isSame = own !== null && own.rest === '' && idText(own.id) === idText(target.id);
      if (!isSame && said.trim() !== '') lose(said, own === null);
      if (target.rest !== '') lose(target.rest);
      return `[${idText(target.id)}]`;
    });
    // The older form of an id has a comma of its own, so only entries of today's form are a list.
    const entries = /,\s*v[0-9]/.test(plain) ? [plain] : plain.split(',');
    const type = this.part === 'covers' ? linkType(this.type) : 'depends';
    for (const entry of entries) {
      const found = findId(entry);
      if (found) this.report.link({ to: idText(found.id), type, line });
      if (found?.rest !== '' && (found || words(entry) !== ''))
        lose(found?.rest ?? entry, found !== null);
    }
    return true;
  }

  private get shown(): string {
    return this.item.id.slice(0, 200);
  }

  /** Adds a line to a text; blank lines before the text are none of it. */
  private push(part: TextPart, line: string): void {
    if (this.texts[part].length > 0 || line.trim() !== '') this.texts[part].push(line);
  }
}

function isText(part: TextPart | ListPart): part is TextPart {
  return part === 'description' || part === 'rationale' || part === 'comment';
}

/** The lines of a text as one: without blank lines around it, the indent of code before it kept. */
function textOfLines(lines: readonly string[]): string {
  const text = lines.join('\n').trimEnd();
  return /^(?: {4}| {0,3}\t)/.test(text) ? text : text.trimStart();
}
