// Grammars of StrictDoc: which kinds of nodes a document may hold, with which fields and relations.
import { RELATION_TYPES } from './strictdoc-check.ts';
import { fieldRule, replacedElement, replacedRelations } from './strictdoc-grammar-details.ts';
import type {
  FieldType,
  Grammar,
  GrammarElement,
  GrammarField,
  GrammarRelation,
  Report,
} from './strictdoc-model.ts';

/** So that holding every node against its element takes a bounded time. */
const MOST_FIELDS = 200;
const LINE = /^(\s*)(- )?([A-Za-z_]+):(?:\s*(.*))?$/s;
/** What has nothing beside it, but lines below it. */
const LISTS = new Set(['ELEMENTS', 'PROPERTIES', 'FIELDS', 'RELATIONS']);
const TYPE = /^(String|SingleChoice|MultipleChoice|Tag)(?:\((.*)\))?$/;

/**
 * Reads the lines of a grammar.
 *
 * @param firstLine - the number of the first of them
 * @param line - where the grammar begins
 */
export function readGrammar(
  lines: readonly string[],
  firstLine: number,
  line: number,
  report: Report,
): Grammar {
  const grammar: Grammar = { elements: new Map(), importedFrom: null, line, unread: [] };
  let element: GrammarElement | null = null;
  let field: GrammarField | null = null;
  let relation: GrammarRelation | null = null;
  let part = '';
  const strange = (at: number, text: string) =>
    report(
      'unparsed_source',
      'error',
      at,
      `The line fits nowhere in a grammar: ${text.trim().slice(0, 60)}`,
    );
  const twice = (at: number, what: string, lost?: string) => {
    const more = lost === undefined ? '' : `, and this is not kept: ${lost.slice(0, 200)}`;
    const detail = `${what.slice(0, 80)} stands twice: the last one holds${more}.`;
    report('duplicate_field', 'error', at, detail);
  };
  /** By what is open, an element, a field or a relation, the values that its lines give by name. */
  const given = new WeakMap<object, Map<string, string>>();
  const once = (at: number, name: string, value: string, open: object, of: string) => {
    const values = given.get(open) ?? new Map<string, string>();
    given.set(open, values);
    const earlier = values.get(name);
    if (earlier !== undefined) twice(at, `The ${name} of ${of}`, earlier);
    values.set(name, value);
  };
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue;
    const at = firstLine + index;
    const match = LINE.exec(text);
    const [, , dash, name = '', rest = ''] = match ?? [];
    const value = rest.trim();
    const unread = (of: string) =>
      grammar.unread.push({
        text: `${name} of ${of.slice(0, 80)} (${value.slice(0, 80)})`,
        line: at,
      });
    if (LISTS.has(name) && value !== '') strange(at, text);
    else if (name === 'IMPORT_FROM_FILE') {
      if (grammar.importedFrom !== null) twice(at, name, grammar.importedFrom);
      grammar.importedFrom = value;
    } else if (name === 'ELEMENTS') part = 'elements';
    else if (name === 'TAG' && dash !== undefined) {
      const earlier = grammar.elements.get(value);
      if (earlier !== undefined) {
        twice(at, `The TAG ${value}`);
        grammar.unread.push(...replacedElement(earlier));
      }
      element = { tag: value, composite: false, fields: new Map(), relations: null, line: at };
      grammar.elements.set(value, element);
      field = null;
      relation = null;
      part = 'tag';
    } else if (element === null) strange(at, text);
    else if (name === 'PROPERTIES' || name === 'FIELDS') part = name;
    else if (name === 'RELATIONS') {
      part = name;
      if (element.relations !== null) {
        twice(at, `RELATIONS of ${element.tag}`);
        grammar.unread.push(...replacedRelations(element));
      }
      element.relations = [];
      relation = null;
    } else if (part === 'FIELDS' && name === 'TITLE' && dash !== undefined) {
      const earlier = element.fields.get(value);
      if (earlier !== undefined) twice(at, `The field ${value}`, fieldRule(earlier));
      field = { name: value, type: 'String', options: new Set(), required: false, line: at };
      if (element.fields.size < MOST_FIELDS) element.fields.set(value, field);
      else
        report('unparsed_source', 'error', at, `An element has more than ${MOST_FIELDS} fields.`);
    } else if (part === 'FIELDS' && field !== null) {
      if (name === 'HUMAN_TITLE') unread(`${field.name} of ${element.tag}`);
      else if (readFieldLine(field, name, value)) once(at, name, value, field, field.name);
      else strange(at, text);
    } else if (part === 'RELATIONS' && name === 'TYPE' && dash !== undefined) {
      const isUsable = RELATION_TYPES.has(value) && (element.relations?.length ?? 0) < MOST_FIELDS;
      relation = isUsable ? { type: value, role: null, line: at } : null;
      if (relation === null) strange(at, text);
      else element.relations?.push(relation);
    } else if (part === 'RELATIONS' && (name === 'ROLE' || name === 'REVERSE_ROLE')) {
      if (relation === null || value === '') strange(at, text);
      else if (name === 'ROLE') {
        once(at, name, value, relation, `${relation.type} of ${element.tag}`);
        relation.role = value;
      } else unread(`${relation.type} of ${element.tag}`);
    } else if (part === 'PROPERTIES' && (name === 'PREFIX' || name === 'VIEW_STYLE')) {
      unread(element.tag);
    } else if (part === 'PROPERTIES' && name === 'IS_COMPOSITE') {
      if (isBoolean(value)) {
        once(at, name, value, element, element.tag);
        element.composite = value === 'True';
      } else strange(at, text);
    } else strange(at, text);
  }
  if (grammar.importedFrom !== null && grammar.elements.size > 0) {
    const detail =
      'The grammar is that of another file: the ELEMENTS that stand here are not used.';
    report('unparsed_source', 'error', line, detail);
  }
  return grammar;
}

