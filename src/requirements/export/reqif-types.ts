// The types of a ReqIF export: for the elements of one kind the attributes that they have, each of
// the datatype that holds all its values. StrictDoc, which knows neither BOOLEAN nor REAL, reads them.
import type { AttributeValue } from '../sources/model.ts';
import { attributeText, escapeAttribute, escapeText } from './xml-text.ts';

export interface Cell {
  /** Tells an attribute of ours from one of the source with the same name. */
  key: string;
  name: string;
  value: AttributeValue;
}

type Datatype = 'STRING' | 'XHTML' | 'INTEGER' | 'BOOLEAN';

interface Column {
  identifier: string;
  name: string;
  datatype: Datatype;
}

export interface ElementType {
  /** `SPEC-OBJECT`, `SPECIFICATION`, `SPEC-RELATION`. */
  element: string;
  identifier: string;
  name: string;
  columns: Map<string, Column>;
}

const RICH: ReadonlySet<string> = new Set(['ReqIF.Text', 'Rationale', 'Acceptance Criteria']);
const FIELDS = new Map([
  ['ReqIF.ForeignID', 'UID'],
  ['ReqIF.Name', 'TITLE'],
  ['ReqIF.ChapterName', 'TITLE'],
  ['ReqIF.Text', 'STATEMENT'],
]);
const RESERVED = ['COMMENT', 'CREATED_BY', 'MID', 'LEVEL', 'RELATIONS', 'REFS'];
const INTEGER = { MAX: '9007199254740991', MIN: '-9007199254740991' };

export function typeOf(
  element: string,
  identifier: string,
  name: string,
  cells: Iterable<readonly Cell[]>,
): ElementType {
  const columns = new Map<string, Column>();
  const taken = new Set(RESERVED);
  for (const cell of [...cells].flat()) {
    const known = columns.get(cell.key);
    const datatype = datatypeOf(cell);
    if (known) {
      if (known.datatype !== datatype)
        known.datatype = [known.datatype, datatype].includes('XHTML') ? 'XHTML' : 'STRING';
      continue;
    }
    const field = (text: string) =>
      FIELDS.get(text) ?? text.replace(/[^A-Za-z0-9]/g, '_').toUpperCase();
    let unique = cell.name.trim() || 'Attribute';
    for (let count = 2; taken.has(field(unique)); count += 1) unique = `${cell.name} ${count}`;
    taken.add(field(unique));
    const own = `${identifier}.attribute.${columns.size + 1}`;
    columns.set(cell.key, { identifier: own, name: unique, datatype });
  }
  return { element, identifier, name, columns };
}

function datatypeOf({ key, value }: Cell): Datatype {
  if (RICH.has(key)) return 'XHTML';
  if (typeof value === 'boolean') return 'BOOLEAN';
  if (Number.isSafeInteger(value)) return 'INTEGER';
  // StrictDoc reads escapes in a STRING.
  return /[\n\\]/.test(textOf(value)) ? 'XHTML' : 'STRING';
}

function textOf(value: AttributeValue): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return value === null ? '' : String(value);
}

export function datatypesText(time: string): string {
  const plain = { STRING: { 'MAX-LENGTH': '2147483647' }, XHTML: {}, INTEGER };
  const head = (name: string, more: Record<string, string>) =>
    attributeText({
      IDENTIFIER: `pqrs.datatype.${name}`,
      'LAST-CHANGE': time,
      'LONG-NAME': name,
      ...more,
    });
  const texts = Object.entries(plain).map(
    ([kind, more]) => `<DATATYPE-DEFINITION-${kind}${head(kind, more)}/>\n`,
  );
  const values = ['true', 'false'].map(
    (name, at) =>
      `<ENUM-VALUE${attributeText({ IDENTIFIER: `pqrs.${name}`, 'LAST-CHANGE': time, 'LONG-NAME': name })}><PROPERTIES><EMBEDDED-VALUE KEY="${at}" OTHER-CONTENT=""/></PROPERTIES></ENUM-VALUE>`,
  );
  return `<DATATYPES>\n${texts.join('')}<DATATYPE-DEFINITION-ENUMERATION${head('BOOLEAN', {})}><SPECIFIED-VALUES>${values.join('')}</SPECIFIED-VALUES></DATATYPE-DEFINITION-ENUMERATION>\n</DATATYPES>\n`;
}

