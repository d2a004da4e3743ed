// YAML as Doorstop sees it: the values that PyYAML's safe loader makes of a text (YAML 1.1, so `yes`
// is true and 017 is 15), each with its line. Nothing is included or built from a tag, and aliases
// are followed only within a budget.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { shownValue } from './doorstop-attributes.ts';
import { hasOldBreaks, literalWithOldBreaks, quotedWithOldBreaks } from './doorstop-breaks.ts';
import {
  floatText,
  type PyEntry,
  type PyList,
  type PyMap,
  type PyScalar,
  type PyValue,
} from './doorstop-python.ts';

/** Something in a text that cannot be taken as it is. */
export interface YamlProblem {
  code: 'include_ignored' | 'unknown_tag' | 'duplicate_field' | 'unparsed_source';
  line: number;
  detail: string;
}

/** What a text holds: null where it is no YAML or no map, with a problem of `unparsed_source`. */
export interface YamlContent {
  map: PyMap | null;
  problems: YamlProblem[];
}

const MOST_CHARACTERS = 1024 * 1024;
const MOST_VALUES = 100_000;
const MOST_FROM_ALIASES = 10_000;
const MOST_CHARACTERS_FROM_ALIASES = 10 * MOST_CHARACTERS;
const MOST_LEVELS = 64;
const TOO_MANY_ALIASES = 'Its aliases unfold to too much.';
/** The problems of one kind that are told one by one; the others are counted. */
const MOST_OF_A_CODE = 100;

/** Why a text is too much to read, and the line of the file on which it is. */
class TooMuch extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/**
 * Reads a YAML text whose top is a map.
 *
 * @param text - with line ends as `\n`
 * @param lineOffset - the lines of the file before the text
 */
export function readYaml(text: string, lineOffset = 0): YamlContent {
  const problems: YamlProblem[] = [];
  const failed = (line: number, detail: string): YamlContent => ({
    map: null,
    problems: [{ code: 'unparsed_source', line: line + lineOffset, detail }],
  });
  if (text.length > MOST_CHARACTERS) {
    return failed(1, `The file is longer than ${MOST_CHARACTERS} characters.`);
  }
  const lines = new LineCounter();
  let document: Document;
  try {
    document = parseDocument(text, {
      schema: 'failsafe',
      version: '1.1',
      lineCounter: lines,
      uniqueKeys: false,
      prettyErrors: false,
      // `silent` would also keep quiet about a second document.
      logLevel: 'error',
    }) as unknown as Document;
    const [error] = document.errors;
    if (error !== undefined) {
      return failed(lines.linePos(error.pos[0]).line || 1, faultOf(error));
    }
    if (document.contents === null || isNothing(document.contents)) {
      return { map: { kind: 'map', line: 1 + lineOffset, entries: new Map() }, problems };
    }
    const conversion = new Conversion(text, lines, lineOffset, problems);
    const value = conversion.value(document.contents, 0);
    if (value.kind !== 'map') return failed(value.line - lineOffset, 'The top of it is no map.');
    conversion.tellMore();
    return { map: value, problems };
  } catch (error) {
    if (error instanceof TooMuch) return failed(error.line - lineOffset, error.message);
    if (error instanceof RangeError) return failed(1, 'It is nested too deeply.');
    throw error;
  }
}

/** What is wrong with a text, as a sentence for those who wrote it. */
function faultOf({ code, message }: { code: string; message: string }): string {
  if (code === 'MULTIPLE_DOCS') return 'The file holds more than one YAML document.';
  if (code === 'RESOURCE_EXHAUSTION') return 'It is nested too deeply.';
  return `No valid YAML: ${message}`;
}

function isNothing(node: Node | null): boolean {
  return isScalar(node) && node.type === 'PLAIN' && node.source === '' && node.tag === undefined;
}

class Conversion {
  private readonly text: string;
  private readonly hasOldBreaks: boolean;
  private readonly lines: LineCounter;
  private readonly lineOffset: number;
  private readonly problems: YamlProblem[];
  private readonly anchors = new Map<string, Node>();
  /** The lists and maps that are not read to their end yet. */
  private readonly open = new Set<Node>();
  private values = 0;
  private fromAliases = 0;
  private charactersFromAliases = 0;
  /** How often each code was reported. */
  private readonly told = new Map<YamlProblem['code'], number>();
  private aliases = 0;

  constructor(text: string, lines: LineCounter, lineOffset: number, problems: YamlProblem[]) {
    this.text = text;
    this.hasOldBreaks = hasOldBreaks(text);
    this.lines = lines;
    this.lineOffset = lineOffset;
    this.problems = problems;
  }

