// The values of ReqIF attributes: as they are written, and as plain JSON, with enumerations by name.
import { type Part, take, takeText } from '../account.ts';
import type { AttributeValue } from '../model.ts';
import type { RankedRole } from './names.ts';
import { xhtmlText } from './xhtml.ts';

export interface Value {
  kind: string;
  /** The identifier of the attribute's definition. */
  definition: string;
  /** THE-VALUE; of XHTML its text. */
  text: string;
  /** Of an enumeration the identifiers of its values. */
  refs: string[];
  /** The text of THE-ORIGINAL-VALUE, of which THE-VALUE is a simplification. */
  original: string;
  line: number;
}

export interface Definition {
  identifier: string;
  /** LONG-NAME, else the identifier. */
  name: string;
  role: RankedRole | undefined;
  datatype: string;
  isMultiValued: boolean;
  defaultValue: Value | undefined;
  line: number;
}

const KINDS = new Map(
  ['BOOLEAN', 'INTEGER', 'REAL', 'STRING', 'DATE', 'ENUMERATION', 'XHTML'].map((kind) => [
    `ATTRIBUTE-VALUE-${kind}`,
    kind,
  ]),
);

/**
 * The values in a VALUES or DEFAULT-VALUE element, one of each attribute. What is none, or a second
 * of its attribute, is left untaken.
 * @param owner - the definition in whose DEFAULT-VALUE they stand
 */
export function readValues(element: Part | undefined, owner?: string): Value[] {
  if (element === undefined) return [];
  const values: Value[] = [];
  const seen = new Set<string>();
  for (const part of element.parts) {
    const kind = KINDS.get(part.name);
    if (kind === undefined) continue;
    const definition = refIn(part, 'DEFINITION') || (owner ?? '');
    if (definition === '' || seen.has(owner ?? definition)) continue;
    seen.add(owner ?? definition);
    part.kept = true;
    const content = kind === 'XHTML' ? take(part, 'THE-VALUE') : undefined;
    const original = kind === 'XHTML' ? take(part, 'THE-ORIGINAL-VALUE') : undefined;
    values.push({
      kind,
      definition: owner ?? definition,
      text: content ? xhtmlText(content) : (takeText(part, '@THE-VALUE') ?? ''),
      refs: kind === 'ENUMERATION' ? refsIn(take(part, 'VALUES')) : [],
      original: original ? xhtmlText(original) : '',
      line: part.line,
    });
  }
  return values;
}

export function refIn(part: Part, child: string): string {
  const ref = take(part, child)?.parts.find(({ name }) => name.endsWith('-REF'));
  return ref === undefined ? '' : textOfRef(ref);
}

export function refsIn(part: Part | undefined): string[] {
  return (part?.parts ?? []).filter(({ name }) => name.endsWith('-REF')).map(textOfRef);
}

function textOfRef(ref: Part): string {
  ref.kept = true;
  return foldSpace(takeText(ref, '#text') ?? '');
}

export function foldSpace(text: string): string {
  return /\s/.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
}

/**
 * A value as JSON: a boolean, a number where that holds all of its digits, else the text; of an
 * enumeration the names of its values, in a list where there may be several. Undefined where it is not
 * of its kind.
 * @param nameOf - the name of an enumeration's value
 */
export function jsonValue(
  { kind, text, refs }: Value,
  definition: Definition,
  nameOf: (identifier: string) => string,
): AttributeValue | undefined {
  const written = text.trim();
  switch (kind) {
    case 'BOOLEAN':
      if (/^(?:true|1)$/.test(written)) return true;
      if (/^(?:false|0)$/.test(written)) return false;
      break;
    case 'INTEGER':
      if (/^[+-]?\d+$/.test(written)) return exactNumber(written);
      break;
    case 'REAL':
      if (/^(?:NaN|-?INF)$/.test(written)) return written;
      if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(written))
        return exactNumber(written);
      break;
    case 'ENUMERATION': {
      const names = refs.map(nameOf);
      return definition.isMultiValued || names.length > 1 ? names : (names[0] ?? '');
    }
    default:
      return text;
  }
  return undefined;
}

function exactNumber(written: string): number | string {
  const number = Number(written);
  const isZero = !/[1-9]/.test(written.replace(/e.*/i, ''));
  const isExact = written.length <= 15 && Number.isFinite(number) && isZero === (number === 0);
  return isExact ? number : written;
}

export function valueText(value: AttributeValue): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return value === null ? '' : String(value);
}
