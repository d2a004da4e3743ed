// What parts of a grammar say, as a sentence may name them that tells that nothing is made of them.
import type { GrammarDetail, GrammarElement, GrammarField } from './strictdoc-model.ts';

/** Something with the names that belong to it behind, in parentheses. */
export function withNames(what: string, names: readonly string[]): string {
  return names.length === 0 ? what : `${what} (${names.join(', ')})`;
}

/** A field with its choices. */
export function withChoices({ name, options }: GrammarField): string {
  return withNames(name, [...options]);
}

/** What a field says of its values, as a grammar writes it. */
export function fieldRule({ type, options, required }: GrammarField): string {
  const choices = options.size === 0 ? '' : `(${[...options].join(', ')})`;
  return `TYPE: ${type}${choices}, REQUIRED: ${required ? 'True' : 'False'}`;
}

/** All of an element in whose place another one stands. */
export function replacedElement(element: GrammarElement): GrammarDetail[] {
  const { tag, line } = element;
  const fields = [...element.fields.values()];
  const names = fields.map(({ name }) => name);
  return [
    { text: withNames(`earlier TAG ${tag}`, names), line },
    ...fields
      .filter(({ options }) => options.size > 0)
      .map((field) => ({
        text: withNames(`choices of ${field.name} of earlier ${tag}`, [...field.options]),
        line: field.line,
      })),
    ...replacedRelations(element),
  ];
}

/** All relations of an element that says anew which it has. */
export function replacedRelations({ tag, relations }: GrammarElement): GrammarDetail[] {
  return (relations ?? []).map(({ type, role, line }) => ({
    text:
      role === null
        ? `earlier relation ${type} of ${tag}`
        : `ROLE of earlier ${type} of ${tag} (${role})`,
    line,
  }));
}
