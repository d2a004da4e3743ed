// The types of a ReqIF export: for the elements of one kind the attributes that they have, each a plain
// text or, where a value has several lines, XHTML: what every tool reads.
import type { AttributeValue } from '../sources/model.ts';
import { element, escapeText } from './xml-text.ts';

export interface Cell {
  /** Tells an attribute of ours from one of the source with the same name. */
  key: string;
  name: string;
  value: AttributeValue;
}

type Datatype = 'STRING' | 'XHTML';

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
/** The names that StrictDoc gives to attributes, of which no two may be the same. */
const FIELDS: Record<string, string> = {
  'ReqIF.ForeignID': 'UID',
  'ReqIF.Name': 'TITLE',
  'ReqIF.ChapterName': 'TITLE',
  'ReqIF.Text': 'STATEMENT',
};
const RESERVED = ['COMMENT', 'CREATED_BY', 'MID', 'LEVEL', 'RELATIONS', 'REFS'];

export function typeOf(
  element: string,
  identifier: string,
  name: string,
  cells: readonly (readonly Cell[])[],
): ElementType {
  const columns = new Map<string, Column>();
  const taken = new Set(RESERVED);
  const fieldOf = (text: string) =>
    FIELDS[text] ?? text.replace(/[^A-Za-z0-9]/g, '_').toUpperCase();
  for (const cell of cells.flat()) {
    const known = columns.get(cell.key);
    const datatype = datatypeOf(cell);
    if (!known) {
      let unique = cell.name.trim() || 'Attribute';
      for (let count = 2; taken.has(fieldOf(unique)); count += 1) unique = `${cell.name} ${count}`;
      taken.add(fieldOf(unique));
      const own = `${identifier}.attribute.${columns.size + 1}`;
      columns.set(cell.key, { identifier: own, name: unique, datatype });
    } else if (datatype === 'XHTML') known.datatype = datatype;
  }
  return { element, identifier, name, columns };
}

function datatypeOf({ key, value }: Cell): Datatype {
  // StrictDoc reads escapes in a STRING.
  return RICH.has(key) || /[\n\\]/.test(textOf(value)) ? 'XHTML' : 'STRING';
}

function textOf(value: AttributeValue): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return value === null ? '' : String(value);
}

export function datatypesText(time: string): string {
  const head = (name: Datatype) => ({
    IDENTIFIER: `pqrs.datatype.${name}`,
    'LAST-CHANGE': time,
    'LONG-NAME': name,
  });
  return element(
    'DATATYPES',
    {},
    element('DATATYPE-DEFINITION-STRING', { ...head('STRING'), 'MAX-LENGTH': '2147483647' }),
    element('DATATYPE-DEFINITION-XHTML', head('XHTML')),
  );
}

export function typeText(type: ElementType, time: string): string {
  const headOf = ({ identifier, name }: { identifier: string; name: string }) => ({
    IDENTIFIER: identifier,
    'LAST-CHANGE': time,
    'LONG-NAME': name,
  });
  const definitions = [...type.columns.values()].map((column) => {
    const { datatype } = column;
    const ref = refTo(`DATATYPE-DEFINITION-${datatype}`, `pqrs.datatype.${datatype}`);
    return element(`ATTRIBUTE-DEFINITION-${datatype}`, headOf(column), element('TYPE', {}, ref));
  });
  const attributes = definitions.length === 0 ? '' : element('SPEC-ATTRIBUTES', {}, ...definitions);
  return element(`${type.element}-TYPE`, headOf(type), attributes);
}

export function refTo(name: string, identifier: string): string {
  return element(`${name}-REF`, {}, escapeText(identifier));
}

export function valuesText({ columns }: ElementType, cells: readonly Cell[]): string {
  const texts = cells.flatMap(({ key, value }) => {
    const column = columns.get(key);
    return column ? [valueText(column, value)] : [];
  });
  return texts.length === 0 ? '' : element('VALUES', {}, ...texts);
}

function valueText({ identifier, name, datatype }: Column, value: AttributeValue): string {
  const definition = element(
    'DEFINITION',
    {},
    refTo(`ATTRIBUTE-DEFINITION-${datatype}`, identifier),
  );
  if (datatype === 'STRING')
    return element('ATTRIBUTE-VALUE-STRING', { 'THE-VALUE': textOf(value) }, definition);
  const content = element('THE-VALUE', {}, xhtmlOf(value, name));
  return element('ATTRIBUTE-VALUE-XHTML', {}, definition, content);
}

function xhtmlOf(value: AttributeValue, name: string): string {
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