  value(node: unknown, depth: number): PyValue {
    this.values++;
    if (this.aliases > 0) this.fromAliases++;
    if (this.values > MOST_VALUES) this.tooMuch(`It holds more than ${MOST_VALUES} values.`, node);
    if (this.fromAliases > MOST_FROM_ALIASES) this.tooMuch(TOO_MANY_ALIASES, node);
    if (depth > MOST_LEVELS) this.tooMuch(`It is nested more than ${MOST_LEVELS} deep.`, node);
    if (isAlias(node)) {
      const target = this.anchors.get(node.source);
      const name = node.source.slice(0, 80);
      if (target === undefined) {
        const line = this.lineOf(node);
        const detail = `The alias *${name} stands for nothing: no anchor before it has the name.`;
        this.report('unparsed_source', line, detail);
        return { kind: 'none', line };
      }
      if (this.open.has(target))
        this.tooMuch(
          `The value with the anchor &${name} holds itself, by the alias *${name}.`,
          node,
        );
      this.aliases++;
      const value = this.value(target, depth + 1);
      this.aliases--;
      return value;
    }
    if (isMap(node) || isSeq(node)) {
      this.anchored(node);
      this.open.add(node);
      const value = isMap(node) ? this.map(node, depth) : this.list(node, depth);
      this.open.delete(node);
      return value;
    }
    if (!isScalar(node)) return { kind: 'none', line: this.lineOffset + 1 };
    this.anchored(node);
    return this.scalar(node, this.lineOf(node));
  }

  private anchored<T extends Node & { anchor?: string }>(node: T): T {
    if (node.anchor !== undefined && this.aliases === 0) this.anchors.set(node.anchor, node);
    this.checkTag(node);
    return node;
  }

  private checkTag(node: Node): void {
    const { tag } = node;
    if (tag === undefined || KNOWN_TAG.test(tag)) return;
    const line = this.lineOf(node);
    if (tag === '!include') {
      const shown = String(isScalar(node) ? node.source : '').slice(0, 80);
      const detail = `An included file is not read: \`!include ${shown}\` is ignored.`;
      this.report('include_ignored', line, detail);
    } else if (tag !== '!') {
      this.report('unknown_tag', line, `The tag ${tag.slice(0, 80)} is ignored.`);
    }
  }

  private tooMuch(message: string, node: unknown): never {
    throw new TooMuch(message, isNode(node) ? this.lineOf(node) : this.lineOffset + 1);
  }

  private list(node: YAMLSeq, depth: number): PyList {
    const items = node.items.map((item) => this.value(item, depth + 1));
    return { kind: 'list', line: this.lineOf(node), items };
  }

  private map(node: YAMLMap, depth: number): PyMap {
    const entries = new Map<string, PyEntry>();
    const merged: PyMap[] = [];
    for (const pair of node.items) {
      const key = this.value(pair.key, depth + 1);
      const value: PyValue =
        pair.value === null ? { kind: 'none', line: key.line } : this.value(pair.value, depth + 1);
      if (key.kind === 'list' || key.kind === 'map') {
        const detail = `A list or a map as a key is not kept: ${shownValue(key)}: ${shownValue(value)}`;
        this.report('unparsed_source', key.line, detail);
        continue;
      }
      const name = key.kind === 'none' ? 'None' : key.text;
      if (name === '<<' && key.kind === 'str' && key.plain) {
        const maps = value.kind === 'list' ? value.items : [value];
        for (const one of maps) {
          if (one.kind === 'map') merged.push(one);
          else {
            const detail = `\`<<\` takes in maps alone: ${shownValue(one)} is not kept.`;
            this.report('unparsed_source', one.line, detail);
          }
        }
        continue;
      }
      const earlier = entries.get(name);
      if (earlier !== undefined) {
        const detail = `\`${name.slice(0, 80)}\` stands twice: the last one holds, and this is not kept: ${shownValue(earlier.value)}`;
        this.report('duplicate_field', key.line, detail);
      }
      entries.set(name, { value, line: key.line });
    }
    for (const [name, entry] of merged.flatMap(({ entries: more }) => [...more])) {
      if (!entries.has(name)) entries.set(name, entry);
    }
    return { kind: 'map', line: this.lineOf(node), entries };
  }

  private scalar(node: Node & { value: unknown; source?: string; type?: string }, line: number) {
    const text = this.textOf(node);
    if (this.aliases > 0) this.charactersFromAliases += text.length;
    if (this.charactersFromAliases > MOST_CHARACTERS_FROM_ALIASES)
      this.tooMuch(TOO_MANY_ALIASES, node);
    const asText: PyScalar = { kind: 'str', line, text, source: text, plain: false };
    if (node.tag === '!include') return { kind: 'none', line } as const;
    const quoted = node.type !== 'PLAIN' && (node.tag === undefined || !isTyped(node.tag));
    if (quoted || node.tag === '!' || node.tag === 'tag:yaml.org,2002:str') return asText;
    return plainValue(text, line);
  }