export function typeText(
  { element, identifier, name, columns }: ElementType,
  time: string,
): string {
  const definitions = [...columns.values()].map((column) => {
    const kind = kindOf(column);
    const attributes = attributeText({
      IDENTIFIER: column.identifier,
      'LAST-CHANGE': time,
      'LONG-NAME': column.name,
      'MULTI-VALUED': kind === 'ENUMERATION' ? 'false' : undefined,
    });
    const ref = `DATATYPE-DEFINITION-${kind}-REF`;
    return `<ATTRIBUTE-DEFINITION-${kind}${attributes}><TYPE><${ref}>pqrs.datatype.${column.datatype}</${ref}></TYPE></ATTRIBUTE-DEFINITION-${kind}>\n`;
  });
  const inside =
    definitions.length === 0 ? '' : `<SPEC-ATTRIBUTES>\n${definitions.join('')}</SPEC-ATTRIBUTES>`;
  const head = attributeText({ IDENTIFIER: identifier, 'LAST-CHANGE': time, 'LONG-NAME': name });
  return `<${element}-TYPE${head}>${inside}</${element}-TYPE>\n`;
}

export function valuesText({ columns }: ElementType, cells: readonly Cell[]): string {
  const texts = cells.flatMap(({ key, value }) => {
    const column = columns.get(key);
    return column ? [valueText(column, value)] : [];
  });
  return texts.length === 0 ? '' : `<VALUES>${texts.join('')}</VALUES>`;
}

function valueText(column: Column, value: AttributeValue): string {
  const kind = kindOf(column);
  const ref = `ATTRIBUTE-DEFINITION-${kind}-REF`;
  const definition = `<DEFINITION><${ref}>${column.identifier}</${ref}></DEFINITION>`;
  if (kind === 'ENUMERATION')
    return `<ATTRIBUTE-VALUE-ENUMERATION>${definition}<VALUES><ENUM-VALUE-REF>pqrs.${value}</ENUM-VALUE-REF></VALUES></ATTRIBUTE-VALUE-ENUMERATION>\n`;
  if (kind === 'XHTML')
    return `<ATTRIBUTE-VALUE-XHTML>${definition}<THE-VALUE>${xhtmlOf(value, column)}</THE-VALUE></ATTRIBUTE-VALUE-XHTML>\n`;
  return `<ATTRIBUTE-VALUE-${kind} THE-VALUE="${escapeAttribute(textOf(value))}">${definition}</ATTRIBUTE-VALUE-${kind}>\n`;
}

function kindOf({ datatype }: Column): string {
  return datatype === 'BOOLEAN' ? 'ENUMERATION' : datatype;
}

function xhtmlOf(value: AttributeValue, { name }: Column): string {
  if (Array.isArray(value) && name === 'Acceptance Criteria') {
    const items = value.map((one) => `<xhtml:li>${linesOf(textOf(one))}</xhtml:li>\n`);
    return `<xhtml:div><xhtml:ul>\n${items.join('')}</xhtml:ul></xhtml:div>`;
  }
  const text = textOf(value);
  // Where white space says more than where lines and words end.
  if (/[ \t]{2}|\t|^\s|\s$|\n[ \t]|[ \t]\n|\n{3}/.test(text))
    return `<xhtml:div style="white-space: pre-wrap">${escapeText(text)}</xhtml:div>`;
  return `<xhtml:div>${linesOf(text)}</xhtml:div>`;
}

function linesOf(text: string): string {
  return escapeText(text).replaceAll('\n', '<xhtml:br/>\n');
}
