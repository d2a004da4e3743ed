// Grammars of StrictDoc: which kinds of nodes a document may hold, with which fields and relations.
import type {
  FieldType,
  Grammar,
  GrammarElement,
  GrammarField,
  Report,
} from './strictdoc-model.ts';

/** So that holding every node against its element takes a bounded time. */
const MOST_FIELDS = 200;
const LINE = /^(\s*)(- )?([A-Za-z_]+):(?:\s*(.*))?$/s;
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
  const grammar: Grammar = { elements: new Map(), importedFrom: null, line };
  let element: GrammarElement | null = null;
  let field: GrammarField | null = null;
  let part = '';
  const strange = (at: number, text: string) =>
    report(
      'unparsed_source',
      'error',
      at,
      `The line fits nowhere in a grammar: ${text.trim().slice(0, 60)}`,
    );
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue;
    const at = firstLine + index;
    const match = LINE.exec(text);
    const [, , dash, name = '', rest = ''] = match ?? [];
    const value = rest.trim();
    if (name === 'IMPORT_FROM_FILE') grammar.importedFrom = value;
    else if (name === 'ELEMENTS') part = 'elements';
    else if (name === 'TAG' && dash !== undefined) {
      element = { tag: value, composite: false, fields: new Map(), relations: null };
      grammar.elements.set(value, element);
      part = 'tag';
    } else if (element === null) strange(at, text);
    else if (name === 'PROPERTIES' || name === 'FIELDS') part = name;
    else if (name === 'RELATIONS') {
      part = name;
      element.relations = [];
    } else if (part === 'FIELDS' && name === 'TITLE' && dash !== undefined) {
      field = { name: value, type: 'String', options: new Set(), required: false };
      if (element.fields.size < MOST_FIELDS) element.fields.set(value, field);
      else
        report('unparsed_source', 'error', at, `An element has more than ${MOST_FIELDS} fields.`);
    } else if (part === 'FIELDS' && field !== null) {
      if (!readFieldLine(field, name, value)) strange(at, text);
    } else if (part === 'RELATIONS' && name === 'TYPE' && dash !== undefined) {
      if ((element.relations?.length ?? 0) < MOST_FIELDS)
        element.relations?.push({ type: value, role: null });
      else strange(at, text);
    } else if (part === 'RELATIONS' && (name === 'ROLE' || name === 'REVERSE_ROLE')) {
      const relation = element.relations?.at(-1);
      if (relation !== undefined && name === 'ROLE') relation.role = value || null;
      if (value === '') strange(at, text);
    } else if (part === 'PROPERTIES' && match !== null) {
      if (name !== 'IS_COMPOSITE') continue;
      element.composite = value === 'True';
      if (value !== 'True' && value !== 'False') strange(at, text);
    } else strange(at, text);
  }
  return grammar;
}

function readFieldLine(field: GrammarField, name: string, value: string): boolean {
  if (name === 'HUMAN_TITLE') return true;
  if (name === 'REQUIRED') {
    field.required = value === 'True';
    return value === 'True' || value === 'False';
  }
  if (name !== 'TYPE') return false;
  const type = TYPE.exec(value);
  if (type === null) return false;
  field.type = type[1] as FieldType;
  if (type[2] !== undefined) {
    field.options = new Set(
      type[2].split(',').map((option) => option.trim().replace(/^"|"$/g, '')),
    );
  }
  return true;
}

const fieldsOf = (optional: string[], required: string[] = []): Map<string, GrammarField> =>
  new Map(
    [...optional, ...required].map((name) => [
      name,
      { name, type: 'String', options: new Set(), required: required.includes(name) },
    ]),
  );

const BUILT_IN: GrammarElement[] = [
  {
    tag: 'SECTION',
    composite: true,
    fields: fieldsOf(['MID', 'UID', 'LEVEL', 'PREFIX'], ['TITLE']),
    relations: null,
  },
  {
    tag: 'TEXT',
    composite: false,
    fields: fieldsOf(['MID', 'UID'], ['STATEMENT']),
    relations: null,
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
    },
  ].map((element) => [element.tag, element]),
);

/** A grammar with the kinds of nodes that every document may hold. */
export function withBuiltIn(grammar: Grammar): ReadonlyMap<string, GrammarElement> {
  const elements = new Map(BUILT_IN.map((element) => [element.tag, element]));
  for (const [tag, element] of grammar.elements) elements.set(tag, element);
  return elements;
}
