// Takes a file of StrictDoc apart, line by line: blocks in brackets, fields with one line or with text
// between `>>>` and `<<<`, relations, nested nodes in today's and in the older notation. What fits
// nowhere is reported and passed over.
import { readGrammar } from './strictdoc-grammar.ts';
import { shownRelation } from './strictdoc-links.ts';
import {
  fieldOf,
  type Grammar,
  type Report,
  type SdocContent,
  type SdocField,
  type SdocInclude,
  type SdocNode,
  type SdocRelation,
  type SdocSyntax,
} from './strictdoc-model.ts';

const BLOCK = /^(\[\[|\[)(\/?)([A-Z]+(?:_[A-Z]+)*)(\]\]|\])\s*$/;
const FIELD = /^([A-Z][A-Za-z0-9_-]*):(?:\s+(.*))?$/s;
const ENTRY = /^(\s+|- )([A-Za-z][A-Za-z0-9_-]*):(?:\s+(.*))?$/s;
const MULTILINE = /^>>>\s*$/;
const RELATION_LISTS = new Set(['RELATIONS', 'REFS']);
/** Fields of a document that hold indented fields. */
const NESTED = new Set(['OPTIONS', 'METADATA', 'SPECIAL_FIELDS', 'VIEWS']);
/** Blocks of older versions, and lists of the document written as blocks: nodes only if declared. */
const FOREIGN = new Set([
  ...['BIBLIOGRAPHY', 'FRAGMENT', 'LIBRARY_GRAMMAR', 'METADATA', 'OPTIONS', 'VIEWS'],
]);
/** Tags that the older notation closes with `[/TAG]`. */
const CLOSED = new Set(['SECTION', 'COMPOSITE_REQUIREMENT']);
const MOST_REPORTED_LINES = 50;
const MOST_LEVELS = 100;

/**
 * Parses a document, a fragment of one, or a file that holds a grammar alone.
 *
 * @param text - with line ends as `\n`
 * @param grammarNamed - gives the grammar that is imported by a name, where it can be had
 */
export function parseSdoc(
  text: string,
  report: Report,
  grammarNamed: (name: string) => Grammar | undefined = () => undefined,
): SdocContent {
  return new Parser(text.split('\n'), report, grammarNamed).parse();
}

class Parser {
  private readonly lines: string[];
  private readonly report: Report;
  private readonly grammarNamed: (name: string) => Grammar | undefined;
  private readonly content: SdocContent = {
    ...{ fields: [], nodes: [], includes: [], grammar: null },
    isFragment: false,
  };
  /** Places of the nodes that are open, the outermost first. */
  private readonly open: number[] = [];
  /** The last line that can end a text; a search beyond it would find nothing. */
  private readonly lastEnd: number;
  private at = 0;
  private strange = 0;
  /** Whether its first block is read. */
  private isBegun = false;

  constructor(
    lines: string[],
    report: Report,
    grammarNamed: (name: string) => Grammar | undefined,
  ) {
    this.lines = lines;
    this.report = report;
    this.grammarNamed = grammarNamed;
    this.lastEnd = lines.findLastIndex((line) => line.startsWith('<<<'));
  }

  parse(): SdocContent {
    while (this.at < this.lines.length) {
      const line = this.lines[this.at] ?? '';
      const block = BLOCK.exec(line);
      this.at++;
      if (block !== null) {
        this.block(block);
        this.isBegun = true;
      } else if (line.trim() !== '') this.outOfPlace(line);
    }
    for (const place of this.open) this.unclosed(this.content.nodes[place]);
    if (this.strange > MOST_REPORTED_LINES) {
      const more = this.strange - MOST_REPORTED_LINES;
      this.report('unparsed_source', 'error', this.at, `${more} more lines fit nowhere.`);
    }
    return this.content;
  }

  private block([written = '', opening, slash, tag = '', closing]: RegExpExecArray): void {
    const line = this.at;
    const composite = opening === '[[';
    if (composite !== (closing === ']]')) this.outOfPlace(written);
    else if (slash === '/') this.close(tag, line, composite);
    else if (tag === 'DOCUMENT') this.document(line);
    else if (tag === 'GRAMMAR') this.grammar(line);
    else if (tag === 'DOCUMENT_FROM_FILE') this.include(tag, 'document', line);
    else if (tag === 'FRAGMENT_FROM_FILE') this.include(tag, 'fragment', line);
    else if (tag === 'FREETEXT') this.freeText(line);
    else if (tag === 'FRAGMENT' && !this.isBegun) this.fragment();
    else if (FOREIGN.has(tag) && !this.isDeclared(tag)) this.foreign(tag, line);
    else if (composite) this.node(tag, 'composite', line);
    else this.node(tag, CLOSED.has(tag) ? 'older' : 'leaf', line);
  }

