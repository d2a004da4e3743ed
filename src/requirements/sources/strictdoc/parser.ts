// Takes a file of StrictDoc apart, line by line: blocks in brackets, fields with one line or with text
// between `>>>` and `<<<`, relations, nested nodes in today's and in the older notation. Lines that fit
// nowhere are left unmarked.
import type { Lines } from '../account.ts';
import { SourceFault } from '../tree/fault.ts';
import { readGrammar } from './grammar.ts';
import type { SdocContent, SdocField, SdocRelation } from './model.ts';

const BLOCK = /^(\[\[|\[)(\/?)([A-Z]+(?:_[A-Z]+)*)(\]\]|\])\s*$/;
const FIELD = /^([A-Z][A-Za-z0-9_-]*):(?:\s+(.*))?$/s;
const ENTRY = /^(\s+|- )([A-Za-z][A-Za-z0-9_-]*):(?:\s+(.*))?$/s;
const NESTED_ENTRY = /^\s*(?:- )?([^:\s-][^:\s]*)(?::\s*(.*))?$/s;
const RELATION_LISTS = new Set(['RELATIONS', 'REFS']);
const NESTED = new Set(['OPTIONS', 'METADATA', 'SPECIAL_FIELDS', 'VIEWS']);
const FOREIGN = new Set([
  ...['BIBLIOGRAPHY', 'FRAGMENT', 'FRAGMENT_FROM_FILE', 'LIBRARY_GRAMMAR'],
  ...['METADATA', 'OPTIONS', 'VIEWS'],
]);
const CLOSED = new Set(['SECTION', 'COMPOSITE_REQUIREMENT']);
const MAX_LEVELS = 100;

/**
 * Parses a document, or a file that holds a grammar alone.
 * @param lines - of the file; those that are understood are marked
 * @throws SourceFault with the line, for texts and nodes without an end, and ends of nothing
 */
export function parseSdoc(lines: Lines): SdocContent {
  return new Parser(lines).parse();
}

interface OpenNode {
  /** As its end names it: `[[/SECTION]]`. */
  end: string;
  line: number;
  place: number;
}

class Parser {
  private readonly lines: Lines;
  private readonly content: SdocContent = {
    fields: [],
    nodes: [],
    includes: [],
    grammar: null,
  };
  /** The outermost first. */
  private readonly open: OpenNode[] = [];
  /** The line that is read, from 1. */
  private at = 0;
  private isBegun = false;

  constructor(lines: Lines) {
    this.lines = lines;
  }

  parse(): SdocContent {
    while (!this.isAtEnd()) {
      const block = BLOCK.exec(this.line(++this.at));
      if (block === null) continue;
      this.block(block);
      this.isBegun = true;
    }
    this.checkClosed(this.open.at(-1));
    return this.content;
  }

  private line(at = this.at): string {
    return this.lines.all[at - 1] ?? '';
  }

  private isAtEnd(): boolean {
    return this.at >= this.lines.all.length;
  }

  private get parent(): number | null {
    return this.open.at(-1)?.place ?? null;
  }

  private block([, opening = '', slash, tag = '', closing = '']: RegExpExecArray): void {
    if (opening.length !== closing.length) return;
    if (slash === '/') this.close(`${opening}/${tag}${closing}`);
    else if (tag === 'DOCUMENT') this.head();
    else if (tag === 'GRAMMAR') this.grammar();
    else if (tag === 'DOCUMENT_FROM_FILE') this.include();
    else if (tag === 'FREETEXT') this.freeText();
    else if (!FOREIGN.has(tag)) this.node(tag, opening === '[[');
  }

  /** What stands below the block that a file begins with. */
  private head(): void {
    if (this.isBegun) return;
    this.lines.take(this.at);
    this.content.fields = this.fields((name) => !RELATION_LISTS.has(name)).fields;
  }

  private node(tag: string, isComposite: boolean): void {
    const line = this.at;
    const place = this.content.nodes.length;
    const parent = this.parent;
    this.lines.take(line);
    this.content.nodes.push({ tag, line, ...this.fields(), parent });
    if (!isComposite && !CLOSED.has(tag)) return;
    if (this.open.length >= MAX_LEVELS)
      throw new SourceFault(line, `Nodes are nested more than ${MAX_LEVELS} deep.`);
    this.open.push({ end: isComposite ? `[[/${tag}]]` : `[/${tag}]`, line, place });
  }

  private close(end: string): void {
    const last = this.open.pop();
    if (last === undefined) throw new SourceFault(this.at, `Nothing is open that ${end} ends.`);
    if (last.end !== end) this.checkClosed(last);
    this.lines.take(this.at);
  }

