// Holds nodes of a StrictDoc document against its grammar, as StrictDoc does; but all of it, where
// StrictDoc stops at the first fault.
import type {
  GrammarElement,
  GrammarField,
  Report,
  SdocField,
  SdocNode,
} from './strictdoc-model.ts';

const COMMA_SEPARATED = /^[a-zA-Z0-9/\-|_ ]+(?:, [a-zA-Z0-9/\-|_ ]+)*$/;
/** The types that relations can have at all, whatever a grammar says. */
export const RELATION_TYPES: ReadonlySet<string> = new Set(['Parent', 'Child', 'File']);
/** What may stand for a choice that is not made yet. */
const OPEN_CHOICES = new Set(['TBD', 'TBC']);

/**
 * Checks one node.
 *
 * @param grammar - what its document may hold, by tag
 */
export function checkNode(
  node: SdocNode,
  id: string,
  grammar: ReadonlyMap<string, GrammarElement>,
  report: Report,
): void {
  if (node.syntax === 'foreign') return;
  const element = elementOf(node, grammar);
  if (element === undefined) {
    report('unknown_node_type', 'error', node.line, `The grammar knows no ${node.tag}.`, id);
    return;
  }
  if (node.syntax !== 'older' && (node.syntax === 'composite') !== element.composite) {
    const how = element.composite ? `[[${node.tag}]]` : `[${node.tag}]`;
    report('composite_mismatch', 'error', node.line, `The grammar has it as ${how}.`, id);
  }
  const seen = new Set<string>();
  for (const field of node.fields) {
    const wanted = element.fields.get(field.name);
    if (wanted === undefined) {
      if (field.name === 'MID' || isOlderPrefix(node, field)) continue;
      const detail = `The grammar knows no field ${field.name} of ${node.tag}.`;
      report('unknown_field', 'error', field.line, detail, id);
    } else {
      checkValue(field, wanted, id, report);
      if (seen.has(field.name) && field.name !== 'COMMENT') {
        report('duplicate_field', 'error', field.line, `The field ${field.name} stands twice.`, id);
      }
    }
    seen.add(field.name);
  }
  const missing = [...element.fields.values()].filter(
    ({ name, required }) => required && !seen.has(name),
  );
  if (missing.length > 0) {
    const names = missing
      .map(({ name }) => name)
      .join(', ')
      .slice(0, 200);
    report('missing_required_field', 'error', node.line, `Missing, though required: ${names}.`, id);
  }
  checkOrder(node, element, id, report);
  checkRelations(node, element, id, report);
}

/** What a grammar, by its tags, says of a node. */
export function elementOf(
  { tag, syntax }: SdocNode,
  grammar: ReadonlyMap<string, GrammarElement>,
): GrammarElement | undefined {
  // The older notation of a requirement with others below it.
  const older = syntax === 'older' && tag === 'COMPOSITE_REQUIREMENT';
  return grammar.get(older ? 'REQUIREMENT' : tag);
}

function isOlderPrefix({ tag }: SdocNode, { name }: SdocField): boolean {
  return tag === 'SECTION' && (name === 'REQ_PREFIX' || name === 'PREFIX' || name === 'LEVEL');
}

function checkValue(
  { value: written, line, name }: SdocField,
  wanted: GrammarField,
  id: string,
  report: Report,
) {
  if (wanted.type === 'String') return;
  const value = written.trim();
  const shown = value.slice(0, 60);
  if (wanted.type !== 'SingleChoice' && !COMMA_SEPARATED.test(value)) {
    report(
      'invalid_choice',
      'error',
      line,
      `${name} takes choices with commas between, not: ${shown}`,
      id,
    );
    return;
  }
  if (wanted.type === 'Tag') return;
  const choices = wanted.type === 'SingleChoice' ? [value] : value.split(', ');
  for (const choice of choices) {
    if (wanted.options.has(choice) || OPEN_CHOICES.has(choice)) continue;
    const options = [...wanted.options].join(', ').slice(0, 200);
    report(
      'invalid_choice',
      'error',
      line,
      `${name} is one of ${options}, not ${choice.slice(0, 60)}.`,
      id,
    );
  }
}

function checkOrder(node: SdocNode, element: GrammarElement, id: string, report: Report): void {
  const places = new Map([...element.fields.keys()].map((name, place) => [name, place]));
  let furthest = -1;
  for (const { name, line } of node.fields) {
    const place = places.get(name) ?? furthest;
    if (place < furthest) {
      report(
        'wrong_field_order',
        'warning',
        line,
        `The grammar has ${name} before the fields above.`,
        id,
      );
      return;
    }
    furthest = place;
  }
}

function checkRelations(
  node: SdocNode,
  { relations }: GrammarElement,
  id: string,
  report: Report,
): void {
  if (relations === null) return;
  for (const { type, role, line } of node.relations) {
    if (!RELATION_TYPES.has(type)) continue;
    if (relations.some((allowed) => allowed.type === type && allowed.role === role)) continue;
    const shown = role === null ? type : `${type} with the role ${role}`;
    report(
      'invalid_relation',
      'error',
      line,
      `The grammar has no relation ${shown.slice(0, 80)} of ${node.tag}.`,
      id,
    );
  }
}
