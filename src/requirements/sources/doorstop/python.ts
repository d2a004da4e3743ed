// Values as Python has them: YAML as PyYAML's safe loader reads it (YAML 1.1, so `yes` is true and 017
// is 15), and values as Python prints them. Doorstop hashes what `str` and `repr` give, so whoever
// checks its stamps must print the same.
import { type Loss, lossesOf } from '../account.ts';
import type { FileReport } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { parseYaml, type YamlPart } from '../tree/yaml.ts';

export type PyValue = PyNone | PyScalar | PyList | PyMap;

interface Placed {
  /** The line in its file, from 1. */
  line: number;
}
export interface PyNone extends Placed {
  kind: 'none';
}
export interface PyScalar extends Placed {
  kind: 'bool' | 'int' | 'float' | 'date' | 'datetime' | 'str';
  /** What `str()` gives. */
  text: string;
  /** As written in the file, but for quotes. */
  source: string;
}
export interface PyList extends Placed {
  kind: 'list';
  items: PyValue[];
}
export interface PyMap extends Placed {
  kind: 'map';
  entries: Map<string, PyEntry>;
}
export interface PyEntry extends Placed {
  value: PyValue;
}

export function isScalar(value: PyValue): value is PyNone | PyScalar {
  return value.kind !== 'list' && value.kind !== 'map';
}

const TYPE_NAMES = {
  bool: 'bool',
  int: 'int',
  float: 'float',
  date: 'datetime.date',
  datetime: 'datetime.datetime',
  str: 'str',
  none: 'NoneType',
} as const;

export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0.0';
  if (value === 0) return '0.0';
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) {
    const plain = exponent < 0 ? value.toFixed(significant(digits) - 1 - exponent) : String(value);
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function significant(digits: string): number {
  return digits.replace(/[-.]/g, '').length;
}

export function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let printed = quote;
  for (const character of text) {
    if (character === quote || character === '\\') printed += `\\${character}`;
    else if (character === '\n') printed += '\\n';
    else if (character === '\r') printed += '\\r';
    else if (character === '\t') printed += '\\t';
    else if (character === ' ' || !/[\p{C}\p{Z}]/u.test(character)) printed += character;
    else printed += escaped(character.codePointAt(0) ?? 0);
  }
  return printed + quote;
}

function escaped(code: number): string {
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${digits.padStart(4, '0')}`;
  return `\\U${digits.padStart(8, '0')}`;
}

export function scalarRepr(value: PyNone | PyScalar): string {
  if (value.kind === 'none') return 'None';
  return value.kind === 'str' ? stringRepr(value.text) : value.text;
}

/**
 * Prints a value as Doorstop prints extended attributes for its stamps: lists and maps with a mark,
 * scalars with their type.
 */
export function typedText(value: PyValue): string {
  if (value.kind === 'list') return `\\L${value.items.map(typedText).join('')}`;
  if (value.kind === 'map') {
    const sorted = [...value.entries].sort(([a], [b]) => (a < b ? -1 : 1));
    return `\\D${sorted.map(([, entry]) => typedText(entry.value)).join('')}`;
  }
  const text = value.kind === 'none' ? 'None' : value.text;
  return typedScalar(TYPE_NAMES[value.kind], text);
}

export function typedScalar(type: string, text: string): string {
  return `\\T<class '${type}'>\\V${text.replaceAll('\\', '\\\\')}`;
}

const MAX_CHARACTERS = 1024 * 1024;

/**
 * Reads a YAML text whose top is a map. Of a key that stands twice the last holds; the others and
 * tags are reported.
 * @param lineOffset - the lines of the file before the text
 * @throws SourceFault with the line, for what is no YAML or no map
 */
export function readYaml(text: string, report: FileReport, lineOffset = 0): PyMap {
  if (text.length > MAX_CHARACTERS)
    throw new SourceFault(1, `The file is longer than ${MAX_CHARACTERS} characters.`);
  const top = parseYaml(text, { version: '1.1', lineOffset });
  const tags: Loss[] = [];
  const value = pyValue(top, tags);
  report.reportLosses([...lossesOf(top).values(), ...tags]);
  if (value.kind === 'none') return { kind: 'map', line: value.line, entries: new Map() };
  if (value.kind !== 'map') throw new SourceFault(value.line, 'The top of it is no map.');
  return value;
}

function pyValue(part: YamlPart, tags: Loss[]): PyValue {
  const { kind, line, text, tag } = part;
  part.kept = true;
  if (tag !== undefined) tags.push({ what: 'tag', line, text: tag.slice(0, 120), times: 1 });
  if (kind === 'list')
    return { kind: 'list', line, items: part.parts.map((one) => pyValue(one, tags)) };
  if (kind === 'map') {
    const last = new Map(part.parts.map((one) => [one.name, one]));
    const entries = [...last].map(
      ([name, one]) => [name, { line: one.line, value: pyValue(one, tags) }] as const,
    );
    return { kind: 'map', line, entries: new Map(entries) };
  }
  if (part.plain || kind === 'null') return plainValue(text, line);
  return { kind: 'str', line, text, source: text };
}

const NONE = /^(?:~|null|Null|NULL|)$/;
const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const INTEGER = /^[-+]?(?:0b_*[01][01_]*|0x_*[\da-fA-F][\da-fA-F_]*|0[0-7_]*|[1-9][0-9_]*)$/;
const SIXTIES = /^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$/;
const FLOAT = /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+][0-9]+)?$/;
const SPECIAL = /^(?:([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATETIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{0,9}))?[ \t]*(Z|[-+]\d{1,2}(?::\d{2})?)?$/;
const MAX_NUMBER = 100;

export function plainValue(source: string, line: number): PyValue {
  const typed = (kind: PyScalar['kind'], text: string): PyScalar => ({ kind, line, text, source });
  if (NONE.test(source)) return { kind: 'none', line };
  if (source.length > MAX_NUMBER) return typed('str', source);
  if (TRUE.test(source)) return typed('bool', 'True');
  if (FALSE.test(source)) return typed('bool', 'False');
  const bare = source.replaceAll('_', '');
  if (INTEGER.test(source)) return typed('int', integerText(bare));
  if (SIXTIES.test(source)) return typed('int', sixtiesText(bare));
  if (FLOAT.test(source)) return typed('float', floatText(Number(bare)));
  const special = SPECIAL.exec(source);
  if (special !== null)
    return typed('float', special[1] === undefined ? 'nan' : `${special[1] === '-' ? '-' : ''}inf`);
  if (DATE.test(source)) return typed('date', source);
  const time = DATETIME.exec(source);
  return time === null ? typed('str', source) : typed('datetime', datetimeText(time));
}

function integerText(written: string): string {
  const negative = written.startsWith('-');
  let digits = written.replace(/^[-+]/, '');
  if (/^0[0-7]+$/.test(digits)) digits = `0o${digits.slice(1)}`;
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