  private checkClosed(node: OpenNode | undefined): void {
    if (node) throw new SourceFault(node.line, `The node that begins here has no ${node.end}.`);
  }

  private grammar(): void {
    const from = this.at + 1;
    while (!this.isAtEnd() && !this.line(this.at + 1).startsWith('[')) this.at++;
    if (this.content.grammar !== null) return;
    this.lines.take(from - 1);
    this.content.grammar = readGrammar(this.lines, from, this.at);
  }

  private include(): void {
    const line = this.at;
    this.lines.take(line);
    for (const { value } of this.fields((name) => name === 'FILE').fields)
      this.content.includes.push({ file: value, line, parent: this.parent });
  }

  private freeText(): void {
    const line = this.at;
    const text = this.textUntil((one) => one.trimEnd() === '[/FREETEXT]');
    const fields = text.value === '' ? [] : [{ name: 'STATEMENT', line, ...text }];
    this.content.nodes.push({ tag: 'TEXT', line, fields, relations: [], parent: this.parent });
  }

  /** The fields of a block; lines of names that are not accepted are left unmarked. */
  private fields(accepts: (name: string) => boolean = () => true): {
    fields: SdocField[];
    relations: SdocRelation[];
  } {
    const fields: SdocField[] = [];
    const relations: SdocRelation[] = [];
    while (!this.isAtEnd() && !BLOCK.test(this.line(this.at + 1))) {
      this.at++;
      const [, name, written = ''] = FIELD.exec(this.line()) ?? [];
      if (name === undefined || !accepts(name)) continue;
      const line = this.at;
      const value = written.trim();
      this.lines.take(line);
      if (RELATION_LISTS.has(name) && value === '') this.relations(relations);
      else if (NESTED.has(name) && value === '') this.nested(name, fields);
      else if (value !== '>>>') fields.push({ name, value, line, valueLine: line });
      else fields.push({ name, line, ...this.textUntil((one) => one.startsWith('<<<')) });
    }
    return { fields, relations };
  }

  /**
   * A text behind the line that is read, without the empty lines around it; its first line keeps its
   * indentation, as the others do. The line that ends it is marked where nothing else stands on it.
   */
  private textUntil(isEnd: (line: string) => boolean): { value: string; valueLine: number } {
    const from = this.at + 1;
    const { all } = this.lines;
    let end = from;
    while (end <= all.length && !isEnd(this.line(end))) end++;
    if (end > all.length) throw new SourceFault(this.at, 'The text that begins here has no end.');
    this.at = end;
    const last = this.line().trimEnd();
    this.lines.take(from - 1, last === '<<<' || last === '[/FREETEXT]' ? end : end - 1);
    const written = all.slice(from - 1, end - 1);
    const first = Math.max(
      written.findIndex((line) => line.trim() !== ''),
      0,
    );
    return { value: written.slice(first).join('\n').trimEnd(), valueLine: from + first };
  }

  /** Indented fields, as `OPTIONS.MARKUP`; those of views, which are lists, with their number. */
  private nested(name: string, fields: SdocField[]): void {
    for (let number = 1; /^(?:\s+|- )\S/.test(this.line(this.at + 1)); ) {
      this.at++;
      const [, key, value = ''] = NESTED_ENTRY.exec(this.line()) ?? [];
      if (key === undefined) continue;
      this.lines.take(this.at);
      const place = name === 'VIEWS' ? `.${number++}` : '';
      const [line, valueLine] = [this.at, this.at];
      fields.push({ name: `${name}${place}.${key}`, value: value.trim(), line, valueLine });
    }
  }

  private relations(relations: SdocRelation[]): void {
    const before = relations.length;
    for (;;) {
      const entry = ENTRY.exec(this.line(this.at + 1));
      if (entry === null) break;
      const [, indent = '', name = '', value = ''] = entry;
      const line = ++this.at;
      if (indent.startsWith('-'))
        relations.push({ type: '', value: '', role: null, line, fields: [] });
      else if (relations.length === before) continue;
      relations.at(-1)?.fields.push({ name, value: value.trim(), line, valueLine: line });
      this.lines.take(line);
    }
    for (const relation of relations.slice(before)) {
      const named = (name: string) => relation.fields.find((field) => field.name === name)?.value;
      relation.type = named('TYPE') ?? '';
      relation.value = named('VALUE') ?? named('PATH') ?? '';
      relation.role = named('ROLE') || null;
    }
  }
}
