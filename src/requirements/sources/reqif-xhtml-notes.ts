// What the XHTML of a document says that its plain text does not: text that is marked as deleted,
// and attributes and elements that no text is made of.

import type { XmlElement } from './reqif-element.ts';
import { createTally, type ReqifReport, some, times } from './reqif-report.ts';
import {
  BLOCKS,
  DELETED,
  FORMATTING,
  FORMATTING_OF,
  PARAGRAPHS,
  SHOWN,
  UNSHOWN,
} from './reqif-xhtml-names.ts';

/** Deleted texts that are quoted, and how much of each. */
const QUOTED = { texts: 10, characters: 80 } as const;

/** Kinds of what is not kept that are named. */
const MOST_KINDS = 50;

export interface XhtmlNotes {
  /**
   * Notes an element whose text is left out.
   *
   * @returns whether what stands before and after it are different words
   */
  deleted(element: XmlElement): boolean;
  /** Notes the attributes of an element that are not in its text. */
  attributes(element: XmlElement): void;
  /** Notes what else of an element is not in the text. */
  unkept(what: string, line: number): void;
  /**
   * Reports all that was noted.
   *
   * @param isOwn - whether our writer made the document: how it looks came from nowhere then
   */
  tell(report: ReqifReport, isOwn: boolean): void;
}

/** Notes of a document before its first value. */
export function createXhtmlNotes(): XhtmlNotes {
  const unkept = createTally();
  const quotes: string[] = [];
  /** Attributes of looks and places: what they are called, how many, and the first line. */
  const looks = { names: new Set<string>(), count: 0, line: Infinity };
  let deletions = 0;
  let firstDeletion = 0;

  return {
    deleted(element) {
      const content: Content = { text: '', parted: false, shown: false };
      lookThrough(element, content);
      if (content.shown) {
        deletions += 1;
        if (firstDeletion === 0) firstDeletion = element.line;
        if (quotes.length < QUOTED.texts) quotes.push(quoteOf(content));
      }
      return content.parted;
    },
    attributes(element) {
      for (const name in element.attributes) {
        if (isOfLooks(element, name)) {
          looks.names.add(name);
          looks.count += 1;
          looks.line = Math.min(looks.line, element.line);
        }
        if (!isUnkept(element, name)) continue;
        unkept.count(`${name.slice(0, 100)} of <${element.name.slice(0, 100)}>`, element.line);
      }
    },
    unkept: (what, line) => unkept.count(what, line),
    tell(report, isOwn) {
      if (deletions > 0) {
        const more = deletions > quotes.length ? ` and ${deletions - quotes.length} more` : '';
        const detail = `Text that is marked as deleted is left out of the texts (${times(deletions)}, first here): ${quotes.join(', ')}${more}.`;
        report.lose('deleted_text_left_out', 'warning', firstDeletion, detail);
      }
      const found = [...unkept.entries()];
      const names = found.map(([what, { times: count }]) => `${what} (${times(count)})`);
      const isStyled = looks.count > 0 && !isOwn;
      if (isStyled) names.unshift(looksText([...looks.names], looks.count));
      if (names.length === 0) return;
      const first = found.reduce(
        (least, [, { line }]) => Math.min(least, line),
        isStyled ? looks.line : Infinity,
      );
      const detail = `Of XHTML this is not kept: ${some(names, MOST_KINDS)}.`;
      report.say('unread_details', 'info', first, detail);
    },
  };
}

/** Whether the text of an element is marked as deleted. */
export function isDeleted({ name, attributes: { style } }: XmlElement): boolean {
  return DELETED.has(name) || (style !== undefined && isStruckOut(style));
}

function isStruckOut(style: string): boolean {
  if (!/line-through/i.test(style)) return false;
  const declarations = style.split(';');
  return declarations.some(
    (one) => /^\s*text-decoration(?:-line)?\s*:/i.test(one) && /line-through/i.test(one),
  );
}

/** Whether an element has an attribute that is not in its text. */
export function hasUnkeptAttributes(element: XmlElement): boolean {
  for (const name in element.attributes) if (isUnkept(element, name)) return true;
  return false;
}

/** Attributes of looks and places, with how many there are, as three of their names tell. */
function looksText(names: readonly string[], count: number): string {
  const [last, ...others] = names.slice(0, 3).reverse();
  const shown = others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`;
  return `attributes of looks and places such as ${shown} (${times(count)})`;
}

/** Whether an attribute only says how an element looks, or where and what it is. */
function isOfLooks({ name: element, attributes }: XmlElement, name: string): boolean {
  const value = attributes[name] ?? '';
  if (!/\S/.test(value) || isUsual(name, value)) return false;
  if (name === 'style') return !isReadStyle(value);
  return FORMATTING.has(name) || FORMATTING_OF.get(element) === name;
}

/** Whether a style says no more than that white space is kept, or that the text is deleted. */
function isReadStyle(style: string): boolean {
  return style
    .split(';')
    .every((one) =>
      /^\s*(?:white-space\s*:\s*pre[a-z-]*|text-decoration(?:-line)?\s*:\s*line-through)?\s*$/i.test(
        one,
      ),
    );
}

function isUnkept({ name: element, attributes }: XmlElement, name: string): boolean {
  if (FORMATTING.has(name) || FORMATTING_OF.get(element) === name) return false;
  if (UNSHOWN.has(element)) return false;
  const value = attributes[name] ?? '';
  if (!/\S/.test(value) || isUsual(name, value)) return false;
  // An object without data is known by its type.
  if (element === 'object' && name === 'type') return attributes.data !== undefined;
  return SHOWN.get(element)?.has(name) !== true;
}

/** Whether an attribute says what is so without it. */
function isUsual(name: string, value: string): boolean {
  return value === '1' && (name === 'colspan' || name === 'rowspan' || name === 'type');
}

/** Elements that refer to something. */
const REFERENCES: ReadonlySet<string> = new Set(['a', 'area', 'embed', 'iframe', 'img', 'object']);

interface Content {
  /** How the text begins. */
  text: string;
  /** Whether there is white space in it, or a line ends. */
  parted: boolean;
  shown: boolean;
}

function lookThrough(element: XmlElement, content: Content): void {
  if (isBreak(element.name)) content.parted = true;
  const referred = referenceText(element);
  if (referred !== '') {
    content.shown = true;
    quote(referred, content);
  }
  for (const child of element.children) {
    if (typeof child !== 'string') {
      lookThrough(child, content);
      continue;
    }
    if (/\S/.test(child)) content.shown = true;
    if (/\s/.test(child)) content.parted = true;
    quote(child, content);
  }
}

/** What an element refers to; empty for one that only holds text. */
function referenceText({ name, attributes }: XmlElement): string {
  if (!REFERENCES.has(name)) return '';
  const said = ['name', 'alt', 'src', 'data', 'href']
    .map((one) => attributes[one] ?? '')
    .filter((one) => /\S/.test(one));
  if (said.length > 0) return ` ${said.join(' ')} `;
  return name === 'a' ? '' : ` [${name}] `;
}

function quote(text: string, content: Content): void {
  if (content.text.length <= QUOTED.characters) {
    content.text += text.slice(0, QUOTED.characters + 1);
  }
}

function isBreak(name: string): boolean {
  return (
    name === 'br' || name === 'td' || name === 'th' || BLOCKS.has(name) || PARAGRAPHS.has(name)
  );
}

function quoteOf({ text }: Content): string {
  const more = text.length > QUOTED.characters ? '…' : '';
  return JSON.stringify(`${text.slice(0, QUOTED.characters).replace(/\s+/g, ' ').trim()}${more}`);
}
