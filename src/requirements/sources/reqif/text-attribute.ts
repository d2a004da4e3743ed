// Which attribute holds the text of the objects of a type that names none: never one by the order in
// which a file declares them.
import type { TextAttributes } from '../model.ts';
import type { ReqifDocument, SpecType } from './document.ts';
import { isHeading, mayBeText } from './names.ts';
import type { Element, Read, ReqifSet } from './set.ts';

export interface TextChoice {
  /** The value that is the text of an element; undefined where names decide. */
  textOf(element: Element): Read | undefined;
  /** What was chosen, for the next revision. */
  chosen: Map<string, Record<string, string>>;
}

/** The objects of a type that names no text. */
interface Group {
  document: ReqifDocument;
  type: string;
  name: string;
  line: number;
  /** By attribute, the characters that all objects together have in it. */
  sizes: Map<string, number>;
}

/**
 * Chooses for each type: what the source says; else, of a type without an attribute that is known as a
 * text, what the revision before took; else the attribute with most text, the first by name among
 * equals. What is guessed is reported.
 *
 * @param wanted - the `textAttribute` of each source that has one, by path
 */
export function chooseTexts(
  set: ReqifSet,
  elements: readonly Element[],
  wanted: ReadonlyMap<string, string>,
  before: TextAttributes,
): TextChoice {
  const chosen = new Map<string, Record<string, string>>();
  const choose = (path: string, type: string, name: string) => {
    const ofPath = chosen.get(path) ?? {};
    ofPath[type] = name;
    chosen.set(path, ofPath);
  };
  const named = new Map<SpecType, string | undefined>();
  const groups = new Map<string, Group>();
  /** Groups of types that are not declared, with an attribute that is known as a text. */
  const known = new Set<string>();
  for (const element of elements) {
    const { type, source, reads } = element;
    const home = homeOf(element);
    const name = wanted.get(home.path);
    if (type && name !== undefined && !named.has(type)) {
      const isThere = type.definitions.some((one) => one.name === name);
      named.set(type, isThere ? name : undefined);
      if (isThere) choose(home.path, type.identifier, name);
    }
    if (type && (named.get(type) !== undefined || hasText(set, type))) continue;
    const key = keyOf(element);
    if (reads.some(({ role }) => role?.role === 'statement')) known.add(key);
    const group: Group = groups.get(key) ?? {
      document: home,
      type: element.source.type,
      name: type?.name || element.source.type,
      line: source.line,
      sizes: new Map(),
    };
    groups.set(key, group);
    for (const { value, definition, role } of reads) {
      if (role || !mayBeText(definition.name) || !isProse(value)) continue;
      group.sizes.set(definition.name, (group.sizes.get(definition.name) ?? 0) + value.text.length);
    }
  }
  const guesses = new Map<string, string>();
  for (const [key, { document, type, name, line, sizes }] of groups) {
    const [largest] = [...sizes].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const last = before.get(document.path)?.[type];
    const guess = last !== undefined && sizes.has(last) ? last : largest?.[0];
    if (guess === undefined || known.has(key)) continue;
    guesses.set(key, guess);
    choose(document.path, type, guess);
    const changed = last === undefined || last === guess ? '' : `; the last revision took ${last}`;
    const detail = `The attribute ${guess} of ${name} is taken for its text, since no name says which is${changed}. A textAttribute of the source decides.`;
    document.report.report('guessed_text', line, detail);
  }
  return {
    chosen,
    textOf(element) {
      const name = (element.type && named.get(element.type)) ?? guesses.get(keyOf(element));
      if (name === undefined) return undefined;
      return element.reads.find(({ definition }) => definition.name === name);
    },
  };
}

/** The document that declares the type of an element, else its own. */
function homeOf({ type, document }: Element): ReqifDocument {
  return type?.document ?? document;
}

function keyOf(element: Element): string {
  const { path, inside } = homeOf(element);
  return JSON.stringify([path, inside, element.source.type]);
}

/** Whether the names of a type's attributes say which is the text, or that it has headings alone. */
function hasText(set: ReqifSet, { definitions }: SpecType): boolean {
  return definitions.some(
    (one) =>
      set.roleOf(one)?.role === 'statement' || (isHeading(one.name) && /reqif\./i.test(one.name)),
  );
}

/** XHTML, and a STRING that is more than a few words. */
function isProse({ kind, text }: Read['value']): boolean {
  return (
    (kind === 'XHTML' && /\S/.test(text)) ||
    (kind === 'STRING' && text.length >= 24 && /\S\s+\S+\s+\S/.test(text))
  );
}
