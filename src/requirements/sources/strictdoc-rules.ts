// What StrictDoc asks of every document and node, whatever its grammar.
import { RELATION_TYPES } from './strictdoc-check.ts';
import { isNormativeNode, statementOf } from './strictdoc-items.ts';
import { shownRelation } from './strictdoc-links.ts';
import {
  fieldOf,
  type Report,
  type SdocContent,
  type SdocField,
  type SdocNode,
  type SdocRelation,
} from './strictdoc-model.ts';

const DOCUMENT_FIELDS =
  /^(?:MID|TITLE|UID|VERSION|DATE|CLASSIFICATION|(?:REQ_)?PREFIX|ROOT|(?:OPTIONS|METADATA|VIEWS|SPECIAL_FIELDS)\..+)$/;

/** Checks the fields of a document itself. */
export function checkDocument(
  { fields, isFragment }: SdocContent,
  id: string,
  report: Report,
): void {
  for (const { name, line } of fields) {
    if (DOCUMENT_FIELDS.test(name)) continue;
    report('unknown_field', 'error', line, `A document has no field ${name.slice(0, 80)}.`);
  }
  for (const field of fields) checkFilled(field, id, report);
  if (!isFragment && fieldOf({ fields }, 'TITLE') === null)
    report('missing_required_field', 'error', 1, 'The document has no TITLE.', id);
}

/** Checks one node. */
export function checkAnyNode(node: SdocNode, id: string, report: Report): void {
  const statement = isNormativeNode(node) ? statementOf(node) : undefined;
  for (const field of node.fields) {
    if (field === statement && field.value === '') {
      const detail = `${id} says nothing: the field ${field.name} is empty.`;
      report('missing_statement', 'warning', field.line, detail, id);
    } else checkFilled(field, id, report);
  }
  const seen = new Set<string>();
  for (const relation of node.relations) {
    checkRelation(relation, id, report);
    const { type, value, role, line } = relation;
    const key = JSON.stringify([type, value, role]);
    if (type !== 'File' && value !== '' && seen.has(key))
      report('duplicate_link', 'info', line, `The relation to ${value} stands twice.`, id, [value]);
    seen.add(key);
  }
}

function checkFilled({ name, value, line }: SdocField, id: string, report: Report): void {
  // Those with a dot stand in a list, where StrictDoc lets them be empty.
  if (value === '' && !name.includes('.'))
    report('empty_field', 'warning', line, `The field ${name} is empty.`, id);
}

const RELATION_FIELDS = ['TYPE', 'VALUE', 'ROLE'];
const FILE_FIELDS = ['FORMAT', 'PATH', 'ELEMENT', 'ID', 'LINE_RANGE', 'FUNCTION', 'CLASS', 'HASH'];

/** The fields of a relation that StrictDoc does not know. */
function unknownFields({ type, fields }: SdocRelation): SdocField[] {
  const known = type === 'File' ? [...RELATION_FIELDS, ...FILE_FIELDS] : RELATION_FIELDS;
  return fields.filter(({ name }) => !known.includes(name));
}

function checkRelation(relation: SdocRelation, id: string, report: Report): void {
  const { type, value, line, fields } = relation;
  if (value === '' || !RELATION_TYPES.has(type)) {
    const detail = `A relation is Parent, Child or File, and names what it is to: this one makes no link, and is kept as an attribute: ${shownRelation(relation)}`;
    report('invalid_relation', 'error', line, detail, id);
    return;
  }
  for (const field of unknownFields(relation)) {
    const detail = `A relation of the type ${type} has no field ${field.name.slice(0, 80)}.`;
    report('unknown_field', 'error', field.line, detail, id);
  }
  const names = new Set<string>();
  for (const field of fields) {
    const { name, line: at } = field;
    checkFilled(field, id, report);
    if (names.has(name))
      report(
        'duplicate_field',
        'error',
        at,
        `The field ${name} stands twice: the first holds.`,
        id,
      );
    names.add(name);
  }
}

/** Finds MIDs that more than one document or node has, where that does not give them one id. */
export function checkMids(
  blocks: Iterable<{ fields: SdocField[]; id: string; report: Report }>,
): void {
  const owners = new Map<string, string>();
  for (const { fields, id, report } of blocks) {
    const field = fields.find(({ name }) => name === 'MID');
    const mid = fieldOf({ fields }, 'MID');
    if (!field || !mid) continue;
    const owner = owners.get(mid);
    if (owner === undefined) owners.set(mid, id);
    else if (owner !== id) {
      const detail = `The MID ${mid.slice(0, 80)} is that of ${owner} too.`;
      report('duplicate_mid', 'error', field.line, detail, id, [owner]);
    }
  }
}
