// The attributes of the types in a ReqIF export: for each type one definition for all that its
// elements say, of the kind that holds all their values without loss.

import type { AttributeValue } from '../sources/model.ts';
import { encodeList } from '../sources/reqif-list-text.ts';
import { encodeName, OWN, OWN_PREFIX, type Role } from '../sources/reqif-names.ts';
import { attributeText, escapeAttribute, escapeText, isXmlText, xmlSafeJson } from './xml-text.ts';

/** How a column is written: a ReqIF kind, or one of our two forms of STRING. */
export type ColumnForm = 'BOOLEAN' | 'INTEGER' | 'REAL' | 'STRING' | 'XHTML' | 'LIST' | 'JSON';

/** What an element says, under the LONG-NAME of the attribute. */
export interface Cell {
  /** What it means to the reader; null for an attribute of the source's own. */
  role: Role | null;
  name: string;
  value: AttributeValue;
  /** Text that is to be XHTML even if it has one line. */
  rich?: boolean;
}

interface Column {
  identifier: string;
  name: string;
  form: ColumnForm;
}

/** The columns of one type. */
export interface Columns {
  /** The SPEC-ATTRIBUTES element; empty where there are no columns. */
  definitions(lastChange: string): string;
  /** The VALUES element of an element of the type; empty where it says nothing. */
  values(cells: readonly Cell[]): string;
}

/** Identifiers of the datatypes by form. */
export const DATATYPE_IDS: Record<ColumnForm, string> = {
  BOOLEAN: `${OWN_PREFIX}datatype.boolean`,
  INTEGER: `${OWN_PREFIX}datatype.integer`,
  REAL: `${OWN_PREFIX}datatype.real`,
  STRING: `${OWN_PREFIX}datatype.string`,
  XHTML: `${OWN_PREFIX}datatype.xhtml`,
  LIST: OWN.listDatatype,
  JSON: OWN.jsonDatatype,
};

/** The kind of ReqIF that a form is written as. */
export function kindOfForm(form: ColumnForm): string {
  return form === 'LIST' || form === 'JSON' ? 'STRING' : form;
}

/**
 * The columns for all cells of the elements of a type.
 *
 * @param key - tells the type from the others, in identifiers
 */
export function columnsOf(key: string, elements: Iterable<readonly Cell[]>): Columns {
  const columns = new Map<string, Column>();
  let more = 0;
  for (const cells of elements) {
    for (const cell of cells) {
      const form = formOf(cell);
      const column = columns.get(columnKey(cell));
      if (column === undefined) {
        if (cell.role === null) more += 1;
        columns.set(columnKey(cell), {
          identifier: identifierOf(cell, key, more),
          name: cell.name,
          form,
        });
      } else {
        column.form = commonForm(column.form, form);
      }
    }
  }
  return {
    definitions: (lastChange) => definitionsText([...columns.values()], lastChange),
    values(cells) {
      let text = '';
      for (const cell of cells) {
        const column = columns.get(columnKey(cell));
        if (column !== undefined) text += valueText(column, cell.value);
      }
      return text === '' ? '' : `<VALUES>${text}</VALUES>`;
    },
  };
}

/** @param number - tells the attribute from the others of its type */
function identifierOf({ role, name }: Cell, key: string, number: number): string {
  if (role !== null) return `${OWN.role}${role}.${key}`;
  if (!isXmlText(name)) return `${OWN.name}${key}.${encodeName(name)}`;
  return `${OWN_PREFIX}attribute.${key}.${number}`;
}

function columnKey({ role, name }: Cell): string {
  return role === null ? `:${name}` : role;
}

/** The narrowest form that gives the value back as it is. */
function formOf({ value, rich }: Cell): ColumnForm {
  if (typeof value === 'boolean') return 'BOOLEAN';
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'JSON';
    return Number.isSafeInteger(value) ? 'INTEGER' : 'REAL';
  }
  if (typeof value === 'string') {
    if (!isXmlText(value)) return 'JSON';
    return rich === true || value.includes('\n') ? 'XHTML' : 'STRING';
  }
  const strings =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => typeof entry === 'string' && isXmlText(entry));
  return strings ? 'LIST' : 'JSON';
}

function commonForm(a: ColumnForm, b: ColumnForm): ColumnForm {
  if (a === b) return a;
  const both = new Set([a, b]);
  if (both.has('STRING') && both.has('XHTML')) return 'XHTML';
  if (both.has('INTEGER') && both.has('REAL')) return 'REAL';
  return 'JSON';
}

function definitionsText(columns: readonly Column[], lastChange: string): string {
  if (columns.length === 0) return '';
  let text = '<SPEC-ATTRIBUTES>\n';
  for (const { identifier, name, form } of columns) {
    const kind = kindOfForm(form);
    const attributes = attributeText({
      IDENTIFIER: identifier,
      'LAST-CHANGE': lastChange,
      'LONG-NAME': name,
    });
    const reference = `DATATYPE-DEFINITION-${kind}-REF`;
    text += `<ATTRIBUTE-DEFINITION-${kind}${attributes}><TYPE><${reference}>${DATATYPE_IDS[form]}</${reference}></TYPE></ATTRIBUTE-DEFINITION-${kind}>\n`;
  }
  return `${text}</SPEC-ATTRIBUTES>`;
}

function valueText({ identifier, form }: Column, value: AttributeValue): string {
  const kind = kindOfForm(form);
  const reference = `ATTRIBUTE-DEFINITION-${kind}-REF`;
  const definition = `<DEFINITION><${reference}>${identifier}</${reference}></DEFINITION>`;
  if (form === 'XHTML') {
    return `<ATTRIBUTE-VALUE-XHTML>${definition}<THE-VALUE>${xhtmlOf(String(value))}</THE-VALUE></ATTRIBUTE-VALUE-XHTML>\n`;
  }
  const said = escapeAttribute(plainText(form, value));
  return `<ATTRIBUTE-VALUE-${kind} THE-VALUE="${said}">${definition}</ATTRIBUTE-VALUE-${kind}>\n`;
}

function plainText(form: ColumnForm, value: AttributeValue): string {
  if (form === 'JSON') return xmlSafeJson(value);
  return form === 'LIST' ? encodeList(value as string[]) : String(value);
}

/** Text as XHTML that every tool shows with its line breaks and spaces. */
function xhtmlOf(text: string): string {
  const lines = text.split('\n').map(escapeText).join('<xhtml:br/>');
  return `<xhtml:div style="white-space: pre-wrap">${lines}</xhtml:div>`;
}
