// Turns raw ReqIF values of all seven kinds into plain JSON, with enumerations by name.

import { exactNumber } from './exact-number.ts';
import type { AttributeValue } from './model.ts';
import type { ReqifDocument } from './reqif-document.ts';
import { decodeList } from './reqif-list-text.ts';
import type { RawValue } from './reqif-raw-values.ts';
import type { AttributeInfo, ReqifSet } from './reqif-set.ts';

/** The form of an `xsd:dateTime`, with its year, month and day. */
const DATE_TIME =
  /^-?(\d{4,})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)(?:Z|[+-]\d\d:\d\d)?$/;
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a text is a time of a day that there is. */
function isDateTime(text: string): boolean {
  const [whole, year = '', month = '', day = ''] = DATE_TIME.exec(text) ?? [];
  if (whole === undefined) return false;
  // Leap years recur every 400 years.
  const place = Number(year.slice(-4)) % 400;
  const isLeap = place % 4 === 0 && (place % 100 !== 0 || place === 0);
  const length = (LENGTHS[Number(month) - 1] ?? 0) + (isLeap && month === '02' ? 1 : 0);
  return Number(day) <= length;
}

/**
 * The value of an attribute: a boolean, a number where it is one without loss, the text
 * otherwise; of an enumeration the names of its values, in a list where there may be several.
 */
export function attributeValue(
  set: ReqifSet,
  document: ReqifDocument,
  raw: RawValue,
  info: AttributeInfo,
): AttributeValue {
  const { kind, text } = raw;
  switch (kind) {
    case 'BOOLEAN': {
      const said = text.trim();
      if (said === 'true' || said === '1') return true;
      if (said === 'false' || said === '0') return false;
      set.invalidValue(document, info.name, raw.line);
      return text;
    }
    case 'INTEGER':
    case 'REAL': {
      const pattern =
        kind === 'INTEGER' ? /^[+-]?\d+$/ : /^([+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|NaN|-?INF)$/;
      const said = text.trim();
      if (!pattern.test(said)) {
        set.invalidValue(document, info.name, raw.line);
        return text;
      }
      return exactNumber(said) ?? said;
    }
    case 'ENUMERATION': {
      const labels = raw.refs.map((ref) => set.enumLabel(document, ref, raw.line));
      const multiple = info.definition?.multiValued ?? false;
      return multiple || labels.length > 1 ? labels : (labels[0] ?? '');
    }
    case 'DATE':
      if (!isDateTime(text.trim())) set.invalidValue(document, info.name, raw.line);
      return text;
    default:
      return info.form === 'plain' ? text : ownForm(set, document, raw, info);
  }
}

function ownForm(
  set: ReqifSet,
  document: ReqifDocument,
  raw: RawValue,
  info: AttributeInfo,
): AttributeValue {
  if (info.form === 'list') return decodeList(raw.text);
  try {
    return JSON.parse(raw.text) as AttributeValue;
  } catch {
    set.invalidValue(document, info.name, raw.line);
    return raw.text;
  }
}

/** A value as text: of a list its entries, with commas. */
export function textOfValue(value: AttributeValue): string {
  if (Array.isArray(value)) return value.map(textOfValue).join(', ');
  return value === null ? '' : String(value);
}
