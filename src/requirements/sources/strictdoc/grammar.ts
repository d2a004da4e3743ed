// Grammars of StrictDoc: which kinds of nodes a document may hold, with which fields. What they say of
// relations and of how nodes look is read and not used.
import type { Lines } from '../account.ts';
import type { FileReport } from '../report.ts';
import type { Grammar, GrammarElement, GrammarField, SdocField, SdocNode } from './model.ts';

const MAX_FIELDS = 200;
const LINE = /^\s*(- )?([A-Za-z_]+):(?:\s*(.*))?$/s;
const TYPE = /^(String|SingleChoice|MultipleChoice|Tag)(?:\((.*)\))?$/;
const LISTS = new Set(['ELEMENTS', 'PROPERTIES', 'FIELDS', 'RELATIONS']);
/** What is read and not used, by the list in which it stands. */
const UNUSED = new Set([
  ...['PROPERTIES/IS_COMPOSITE', 'PROPERTIES/PREFIX', 'PROPERTIES/VIEW_STYLE'],
  ...['FIELDS/HUMAN_TITLE', 'RELATIONS/TYPE', 'RELATIONS/ROLE', 'RELATIONS/REVERSE_ROLE'],
]);

export function readGrammar(lines: Lines, from: number, to: number): Grammar {
  const grammar: Grammar = { elements: new Map(), importedFrom: null, line: from - 1 };
  let element: GrammarElement | undefined;
  let field: GrammarField | undefined;
  let list = '';

  function isRead(dash: string | undefined, name: string, value: string): boolean {
    if (LISTS.has(name)) {
      list = name;
      return value === '' && (element !== undefined || name === 'ELEMENTS');
    }
    if (name === 'IMPORT_FROM_FILE' && grammar.importedFrom === null && value !== '') {
      grammar.importedFrom = value;
      return true;
    }
    if (name === 'TAG' && dash !== undefined) {
      const isNew = !grammar.elements.has(value);
      element = new Map();
      if (isNew) grammar.elements.set(value, element);
      return isNew;
    }
    if (element === undefined) return false;
    if (list === 'FIELDS' && name === 'TITLE' && dash !== undefined) {
      const isNew = !element.has(value) && element.size < MAX_FIELDS;
      field = { type: 'String', options: new Set(), required: false };
      if (isNew) element.set(value, field);
      return isNew;
    }
    if (UNUSED.has(`${list}/${name}`)) return true;
    return list === 'FIELDS' && field !== undefined && readRule(field, name, value);
  }

  for (let at = from; at <= to; at++) {
    const [, dash, name = '', rest = ''] = LINE.exec(lines.all[at - 1] ?? '') ?? [];
    if (isRead(dash, name, rest.trim())) lines.take(at);
  }
  return grammar;
}

function readRule(field: GrammarField, name: string, value: string): boolean {
  if (name === 'REQUIRED') {
    field.required = value === 'True';
    return value === 'True' || value === 'False';
  }
  const [whole, type, options] = (name === 'TYPE' && TYPE.exec(value)) || [];
  if (whole === undefined) return false;
  field.type = type as GrammarField['type'];
  const named = options?.split(',') ?? [];
  field.options = new Set(named.map((option) => option.trim().replace(/^"|"$/g, '')));
  return true;
}

function elementOf(optional: string[], required: string[] = []): GrammarElement {
  const field = (isRequired: boolean): GrammarField => ({
    type: 'String',
    options: new Set(),
    required: isRequired,
  });
  return new Map([
    ...optional.map((name) => [name, field(false)] as const),
    ...required.map((name) => [name, field(true)] as const),
  ]);
}

const BUILT_IN: [string, GrammarElement][] = [
  ['SECTION', elementOf(['MID', 'UID', 'LEVEL', 'PREFIX'], ['TITLE'])],
  ['TEXT', elementOf(['MID', 'UID'], ['STATEMENT'])],
];
const REQUIREMENT = elementOf([
  ...['MID', 'UID', 'LEVEL', 'STATUS', 'TAGS', 'TITLE', 'STATEMENT', 'RATIONALE', 'COMMENT'],
]);

export const DEFAULT_GRAMMAR: ReadonlyMap<string, GrammarElement> = new Map([
  ...BUILT_IN,
  ['REQUIREMENT', REQUIREMENT],
]);

export function withBuiltIn({ elements }: Grammar): ReadonlyMap<string, GrammarElement> {
  return new Map([...BUILT_IN, ...elements]);
}

/** What may stand for a choice that is not made yet. */
const OPEN_CHOICES = new Set(['TBD', 'TBC']);
const OLDER_SECTION = new Set(['REQ_PREFIX', 'PREFIX', 'LEVEL']);

export function checkNode(
  { tag, fields, line }: SdocNode,
  id: string,
  elements: ReadonlyMap<string, GrammarElement>,
  report: FileReport,
): void {
  const of = { itemId: id };
  // The older notation of a requirement with others below it.
  const composite = tag === 'COMPOSITE_REQUIREMENT' ? elements.get('REQUIREMENT') : undefined;
  const element = elements.get(tag) ?? composite;
  if (element === undefined) {
    report.report('unknown_node_type', line, `The grammar knows no ${tag}.`, of);
    return;
  }
  for (const field of fields) {
    const wanted = element.get(field.name);
    if (wanted !== undefined) {
      const wrong = wrongChoice(field, wanted);
      if (wrong === undefined) continue;
      const options = [...wanted.options].join(', ').slice(0, 200);
      const detail = `${field.name} is one of ${options}, not ${wrong.slice(0, 60)}.`;
      report.report('invalid_value', field.line, detail, of);
    } else if (field.name !== 'MID' && !(tag === 'SECTION' && OLDER_SECTION.has(field.name))) {
      const detail = `The grammar knows no field ${field.name.slice(0, 80)} of ${tag}.`;
      report.report('unknown_field', field.line, detail, of);
    }
  }
  const names = new Set(fields.map(({ name }) => name));
  const missing = [...element].filter(([name, { required }]) => required && !names.has(name));
  if (missing.length === 0) return;
  const shown = missing.map(([name]) => name).join(', ');
  report.report('missing_field', line, `Missing, though required: ${shown.slice(0, 200)}.`, of);
}

function wrongChoice({ value }: SdocField, { type, options }: GrammarField): string | undefined {
  if (type === 'String' || type === 'Tag') return undefined;
  const choices = type === 'SingleChoice' ? [value] : value.split(',');
  return choices
    .map((choice) => choice.trim())
    .find((choice) => !options.has(choice) && !OPEN_CHOICES.has(choice));
}