function readFieldLine(field: GrammarField, name: string, value: string): boolean {
  if (name === 'REQUIRED') {
    if (isBoolean(value)) field.required = value === 'True';
    return isBoolean(value);
  }
  if (name !== 'TYPE') return false;
  const type = TYPE.exec(value);
  if (type === null) return false;
  field.type = type[1] as FieldType;
  const options = type[2]?.split(',') ?? [];
  field.options = new Set(options.map((option) => option.trim().replace(/^"|"$/g, '')));
  return true;
}

function isBoolean(value: string): boolean {
  return value === 'True' || value === 'False';
}

const fieldsOf = (optional: string[], required: string[] = []): Map<string, GrammarField> =>
  new Map(
    [...optional, ...required].map((name) => [
      name,
      { name, type: 'String', options: new Set(), required: required.includes(name), line: 0 },
    ]),
  );

const BUILT_IN: GrammarElement[] = [
  {
    tag: 'SECTION',
    composite: true,
    fields: fieldsOf(['MID', 'UID', 'LEVEL', 'PREFIX'], ['TITLE']),
    relations: null,
    line: 0,
  },
  {
    tag: 'TEXT',
    composite: false,
    fields: fieldsOf(['MID', 'UID'], ['STATEMENT']),
    relations: null,
    line: 0,
  },
];

/** The grammar of a document that has none. */
export const DEFAULT_GRAMMAR: ReadonlyMap<string, GrammarElement> = new Map(
  [
    ...BUILT_IN,
    {
      tag: 'REQUIREMENT',
      composite: false,
      fields: fieldsOf([
        'MID',
        'UID',
        'LEVEL',
        'STATUS',
        'TAGS',
        'TITLE',
        'STATEMENT',
        'RATIONALE',
        'COMMENT',
      ]),
      relations: null,
      line: 0,
    },
  ].map((element) => [element.tag, element]),
);

/** A grammar with the kinds of nodes that every document may hold. */
export function withBuiltIn(grammar: Grammar): ReadonlyMap<string, GrammarElement> {
  const elements = new Map(BUILT_IN.map((element) => [element.tag, element]));
  for (const [tag, element] of grammar.elements) elements.set(tag, element);
  return elements;
}
