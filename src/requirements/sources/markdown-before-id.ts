// What stands before the id that an item of a Markdown source begins with: anchors for others to link
// to, and in a heading the number of its section.
import { isEmptyHtml } from './markdown-content.ts';
import { withoutComments } from './markdown-references.ts';

/** Anchors, as HTML and as Pandoc writes them. */
const ANCHORS = /^(?:<\/?a(?:\s[^<>]*)?>\s*|<span(?:\s[^<>]*)?>\s*<\/span>\s*|\[\]\{[^{}]*\}\s*)+/i;
const TAG_VALUE =
  /(?<=\s)(?<name>id|name|href)\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s"'<>]+))|\[\]\{\s*#(?<pandoc>[^\s{}]+)/gi;
/** The number of a section: `4.1`, `4.1.`, `3)`. */
const NUMBER = /^(?<level>[0-9]{1,9}(?:\.[0-9]{1,9}){0,20})(?:\\?[.)])?\s+/;
/** What the number before it makes the name of a release: `2.0.0 RC-1`. */
const RELEASE = /^(?:ALPHA|BETA|RC|PRE|DEV|SNAPSHOT|BUILD|M)[-_.]?[0-9]/;

/** Symbols such as a check mark. */
const SYMBOLS =
  /^(?:[\p{So}\p{Extended_Pictographic}](?:\u{fe0f}|\u{200d}|\p{Emoji_Modifier}){0,4}){1,8}\s*/u;
/** The mark of a task in a heading. */
const DONE = /^\[([ xX])\]\s+/;

/** What stands before an id, and the text that follows. */
export interface BeforeId {
  /** The names of the anchors. */
  names: string[];
  /** The address of the first anchor that is a link. */
  url?: string;
  /** The number of the section, without what ends it. */
  level?: string;
  rest: string;
}

/**
 * What stands before the id in a line that may begin with one.
 *
 * @param heading - whether the text is that of a heading
 */
export function beforeId(text: string, heading: boolean): BeforeId {
  const first = ANCHORS.exec(text)?.[0] ?? '';
  const numbered = text.slice(first.length);
  const number = heading ? NUMBER.exec(numbered) : null;
  const level = number?.groups?.level;
  const line = number ? numbered.slice(number[0].length) : numbered;
  const second = number ? (ANCHORS.exec(line)?.[0] ?? '') : '';
  const rest = line.slice(second.length);
  return { ...anchorsIn(first + second), ...(level !== undefined && { level }), rest };
}

/**
 * The text of a heading behind the symbols or the mark of a task that it begins with; null where there
 * are none.
 */
export function afterSymbols(
  text: string,
): { symbols: string; done?: boolean; rest: string } | null {
  const [task, mark] = DONE.exec(text) ?? [];
  if (task !== undefined) return { symbols: '', done: mark !== ' ', rest: text.slice(task.length) };
  const symbols = SYMBOLS.exec(text)?.[0];
  if (symbols === undefined) return null;
  return { symbols: `${symbols.trimEnd()} `, rest: text.slice(symbols.length) };
}

/** Whether what follows a number is the name of a release with it, and no id. */
export function isRelease(id: string): boolean {
  return RELEASE.test(id);
}

/** The text of a line without anchors before it. */
export function withoutAnchors(text: string): string {
  return text.replace(ANCHORS, '');
}

/** The names of anchors in a text, and the address of the first that is a link. */
export function anchorsIn(text: string): Pick<BeforeId, 'names' | 'url'> {
  if (text === '') return { names: [] };
  const names = new Set<string>();
  let url: string | undefined;
  for (const { groups = {} } of text.matchAll(TAG_VALUE)) {
    const { name = '', double, single, bare, pandoc } = groups;
    const value = double ?? single ?? bare ?? pandoc ?? '';
    if (name.toLowerCase() !== 'href') names.add(value);
    else url ??= value;
  }
  return { names: [...names], ...(url !== undefined && { url }) };
}

/** The names of the anchors in a text that shows nothing. */
export function anchorsAlone(text: string): string[] {
  return text.includes('<') && isEmptyHtml(text) ? anchorsIn(withoutComments(text)).names : [];
}