  private textOf(node: Node & { value: unknown; source?: string; type?: string }): string {
    const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
    if (!this.hasOldBreaks || !node.range) return text;
    const [start, end] = node.range;
    if (node.type === 'QUOTE_SINGLE') return quotedWithOldBreaks(this.text.slice(start, end));
    if (node.type !== 'BLOCK_LITERAL') return text;
    return literalWithOldBreaks(text, this.text.slice(start, end));
  }

  private lineOf(node: Node): number {
    const offset = node.range?.[0] ?? 0;
    return (this.lines.linePos(offset).line || 1) + this.lineOffset;
  }

  private report(code: YamlProblem['code'], line: number, detail: string): void {
    const before = this.told.get(code) ?? 0;
    this.told.set(code, before + 1);
    if (before < MOST_OF_A_CODE) this.problems.push({ code, line, detail });
  }

  /** Reports how much was not told one by one. */
  tellMore(): void {
    for (const [code, count] of this.told) {
      if (count <= MOST_OF_A_CODE) continue;
      const detail = `${count - MOST_OF_A_CODE} more findings of this kind are in the file.`;
      this.problems.push({ code, line: 0, detail });
    }
  }
}

const KNOWN_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|timestamp|map|seq)$/;

function isTyped(tag: string): boolean {
  return /^tag:yaml\.org,2002:(?:int|float|bool|null|timestamp)$/.test(tag);
}

const NONE = /^(?:~|null|Null|NULL|)$/;
const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]+|0|[1-9][0-9_]*)$/;
const SIXTIES = /^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$/;
const FLOAT = /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?$/;
const SPECIAL = /^(?:([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATETIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{0,9}))?[ \t]*(Z|[-+]\d{1,2}(?::\d{2})?)?$/;
const LONGEST_NUMBER = 100;

/** Resolves a scalar without quotes to the type that YAML 1.1 gives it. */
export function plainValue(source: string, line: number): PyValue {
  const typed = (kind: PyScalar['kind'], text: string): PyScalar => ({
    kind,
    line,
    text,
    source,
    plain: true,
  });
  if (NONE.test(source)) return { kind: 'none', line };
  if (source.length > LONGEST_NUMBER) return typed('str', source);
  if (TRUE.test(source)) return typed('bool', 'True');
  if (FALSE.test(source)) return typed('bool', 'False');
  const bare = source.replaceAll('_', '');
  if (INTEGER.test(source)) {
    const text = integerText(bare);
    return text === null ? typed('str', source) : typed('int', text);
  }
  if (SIXTIES.test(source)) return typed('int', sixtiesText(bare));
  if (FLOAT.test(source)) return typed('float', floatText(Number(bare)));
  const special = SPECIAL.exec(source);
  if (special !== null)
    return typed('float', special[1] === undefined ? 'nan' : `${special[1] === '-' ? '-' : ''}inf`);
  if (DATE.test(source)) return typed('date', source);
  const time = DATETIME.exec(source);
  return time === null ? typed('str', source) : typed('datetime', datetimeText(time));
}

function integerText(written: string): string | null {
  const negative = written.startsWith('-');
  let digits = written.replace(/^[-+]/, '');
  if (/^0[0-7]+$/.test(digits)) digits = `0o${digits.slice(1)}`;
  if (/^0[bx]?$/.test(digits) && digits !== '0') return null;
  const value = BigInt(digits);
  return String(negative ? -value : value);
}

function sixtiesText(written: string): string {
  const negative = written.startsWith('-');
  const parts = written.replace(/^[-+]/, '').split(':');
  const value = parts.reduce((sum, part) => sum * 60n + BigInt(part), 0n);
  return String(negative ? -value : value);
}

function datetimeText(match: RegExpExecArray): string {
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction, zone] =
    match;
  const two = (digits: string) => digits.padStart(2, '0');
  let text = `${year}-${two(month)}-${two(day)} ${two(hour)}:${minute}:${second}`;
  const micro = (fraction ?? '').slice(0, 6).padEnd(6, '0');
  if (micro !== '000000') text += `.${micro}`;
  if (zone === undefined) return text;
  if (zone === 'Z') return `${text}+00:00`;
  const [hours = '', minutes = '00'] = zone.slice(1).split(':');
  return `${text}${zone[0]}${two(hours)}:${minutes}`;
}