  private document(line: number): void {
    if (this.content.fields.length > 0) {
      this.report(
        'unparsed_source',
        'error',
        line,
        'There is a document already: this is no other one.',
      );
    }
    this.head('document');
  }

  /** What stands below the block that a file begins with. */
  private head(what: string): void {
    const { fields, relations } = this.fields();
    for (const field of fields) this.content.fields.push(field);
    for (const relation of relations) {
      const detail = `A ${what} has no relations: this one is not kept: ${shownRelation(relation)}`;
      this.report('unparsed_source', 'error', relation.line, detail);
    }
  }

  private fragment(): void {
    this.content.isFragment = true;
    this.head('fragment');
  }

  /** Whether the grammar says that there are nodes with a tag. */
  private isDeclared(tag: string): boolean {
    const { grammar } = this.content;
    if (grammar === null) return false;
    const { importedFrom } = grammar;
    const held = importedFrom === null ? grammar : this.grammarNamed(importedFrom);
    return held?.elements.has(tag) ?? false;
  }

  /** A block that is no node: what stands in it is a text. */
  private foreign(tag: string, line: number): void {
    const start = this.at;
    while (this.at < this.lines.length && !BLOCK.test(this.lines[this.at] ?? '')) this.at++;
    const text = textOf(this.lines.slice(start, this.at), start + 1);
    const [, , slash, closed] = BLOCK.exec(this.lines[this.at] ?? '') ?? [];
    if (slash === '/' && closed === tag) this.at++;
    const isEmpty = text.value === '';
    const kept = isEmpty ? 'and empty' : 'so what stands in it is kept as the text of a section';
    this.report('unknown_node_type', 'warning', line, `[${tag}] is no node here, ${kept}.`);
    if (isEmpty) return;
    const fields = [{ name: 'STATEMENT', line, ...text }];
    const parent = this.open.at(-1) ?? null;
    this.content.nodes.push({ tag, syntax: 'foreign', line, fields, relations: [], parent });
  }

  private node(tag: string, syntax: SdocSyntax, line: number): void {
    const place = this.content.nodes.length;
    this.content.nodes.push({
      tag,
      syntax,
      line,
      ...this.fields(),
      parent: this.open.at(-1) ?? null,
    });
    if (syntax === 'leaf') return;
    if (this.open.length < MOST_LEVELS) this.open.push(place);
    else
      this.report(
        'unparsed_source',
        'error',
        line,
        `Nodes are nested more than ${MOST_LEVELS} deep.`,
      );
  }

  private close(tag: string, line: number, composite: boolean): void {
    const nodes = this.content.nodes;
    const depth = this.open.findLastIndex((place) => {
      const node = nodes[place];
      return node?.tag === tag && (node.syntax === 'composite') === composite;
    });
    if (depth < 0) {
      this.report(
        'unparsed_source',
        'error',
        line,
        `Nothing with the name ${tag} is open to close.`,
      );
      return;
    }
    for (const place of this.open.splice(depth).slice(1)) this.unclosed(nodes[place]);
  }

  private unclosed(node: SdocNode | undefined): void {
    if (node === undefined) return;
    this.report(
      'unclosed_node',
      'error',
      node.line,
      `The ${node.tag} that begins here is not closed.`,
    );
  }

  private grammar(line: number): void {
    const start = this.at;
    while (this.at < this.lines.length && !this.lines[this.at]?.startsWith('[')) this.at++;
    const grammar = readGrammar(this.lines.slice(start, this.at), start + 1, line, this.report);
    if (this.content.grammar === null) this.content.grammar = grammar;
    else
      this.report(
        'unparsed_source',
        'error',
        line,
        'There is a grammar already: this one is not used.',
      );
  }

  private include(tag: string, what: SdocInclude['what'], line: number): void {
    const { fields, relations } = this.fields();
    const file = fields.find(({ name }) => name === 'FILE');
    const parent = this.open.at(-1) ?? null;
    this.content.includes.push({ what, file: fieldOf({ fields }, 'FILE') ?? '', line, parent });
    const others = [...fields, ...relations.flatMap((relation) => relation.fields)];
    for (const { name, value, line: at } of others) {
      if (at === file?.line) continue;
      const shown = `${name.slice(0, 80)}: ${value.slice(0, 80)}`;
      const detail = `A ${tag} has one FILE and no other field; this is not kept: ${shown}`;
      this.report('unparsed_source', 'error', at, detail);
    }
  }

