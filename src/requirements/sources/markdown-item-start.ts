// How an item of a Markdown source begins: its id, in the forms that headings and lists have for it, and
// its title.
import { ID_SOURCE, idsIn, looksLikeId } from './item-ids.ts';
import { afterSymbols, beforeId, isRelease } from './markdown-before-id.ts';
import { isElsewhere } from './markdown-content.ts';

/** A dash between an id and a title. */
const DASH = '\\s+(?:-{1,3}|[\u2013\u2014])';
/** A colon between them; right before a digit, a slash or another colon it is part of something else. */
const COLON = '\\s*(?::(?=\\s|$)|\uff1a|:(?=[^\\s\\d:/\\\\]))';

const WRAPPED = new RegExp(
  `^(?:\\*\\*(${ID_SOURCE})(:?)\\*\\*|__(${ID_SOURCE})(:?)__|\\[(${ID_SOURCE})\\](?![(:\\[]\\S)|\`(${ID_SOURCE})\`)(?:(?<colon>\\s*[:\uff1a])|${DASH}(?=\\s))?(?:\\s+|$|(?<=\uff1a))`,
);
/** The whole beginning in bold, as in `**US-12: Log in**`. */
const IN_BOLD = new RegExp(
  `^(\\*\\*|__)(${ID_SOURCE})(?::|${DASH})\\s+(.+?)\\1(?=\\s|$|[.:])([:.]?)\\s*`,
);
/** An id and a title in bold with nothing between them, and a colon that ends them. */
const TITLED = new RegExp(
  `^(\\*\\*|__)(${ID_SOURCE})\\s+([^*_\\s][^*_]{0,200}?)(?:\\s?:\\1|\\1\\s?:)(?:\\s+|$)`,
);
/** A remark in parentheses or brackets, which is no title. */
const REMARK = /^(?:\([^()]*\)|\[[^[\]]*\])$/;
const BARE = new RegExp(`^(${ID_SOURCE})(?:\\s*:(?=\\s|$)|\\s*\uff1a|${DASH}(?=\\s|$))\\s*`);
const ALONE = new RegExp(`^(${ID_SOURCE})$`);
const SPACED = new RegExp(`^(${ID_SOURCE})\\s+(?=\\S)(?!:[^\\s\\d:/\\\\])`);

/** How an item begins: its id and the text that follows on the line. */
export interface ItemStart {
  id: string;
  rest: string;
  /** The title and the text of the rest, where a colon parts them. */
  parts?: { title: string; text: string };
  /** The address that the id is a link to. */
  url?: string;
  /** The label of what the id is a link to. */
  label?: string;
  /** The names of anchors before the id. */
  anchors: string[];
  /** The number of the section before the id of a heading. */
  level?: string;
  /** Whether symbols or the mark of a task stand before the id of a heading. */
  isMarked?: boolean;
  /** What the mark of a task before the id of a heading says. */
  done?: boolean;
  /** Whether a colon parts the id from the text, where it is known. */
  colon?: boolean;
}

/**
 * The id that a heading or a list item begins with: `US-12:`, `US-12 -`, `**US-12**`, `[US-12]`,
 * and in a heading `US-12` alone or before the title, or as it is numbered, emphasised and linked in
 * headings: `US-12.`, `US-12)`, `*US-12*`, `[US-12](address)`, `4.1 US-12`. Symbols before that are of
 * its title, as in `✅ US-12`, and there may be the mark of a task. In a list, an id in such marks needs
 * a colon, and an address that is not of the sources.
 *
 * @param heading - whether the text is that of a heading
 */
export function itemStart(text: string, heading: boolean): ItemStart | null {
  const start = startWithId(text, heading);
  const marked = start === null && heading ? afterSymbols(text) : null;
  const below = marked && startWithId(marked.rest, heading);
  if (!marked || !below) return start;
  const { symbols, done } = marked;
  const rest = `${symbols}${below.rest}`.trimEnd();
  return { ...below, rest, isMarked: true, ...(done !== undefined && { done }) };
}

