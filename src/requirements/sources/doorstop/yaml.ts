// YAML as Doorstop sees it: the values that PyYAML's safe loader makes of a text (YAML 1.1, so `yes`
// is true and 017 is 15), each with its line.
import { type Loss, lossesOf } from '../account.ts';
import type { FileReport } from '../report.ts';
import { SourceFault } from '../tree/fault.ts';
import { parseYaml, type YamlPart } from '../tree/yaml.ts';
import { floatText, type PyMap, type PyScalar, type PyValue } from './python.ts';

const MAX_CHARACTERS = 1024 * 1024;

/**
 * Reads a YAML text whose top is a map. Of a key that stands twice the last holds; the others and
 * tags are reported.
 *
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
  return { kind: 'str', line, text, source: text, plain: false };
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
const MAX_NUMBER = 100;

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
  if (source.length > MAX_NUMBER) return typed('str', source);
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
