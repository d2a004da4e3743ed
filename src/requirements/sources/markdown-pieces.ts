// Cuts a Markdown text where a block at its margin begins, so that each piece can be read by itself.
import { ATX, openBlocks, type Unclosed } from './markdown-open.ts';

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

/** Characters of a piece that is still looked into: the time of a parse grows faster than its text. */
export const MOST_PIECE = 64 * 1024;

/** Lines of a text, from one up to another without that; `code` where they are fenced code. */
export interface Piece {
  from: number;
  to: number;
  code: boolean;
  /** Whether it is to be parsed without what stands before it. */
  apart: boolean;
}

/**
 * Cuts a text where a block at the margin begins, so that no block is cut in two.
 *
 * @returns the pieces, and what is open at the end of the text though it should have been ended
 */
export function piecesOf(lines: readonly string[]): {
  pieces: Piece[];
  unclosed: Unclosed | null;
} {
  const pieces: Piece[] = [];
  const open = openBlocks();
  let from = 0;
  let fenced = false;
  let apart = false;
  // Where blocks or items in the piece begin that are not at the margin.
  let inner: number[] = [];
  const cut = (to: number, code = false) => {
    const isLong = !code && inner.length > 0 && lengthOf(lines, from, to) > MOST_PIECE;
    for (const at of isLong ? [...inner, to] : [to]) {
      if (at > from) pieces.push({ from, to: at, code, apart });
      from = at;
      apart = false;
    }
    inner = [];
  };
  lines.forEach((text, at) => {
    const { starts, fence, belowCode } = open.take(text);
    const margin = starts && !/^\s/.test(text);
    if (margin || belowCode) cut(at);
    // micromark takes what is there for a part of the code where it could not end a paragraph.
    if (belowCode) apart = true;
    if (!margin && starts) inner.push(at);
    if (fence === 'opens') fenced = margin;
    if (fence === 'closes' && fenced) cut(at + 1, true);
    if (fence === 'closes') fenced = false;
    // What follows a heading is a piece without it.
    if (margin && ATX.test(text)) cut(at + 1);
  });
  cut(lines.length, fenced);
  return { pieces, unclosed: open.unclosed() };
}

function lengthOf(lines: readonly string[], from: number, to: number): number {
  let length = 0;
  for (let at = from; at < to; at++) length += (lines[at]?.length ?? 0) + 1;
  return length;
}
