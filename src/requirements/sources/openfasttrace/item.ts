// One item of OpenFastTrace while it is read, line by line: its texts, its fields and its lists.
import type { SourceItem, SourceLink } from '../model.ts';
import { findId, idText, words } from './patterns.ts';

const LABEL = /^\s{0,3}(Description|Rationale|Comment|Covers|Depends|Needs|Tags|Status):(.*)$/s;
const LINKS: ReadonlySet<string> = new Set(['Covers', 'Depends']);
const BULLET = /^\s*[-*+]\s+(.*)$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const LINK = /\[([^[\]]*)\]\(([^()]*)\)/g;
const NEED = /^[^\p{L}\p{N}]*([\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*)[^\p{L}\p{N}]*$/u;

export function linkType(type: string): SourceLink['type'] {
  if (/test/i.test(type)) return 'verifies';
  return /^impl$/i.test(type) ? 'satisfies' : 'refines';
}

type Lose = (what: string, line: number, text: string, isTrivial?: boolean) => void;

export class ItemReader {
  private readonly item: SourceItem;
  private readonly links: SourceLink[];
  private readonly lose: Lose;
  private readonly description: string[] = [];
  private readonly texts = new Map<string, string[]>([
    ['Description', this.description],
    ['Rationale', []],
    ['Comment', []],
  ]);
  /** The field that lines are of. */
  private label = 'Description';
  /** The text that it is; undefined for a list. */
  private text: string[] | undefined = this.description;
  /** Of a list: whether it has an entry, on the line of its label or below. */
  private hasEntry = false;
  /** Whether its last entry ends in a comma, so that an indented line goes on with it. */
  private goesOn = false;
  /** Whether text has followed its entries, which is of the description again. */
  private isBehind = false;
  private readonly needs = new Set<string>();
  private readonly tags = new Set<string>();

  /** @param links - of all items: those of this one are added */
  constructor(item: SourceItem, links: SourceLink[], lose: Lose) {
    this.item = item;
    this.links = links;
    this.lose = lose;
  }

  /** Reads a line of the item; false where nothing of it is kept. `isCode`: it can only be text. */
  read(line: string, number: number, isCode = false): boolean {
    const [, label = '', rest = ''] = (!isCode && LABEL.exec(line)) || [];
    const isWord = (label === 'Status' || label === 'Description') && this.isWithinText();
    if (label !== '' && !isWord) return this.readLabel(label, rest.trim(), number);
    if (!this.text) return this.readListLine(line, number, isCode);
    addLine(this.text, line);
    return true;
  }

  finish(): void {
    const { item } = this;
    item.statement = textOfLines(this.description);
    item.rationale = textOfLines(this.texts.get('Rationale')) || null;
    item.status ??= 'approved';
    item.tags = [...this.tags];
    if (this.needs.size > 0) item.attributes.needs = [...this.needs];
    const comment = textOfLines(this.texts.get('Comment'));
    if (comment !== '') item.attributes.comment = comment;
  }

  private isWithinText(): boolean {
    const { text, description, isBehind } = this;
    return text === description ? description.length > 0 : text !== undefined || isBehind;
  }

  private readLabel(label: string, value: string, line: number): boolean {
    if (label === 'Status') {
      const isFirst = this.item.status === null;
      if (isFirst) this.item.status = value || null;
      return isFirst;
    }
    this.label = label;
    this.text = this.texts.get(label);
    this.hasEntry = value !== '';
    this.goesOn = false;
    this.isBehind = false;
    if (!this.text) return value === '' || this.readEntry(value, line);
    addLine(this.text, value);
    return true;
  }

  /** Reads a line of a list. What follows its entries is text; more entries that name ids may follow. */
  private readListLine(line: string, number: number, isCode: boolean): boolean {
    if (!this.isBehind && (line.trim() === '' || (!isCode && RULE.test(line)))) {
      this.goesOn = false;
      return true;
    }
    const entry = isCode ? undefined : BULLET.exec(line)?.[1]?.trim();
    if (entry !== undefined && (!this.isBehind || findId(entry))) {
      this.hasEntry = true;
      return this.readEntry(entry, number);
    }
    const { description } = this;
    if (!this.isBehind) {
      const isIndented = /^\s/.test(line);
      if (isIndented && this.goesOn && !isCode) return this.readEntry(line.trim(), number);
      if (isIndented || !this.hasEntry) return false;
      if (description.at(-1)?.trim()) description.push('');
      if (LINKS.has(this.label)) this.isBehind = true;
      else this.text = description;
    }
    addLine(description, line);
    return true;
  }

  /** Reads an entry of the list; what of it is not kept is reported. */
  private readEntry(text: string, line: number): true {
    this.goesOn = text.endsWith(',');
    if (LINKS.has(this.label)) return this.readLinks(text, line);
    for (const one of text.split(',')) {
      if (one.trim() === '') continue;
      const need = NEED.exec(one)?.[1];
      if (this.label === 'Tags') this.tags.add(one.trim());
      else if (need !== undefined) this.needs.add(need);
      else this.lose(`Needs of ${this.item.id}`, line, one);
    }
    return true;
  }

  /** All ids that an entry names: bare, in code, or as links whose addresses or texts are ids. */
  private readLinks(text: string, line: number): true {
    const { item, label } = this;
    const type = label === 'Covers' ? linkType(String(item.attributes.type)) : 'depends';
    const plain = text.replace(LINK, (link, said: string, address: string) => {
      const target = findId(address);
      // An anchor leads to the same item.
      if (!target) return address.startsWith('#') ? said : link;
      const id = idText(target.id);
      return ` ${id} ${said.replace(id, '').replaceAll(',', ' ')} ${target.rest} `;
    });
    // The older form of an id has a comma of its own, so only entries of today's form are a list.
    for (const entry of /,\s*v[0-9]/.test(plain) ? [plain] : plain.split(',')) {
      const found = findId(entry);
      const rest = found?.rest ?? words(entry);
      if (found)
        this.links.push({ from: item.id, to: idText(found.id), type, path: item.path, line, item });
      if (rest !== '') this.lose(`${label} of ${item.id}`, line, rest, found !== null);
    }
    return true;
  }
}

export function addLine(lines: string[], line: string): void {
  if (lines.length > 0 || line.trim() !== '') lines.push(line);
}

export function textOfLines(lines: readonly string[] = []): string {
  const text = lines.join('\n').trimEnd();
  return /^(?: {4}| {0,3}\t)/.test(text) ? text : text.trimStart();
}
