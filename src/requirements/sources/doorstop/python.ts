// How Python prints values: Doorstop hashes what `str` and `repr` give, so whoever checks its stamps
// must print the same.

/** A value as PyYAML's safe loader makes it, with where it stands in its file. */
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
  /** As written in the file, for a scalar without quotes. */
  source: string;
  plain: boolean;
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

/** Whether a value is neither a list nor a map. */
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

/** Prints a number as Python's `repr` of a float does. */
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

/** Prints a string as Python's `repr` does, with its choice of quotes and escapes. */
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

/** Prints a scalar as `repr` does. */
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

/** The same for a scalar whose type is given by name, such as `bool`. */
export function typedScalar(type: string, text: string): string {
  return `\\T<class '${type}'>\\V${text.replaceAll('\\', '\\\\')}`;
}