  /** The older notation of a TEXT. */
  private freeText(line: number): void {
    let end = this.at;
    while (end < this.lines.length && this.lines[end]?.trimEnd() !== '[/FREETEXT]') end++;
    const isClosed = end < this.lines.length;
    if (!isClosed)
      this.report('unclosed_node', 'error', line, 'The FREETEXT that begins here is not closed.');
    const text = textOf(this.lines.slice(this.at, end), this.at + 1);
    const fields = text.value === '' ? [] : [{ name: 'STATEMENT', line, ...text }];
    this.at = isClosed ? end + 1 : end;
    const parent = this.open.at(-1) ?? null;
    this.content.nodes.push({ tag: 'TEXT', syntax: 'older', line, fields, relations: [], parent });
  }

  private fields(): { fields: SdocField[]; relations: SdocRelation[] } {
    const fields: SdocField[] = [];
    const relations: SdocRelation[] = [];
    while (this.at < this.lines.length) {
      const line = this.lines[this.at] ?? '';
      if (BLOCK.test(line)) break;
      this.at++;
      if (line.trim() === '') continue;
      const match = FIELD.exec(line);
      if (match?.[1] === undefined) {
        this.outOfPlace(line);
        continue;
      }
      const [, name, value = ''] = match;
      if (RELATION_LISTS.has(name) && value.trim() === '') this.relations(relations);
      else if (NESTED.has(name) && value.trim() === '') this.nested(name, fields);
      else this.field(fields, name, value.trim());
    }
    return { fields, relations };
  }

  private field(fields: SdocField[], name: string, value: string): void {
    const line = this.at;
    const field = { name, value, line, valueLine: line };
    if (MULTILINE.test(value)) Object.assign(field, this.multiline(name));
    fields.push(field);
  }

  private multiline(name: string): { value: string; valueLine: number } {
    const start = this.at;
    if (start > this.lastEnd) {
      this.report(
        'unparsed_source',
        'error',
        start,
        `The text of ${name} has no \`<<<\` at its end.`,
      );
    }
    const ends = (line: string) =>
      start > this.lastEnd ? BLOCK.test(line) : line.startsWith('<<<');
    while (this.at < this.lines.length && !ends(this.lines[this.at] ?? '')) this.at++;
    const text = textOf(this.lines.slice(start, this.at), start + 1);
    if (start <= this.lastEnd) this.textEnd(this.lines[this.at++] ?? '');
    return text;
  }

  /** The line that begins with `<<<` ends a text, whatever follows there, as it does in StrictDoc. */
  private textEnd(line: string): void {
    if (line.trimEnd() === '<<<') return;
    this.outOfPlace(line, 'After `<<<`, which ends a text, nothing may stand');
  }

  /** Indented fields, as `OPTIONS.MARKUP`; those of views, which are lists, with their number. */
  private nested(name: string, fields: SdocField[]): void {
    let number = 0;
    while (this.at < this.lines.length) {
      const line = this.lines[this.at] ?? '';
      if (!/^(?:\s+|- )\S/.test(line)) break;
      this.at++;
      const match = /^\s*(?:- )?([^:\s-][^:\s]*)(?::\s*(.*))?$/s.exec(line);
      if (match === null) {
        this.outOfPlace(line);
        continue;
      }
      const [, key = '', value = ''] = match;
      const place = name === 'VIEWS' ? `.${++number}` : '';
      fields.push({
        name: `${name}${place}.${key}`,
        value: value.trim(),
        line: this.at,
        valueLine: this.at,
      });
    }
  }

  private relations(relations: SdocRelation[]): void {
    const before = relations.length;
    let last: SdocField[] | null = null;
    while (this.at < this.lines.length) {
      const line = this.lines[this.at] ?? '';
      const match = ENTRY.exec(line);
      if (match === null) break;
      this.at++;
      const [, indent = '', name = '', value = ''] = match;
      const field = { name, value: value.trim(), line: this.at, valueLine: this.at };
      if (indent.startsWith('-')) {
        last = [field];
        relations.push({ type: '', value: '', role: null, line: this.at, fields: last });
      } else if (last === null) this.outOfPlace(line);
      else last.push(field);
    }
    for (const relation of relations.slice(before)) {
      const named = (name: string) => relation.fields.find((field) => field.name === name)?.value;
      relation.type = named('TYPE') ?? '';
      relation.value = named('VALUE') ?? named('PATH') ?? '';
      relation.role = named('ROLE') || null;
    }
  }

  private outOfPlace(line: string, why = 'The line fits nowhere'): void {
    this.strange++;
    if (this.strange > MOST_REPORTED_LINES) return;
    const shown = line.trim().slice(0, 60);
    this.report('unparsed_source', 'error', this.at, `${why}: ${shown}`);
  }
}

/** A text without the empty lines around it; its first line keeps its indentation, as the others do. */
function textOf(lines: string[], firstLine: number): { value: string; valueLine: number } {
  const first = Math.max(
    lines.findIndex((line) => line.trim() !== ''),
    0,
  );
  return { value: lines.slice(first).join('\n').trimEnd(), valueLine: firstLine + first };
}
