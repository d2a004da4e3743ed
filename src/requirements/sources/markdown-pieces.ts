// Cuts a Markdown text where a block at its margin begins, so that each piece can be read by itself.
import { fromMarkdown } from 'mdast-util-from-markdown';
import { RULE } from './markdown-content.ts';

/** Lines before another one that are looked through to tell what that is in. */
const MOST_ASKED = 100;

/** Inline constructs matter to none of what is read; links and emphasis stay as written. */
export const BLOCKS_ONLY = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'definition',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
};

const FENCE = /^ {0,3}(`{3,})[^`]*$|^ {0,3}(~{3,})/;
const HTML_ENDS: [RegExp, RegExp][] = [
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![A-Za-z]/, />/],
];
const HTML_TAG = /^ {0,3}<\/?(?!(?:script|pre|style|textarea)\b)[A-Za-z][A-Za-z0-9-]*(?:[\s/>]|$)/;
/** A heading with `#`: its marks, and its text. */
export const ATX = /^(#{1,6})(?:[ \t]+(.*))?$/;
const BULLET = /^[-*+] \S/;
const IN_LIST = /^(?:[-*+]|\d+[.)])(?:\s|$)/;

/** Lines of a text, from one up to another without that; `code` where they are fenced code. */
export interface Piece {
  from: number;
  to: number;
  code: boolean;
}

/** Cuts a text where a block at the margin begins, so that no block is cut in two. */
export function piecesOf(lines: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  // Where the piece before this one begins: what a list is may hang on it.
  let before = 0;
  let blank = true;
  let ends: RegExp | null = null;
  let fenced = false;
  // A block that a tag began goes on until a blank line.
  let inHtml = false;
  const cut = (to: number, code = false) => {
    if (to > from) {
      pieces.push({ from, to, code });
      before = from;
    }
    from = to;
  };
  lines.forEach((text, at) => {
    if (ends) {
      if (!ends.test(text)) return;
      ends = null;
      if (fenced) cut(at + 1, true);
      fenced = false;
      blank = true;
      return;
    }
    if (blank) inHtml = false;
    inHtml ||= HTML_TAG.test(text);
    const margin = text !== '' && !/^\s/.test(text);
    if (margin && !inHtml && (blank || BULLET.test(text) || ATX.test(text))) cut(at);
    // A list need not begin a piece: a rule or a comment may stand right before it.
    const inList = () =>
      at - from <= MOST_ASKED
        ? lines.slice(from, at).some(beginsList)
        : beginsList(lines[from] ?? '');
    const asked = () => lines.slice(at - before < MOST_ASKED ? before : from, at + 1);
    const within = () => !margin && inList() && !staysOpen(asked());
    const fence = FENCE.exec(text);
    if (fence && !inHtml && !within()) {
      const mark = fence[1] ?? fence[2] ?? '';
      if (margin) cut(at);
      fenced = margin;
      ends = new RegExp(`^ {0,3}${mark[0]}{${Math.min(mark.length, 1000)},}[ \\t]*$`);
    } else if (!inHtml && text.includes('<')) {
      const end = HTML_ENDS.find(([opener]) => opener.test(text))?.[1];
      if (end && !end.test(text) && !within()) ends = end;
    }
    blank = text.trim() === '';
    if (ATX.test(text) && margin && !inHtml) cut(at + 1);
  });
  cut(lines.length, fenced);
  return pieces;
}

function beginsList(line: string): boolean {
  return IN_LIST.test(line) && !RULE.test(line);
}

/** Whether lines of which the last is indented end in a block at the margin that goes on. */
function staysOpen(lines: readonly string[]): boolean {
  if (lines.length > MOST_ASKED) return false;
  const { children } = fromMarkdown(`${lines.join('\n')}\n\nx`, { extensions: [BLOCKS_ONLY] });
  return children.at(-1)?.type !== 'paragraph';
}