function startWithId(text: string, heading: boolean): ItemStart | null {
  const { names, url, level, rest: line } = beforeId(text, heading);
  const shown = heading
    ? line.replace(/^\S+/, (word) => word.replace(/\\([!-/:-@[-`{-~])/g, '$1'))
    : line;
  const start =
    plainStart(shown, heading) ?? markedStart(shown, heading ? HEADING_STARTS : LIST_STARTS);
  if (!start || (level !== undefined && isRelease(start.id))) return null;
  const number = level === undefined ? {} : { level };
  return { ...(url !== undefined && { url }), ...start, anchors: names, ...number };
}

/** How an item begins, whatever stands before it. */
type Start = Omit<ItemStart, 'anchors' | 'level'>;

const MARK = '(?<mark>\\*{1,3}|_{1,3})';
const ID = `(?<id>${ID_SOURCE})`;
const AFTER_ID = `(?:${COLON}|[.)](?=\\s|$)|${DASH}(?=\\s|$))?`;
const ENDED = '(?:\\s+|$|(?<=[:\uff1a]))';
const ADDRESS = '\\((?<url>(?:[^()]|\\([^()]*\\))*)\\)';
const HEADING_STARTS = [
  `${ID}${AFTER_ID}${ENDED}`,
  `${MARK}${ID}(?:\\s*[:.)]|${DASH})?\\k<mark>${AFTER_ID}${ENDED}`,
  `${MARK}${ID}${AFTER_ID}\\s+(?<title>.+?)\\k<mark>(?=\\s|$|[.:])[:.]?\\s*`,
  `\`${ID}\`${AFTER_ID}${ENDED}`,
  `\\[${ID}\\](?:${ADDRESS})?${AFTER_ID}${ENDED}`,
  `\\[${ID}${AFTER_ID}\\s+(?<title>[^\\[\\]]+)\\]${ADDRESS}\\s*`,
  `${MARK}\\[${ID}\\](?:${ADDRESS})?\\k<mark>${AFTER_ID}${ENDED}`,
  `\\[${MARK}${ID}\\k<mark>\\](?:${ADDRESS})?${AFTER_ID}${ENDED}`,
  `\\[${ID}\\]\\[(?<label>[^\\[\\]]*)\\]${COLON}\\s*`,
].map((source) => new RegExp(`^${source}`));
/** What begins an item of a list where emphasis or a link is around the id: there it takes a colon. */
const LIST_STARTS = [
  `${MARK}${ID}(?:\\s*:\\k<mark>|\\k<mark>${COLON})\\s*`,
  `${MARK}${ID}${DASH}\\k<mark>\\s+`,
  `${ID}\\s+(?=(?:\\([^()]{1,60}\\)|\\[[^\\[\\]]{1,60}\\])\\s*:\\s)`,
  `(?<mark>\\*\\*|__)${ID}\\.\\k<mark>\\s+`,
  `(?<mark>\\*{1,3}|_{1,3}|)\\[${ID}\\]${ADDRESS}\\k<mark>${COLON}\\s*`,
].map((source) => new RegExp(`^${source}`));
/** The number of a section of an appendix or a part: `A.1`, `IV.2.3`. */
const SECTION_NUMBER = /^(?:[A-Z]|[IVXLCDM]+)(?:\.[0-9]+)+$/;

function markedStart(text: string, patterns: readonly RegExp[]): Start | null {
  const line = text.slice(0, 2000);
  for (const pattern of patterns) {
    const match = pattern.exec(line);
    const { id = '', title, url, label } = match?.groups ?? {};
    if (!match || !looksLikeId(id) || SECTION_NUMBER.test(id)) continue;
    // In a list, a link to a place in the sources leads to where the item stands.
    if (patterns === LIST_STARTS && url !== undefined && !isElsewhere(url)) continue;
    const after = text.slice(match[0].length);
    const rest = title === undefined ? after : `${title} ${after}`.trimEnd();
    return { id, rest, ...(url && { url }), ...(label !== undefined && { label }) };
  }
  return null;
}

function plainStart(text: string, heading: boolean): Start | null {
  const line = text.slice(0, 2000);
  const wrapped = WRAPPED.exec(line);
  if (wrapped) {
    const id = wrapped[1] ?? wrapped[3] ?? wrapped[5] ?? wrapped[6] ?? '';
    const colon = wrapped.groups?.colon !== undefined;
    return looksLikeId(id) ? { id, rest: text.slice(wrapped[0].length), colon } : null;
  }
  const bold = IN_BOLD.exec(line);
  if (bold) {
    const [all, , id = '', title = '', end = ''] = bold;
    if (!looksLikeId(id)) return null;
    return titled(id, title, end, text.slice(all.length));
  }
  const named = heading ? null : TITLED.exec(line);
  if (named) {
    const [all, , id = '', title = ''] = named;
    // Of several ids, as in a sentence, none begins an item.
    if (!looksLikeId(id) || idsIn(title).ids.length > 0) return null;
    return titled(id, title, ':', text.slice(all.length));
  }
  const bare = BARE.exec(line) ?? (heading ? (ALONE.exec(line) ?? SPACED.exec(line)) : null);
  const id = bare?.[1];
  if (!bare || id === undefined || !looksLikeId(id)) return null;
  return { id, rest: text.slice(bare[0].length) };
}

/** How an item begins with an id and a title in bold, what ends these, and a text. */
function titled(id: string, given: string, end: string, text: string): Start {
  const isEnded = end === ':' || /[^:]:$/.test(given);
  if (!isEnded) return { id, rest: `${given} ${text}`.trimEnd() };
  const title = given.replace(/\s*:$/, '');
  const rest = text === '' ? title : `${title}: ${text}`;
  return REMARK.test(title) ? { id, rest } : { id, rest, parts: { title, text } };
}
