// The ids in brackets that a Markdown text refers to: `[US-3]`, but not what stands in code, in
// comments and in tags.
import { ID_SOURCE, looksLikeId, looksLikeLongId } from './item-ids.ts';
import { isElsewhere } from './markdown-content.ts';

const REFERENCE = new RegExp(
  `(?<![\\\\])(?<image>!)?\\[(?<id>${ID_SOURCE})\\](?=(?:\\((?<address>[^\\s()]{0,200})|(?<label>\\[))?)`,
  'g',
);
/** The address of a link, but for one that is itself a reference. */
const ADDRESS = /(?<!\\)\]\((?!\[)(?:<[^<>]*>|(?:[^\s()]|\([^\s()]*\))*)(?=\s*\)|\s+["'(])/g;
const TAG =
  /<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>\x60]+))?)*\s*\/?>/y;

const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;
const CLOSED = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;
/** A line with no text, or one that begins another text: an item, a heading, a row of a table. */
const NO_TEXT = /^[ \t>]*(?:=+|-{2,}|\*{3,}|_{3,})?[ \t]*$/;
const BEGINS = /^[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|)/;

/**
 * The ids in brackets that a text refers to, with the line in the text, from 0: neither in code, in
 * comments and in tags, nor images and links to other places. One may be too long to be an id.
 */
export function referencesIn(text: string): { id: string; line: number }[] {
  const found: { id: string; line: number }[] = [];
  const plain = /[`<]|~~~/.test(text) ? withoutCode(text) : text;
  const visible = plain.includes('<!--') ? withoutComments(plain) : plain;
  visible.split('\n').forEach((one, line) => {
    if (!one.includes('[')) return;
    const addresses = one.includes('](') ? [...one.matchAll(ADDRESS)] : [];
    let next = 0;
    for (const { groups = {}, index } of one.matchAll(REFERENCE)) {
      const { id = '', image, address, label } = groups;
      while (next < addresses.length && endOf(addresses[next]) <= index) next++;
      if ((addresses[next]?.index ?? index) < index) continue;
      const isImage = image !== undefined && (address ?? label) !== undefined;
      if (isImage || (address !== undefined && isElsewhere(address))) continue;
      if (looksLikeId(id) || looksLikeLongId(id)) found.push({ id, line });
    }
  });
  return found;
}

function endOf(match: RegExpExecArray | undefined): number {
  return match ? match.index + match[0].length : 0;
}

/** A text without its code and its tags, but for the ends of lines. */
function withoutCode(text: string): string {
  const shown: string[] = [];
  let paragraph: string[] = [];
  let fence = '';
  const flush = () => {
    if (paragraph.length > 0) shown.push(withoutSpans(paragraph.join('\n')));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    const mark = (fence === '' ? FENCE : CLOSED).exec(line)?.[1] ?? '';
    if (fence !== '' || mark !== '') {
      flush();
      shown.push('');
      if (fence === '') fence = mark;
      else if (mark.startsWith(fence)) fence = '';
      continue;
    }
    const ends = NO_TEXT.test(line);
    if (ends || BEGINS.test(line)) flush();
    paragraph.push(line);
    if (ends) flush();
  }
  flush();
  return shown.join('\n');
}

/**
 * The text of a paragraph without code spans and tags (CommonMark 0.31.2, 6.1 and 6.6), but for the
 * ends of lines. Of the two, what begins first has the other in it.
 */
function withoutSpans(text: string): string {
  if (!/[`<]/.test(text)) return text;
  const marks = text.includes('`') ? [...text.matchAll(/`+/g)] : [];
  const closers = Map.groupBy(marks.reverse(), ([mark]) => mark.length);
  const lastComment = text.lastIndexOf('-->');
  const parts: string[] = [];
  let from = 0;
  let at = 0;
  const leaveOut = (to: number) => {
    parts.push(text.slice(from, at), ' ', text.slice(at, to).replace(/[^\n]+/g, ''));
    [from, at] = [to, to];
  };
  while (at < text.length) {
    const char = text[at];
    if (char === '\\') at += 2;
    else if (char === '`') {
      let end = at;
      while (text[end] === '`') end++;
      const ahead = closers.get(end - at) ?? [];
      while ((ahead.at(-1)?.index ?? end) < end) ahead.pop();
      const close = ahead.pop();
      if (close) leaveOut(close.index + close[0].length);
      else at = end;
    } else if (char !== '<') at++;
    else if (text.startsWith('<!--', at)) {
      // Comments are left out later, since they may be longer than a paragraph.
      at = lastComment < at + 2 ? at + 4 : text.indexOf('-->', at + 2) + 3;
    } else {
      TAG.lastIndex = at;
      if (TAG.test(text)) leaveOut(TAG.lastIndex);
      else at++;
    }
  }
  return parts.join('') + text.slice(from);
}

/** A text without its HTML comments, but for the ends of their lines. */
export function withoutComments(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf('<!--', from);
    const end = start < 0 ? -1 : text.indexOf('-->', start + 2);
    if (end < 0) break;
    parts.push(text.slice(from, start), text.slice(start, end).replace(/[^\n]+/g, ''));
    from = end + 3;
  }
  return parts.join('') + text.slice(from);
}
