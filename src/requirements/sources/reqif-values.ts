// Turns raw ReqIF values of all seven kinds into plain JSON, with enumerations by name.

import type { AttributeValue } from './model.ts';
import type { ReqifDocument } from './reqif-document.ts';
import { decodeList } from './reqif-list-text.ts';
import type { RawValue } from './reqif-raw-values.ts';
import type { AttributeInfo, ReqifSet } from './reqif-set.ts';

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
      return numberOf(said) ?? said;
    }
    case 'ENUMERATION': {
      const labels = raw.refs.map((ref) => set.enumLabel(document, ref, raw.line));
      const multiple = info.definition?.multiValued ?? false;
      return multiple || labels.length > 1 ? labels : (labels[0] ?? '');
    }
    default:
      return info.form === 'plain' ? text : ownForm(set, document, raw, info);
  }
}

/** A number that is what its digits say, or undefined where it would lose some of them. */
function numberOf(text: string): number | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  if (Number.isInteger(number) && Math.abs(number) > Number.MAX_SAFE_INTEGER) {
    return String(number) === text ? number : undefined;
  }
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15 || String(number) === text ? number : undefined;
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
