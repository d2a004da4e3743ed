// Which attribute holds the text of the objects of a type that names none: never one by the order in
// which a file declares them.
import type { TextAttributes } from '../model.ts';
import type { ReqifDocument, SpecType } from './document.ts';
import { isHeading, mayBeText } from './names.ts';
import type { Element, Read } from './set.ts';

export interface TextChoice {
  /** The value that is the text of an element; undefined where names decide. */
  textOf(element: Element): Read | undefined;
  /** What was chosen, for the next revision. */
  chosen: Map<string, Record<string, string>>;
}

interface Group {
  first: Element;
  /** By attribute, the characters that all objects together have in it. */
  sizes: Map<string, number>;
}

/**
 * Chooses for each type: what the source says; else, of a type without an attribute that is known as a
 * text, what the revision before took; else the attribute with most text, the first by name among
 * equals. What is guessed is reported.
 * @param wanted - the `textAttribute` of each source that has one, by path
 */
export function chooseTexts(
  elements: readonly Element[],
  wanted: ReadonlyMap<string, string>,
  before: TextAttributes,
): TextChoice {
  const chosen = new Map<string, Record<string, string>>();
  const names = new Map<string, string>();
  const choose = (key: string, path: string, type: string, name: string) => {
    names.set(key, name);
    chosen.set(path, { ...chosen.get(path), [type]: name });
  };
  const groups = new Map<string, Group>();
  /** Types of which names say the text. */
  const known = new Set<string>();
  for (const element of elements) {
    const { type, source, reads } = element;
    const { path } = homeOf(element);
    const key = keyOf(element);
    const name = wanted.get(path);
    const group: Group = groups.get(key) ?? { first: element, sizes: new Map() };
    if (!groups.has(key)) {
      const isThere = type?.definitions.some((one) => one.name === name);
      if (name !== undefined && isThere) choose(key, path, source.type, name);
      if (type && hasText(type)) known.add(key);
      groups.set(key, group);
    }
    if (known.has(key)) continue;
    for (const { value, definition } of reads) {
      if (definition.role?.role === 'statement') known.add(key);
      if (definition.role || !mayBeText(definition.name) || !isProse(value)) continue;
      const size = group.sizes.get(definition.name) ?? 0;
      group.sizes.set(definition.name, size + value.text.length);
    }
  }
  for (const [key, { first, sizes }] of groups) {
    const { path, report } = homeOf(first);
    const { type, line } = first.source;
    const [largest] = [...sizes].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const last = before.get(path)?.[type];
    const guess = last !== undefined && sizes.has(last) ? last : largest?.[0];
    if (guess === undefined || known.has(key) || names.has(key)) continue;
    choose(key, path, type, guess);
    const changed = last === undefined || last === guess ? '' : `; the last revision took ${last}`;
    const detail = `The attribute ${guess} of ${first.type?.name || type} is taken for its text, since no name says which is${changed}. A textAttribute of the source decides.`;
    report.report('guessed_text', line, detail);
  }
  return {
    chosen,
    textOf(element) {
      const name = names.get(keyOf(element));
      return element.reads.find(({ definition }) => definition.name === name);
    },
  };
}

function homeOf({ type, document }: Element): ReqifDocument {
  return type?.document ?? document;
}

function keyOf(element: Element): string {
  const { path, inside } = homeOf(element);
  return JSON.stringify([path, inside, element.source.type]);
}

function hasText({ definitions }: SpecType): boolean {
  return definitions.some(
    ({ name, role }) => role?.role === 'statement' || (isHeading(name) && /reqif\./i.test(name)),
  );
}

function isProse({ kind, text }: Read['value']): boolean {
  return (
    (kind === 'XHTML' && /\S/.test(text)) ||
    (kind === 'STRING' && text.length >= 24 && /\S\s+\S+\s+\S/.test(text))
  );
}
