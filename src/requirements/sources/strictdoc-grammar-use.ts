// What of a grammar its documents use. Nothing is made of a grammar itself but checks, so what no node
// uses of it, and what it says beside, is told.
import { elementOf } from './strictdoc-check.ts';
import { DEFAULT_GRAMMAR } from './strictdoc-grammar.ts';
import { withChoices, withNames } from './strictdoc-grammar-details.ts';
import type {
  Grammar,
  GrammarDetail,
  GrammarElement,
  GrammarField,
  GrammarRelation,
  Report,
  SdocNode,
} from './strictdoc-model.ts';

const MOST_DETAILS = 20;
const MOST_CHARACTERS = 120;

/** Collects what nodes use of one grammar. */
export interface GrammarUse {
  look(node: SdocNode): void;
  /** Reports what is not kept of it, in one finding. */
  tell(report: Report): void;
}

/** The use of a grammar before its first node. */
export function createGrammarUse(grammar: Grammar): GrammarUse {
  const elements = new Set<GrammarElement>();
  const choices = new Map<GrammarField, Set<string>>();
  const relations = new Set<GrammarRelation>();

  /** The choices that no node has picked of a field that nodes have. */
  function unpicked(field: GrammarField, element: GrammarElement): GrammarDetail[] {
    const picked = choices.get(field);
    const names = [...field.options].filter((name) => picked?.has(name) === false);
    if (names.length === 0) return [];
    const text = withNames(`choices of ${field.name} of ${element.tag}`, names);
    return [{ text, line: field.line }];
  }

  /** The element where no node is of it, else the fields that no node has; not those of all grammars. */
  function unusedFields(element: GrammarElement): GrammarDetail[] {
    const usual = DEFAULT_GRAMMAR.get(element.tag);
    if (!elements.has(element) && usual === undefined) {
      const text = withNames(`TAG ${element.tag}`, [...element.fields.values()].map(withChoices));
      return [{ text, line: element.line }];
    }
    return [...element.fields.values()]
      .filter((field) => !choices.has(field) && !usual?.fields.has(field.name))
      .map(({ name, options, line }) => {
        return { text: withNames(`field ${name} of ${element.tag}`, [...options]), line };
      });
  }

  function unused(element: GrammarElement): GrammarDetail[] {
    const roles = (element.relations ?? []).flatMap((relation) => {
      if (relation.role === null || relations.has(relation)) return [];
      const text = `ROLE of ${relation.type} of ${element.tag} (${relation.role})`;
      return [{ text, line: relation.line }];
    });
    const fields = [...element.fields.values()].flatMap((field) => unpicked(field, element));
    return [...unusedFields(element), ...fields, ...roles];
  }

  return {
    look(node) {
      const element = elementOf(node, grammar.elements);
      if (element === undefined) return;
      elements.add(element);
      for (const { name, value } of node.fields) {
        const field = element.fields.get(name);
        if (field === undefined) continue;
        const picked = choices.get(field) ?? new Set();
        choices.set(field, picked);
        const named = field.type === 'MultipleChoice' ? value.trim().split(', ') : [value.trim()];
        for (const choice of named) if (field.options.has(choice)) picked.add(choice);
      }
      for (const { type, role } of node.relations) {
        const used = element.relations?.find((one) => one.type === type && one.role === role);
        if (used !== undefined) relations.add(used);
      }
    },
    tell(report) {
      const details = [...grammar.unread, ...[...grammar.elements.values()].flatMap(unused)];
      const [first] = details.sort((a, b) => a.line - b.line);
      if (first === undefined) return;
      const shown = details.slice(0, MOST_DETAILS).map(({ text }) => shortened(text));
      const more = details.length - shown.length;
      const rest = more > 0 ? `, and ${more} more` : '';
      const detail = `This of the grammar is not kept: ${shown.join(', ')}${rest}.`;
      report('unread_details', 'info', first.line, detail);
    },
  };
}

function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
